"""Summarisers: offline, deterministic, or a model behind one of two wire formats."""
