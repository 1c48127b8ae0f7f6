"""Writes the sorted keys of a case: the folder is the argument, and case.json in it describes the files."""
import array
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
case = json.loads((folder / "case.json").read_text())
files = {buffer["name"]: folder / buffer["file"] for buffer in case["buffers"]}
keys = array.array("i", files["keys"].read_bytes())
files["sorted"].write_bytes(array.array("i", sorted(keys)).tobytes())
