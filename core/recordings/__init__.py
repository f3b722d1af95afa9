"""The recordings made by our recorder inside Hermes."""

FILE_NAME = "recording.db"
