"""Finished training trajectories: cuts them to a token budget, from one file to a cluster."""
