"""agent.log and its rotations: the lines relevant to compression, read once and cached."""
