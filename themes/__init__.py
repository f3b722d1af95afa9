"""Theme files and their loader."""
