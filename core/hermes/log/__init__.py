"""agent.log and its rotations: the lines that bear on compression, read once and remembered."""
