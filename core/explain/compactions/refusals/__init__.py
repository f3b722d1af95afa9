"""Refusals of a provider: the window they leave, and the attempts of the turn they take."""
