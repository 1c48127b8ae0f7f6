#!/bin/sh
# Replaces NVIDIA's ptxas when the embedded machine runs a program: the machine executes PTX, so the PTX that would be
# assembled is passed through.
if [ "$1" = --version ]; then
    echo "ptxas that passes PTX through, Cuda compilation tools, release 13.0, V13.0.0 (warplab)"
    exit 0
fi
while [ $# -gt 0 ]; do
    case $1 in
    -o | --output-file) out=$2; shift ;;
    -*) ;;
    *) ptx=$1 ;;
    esac
    shift
done
exec cp "$ptx" "$out"
