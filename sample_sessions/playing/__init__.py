"""Plays scenarios on a stage: writes rows, calls models, compresses and logs as Hermes does."""
