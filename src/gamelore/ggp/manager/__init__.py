"""The game manager: runs matches between remote and local players."""
