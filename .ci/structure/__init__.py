"""The checks of the workspace's structure; see check_structure.py beside this folder."""
