"""Finished training trajectories: cut to a token budget, from one file to a cluster."""
