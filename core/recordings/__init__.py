"""What the recorder inside Hermes kept."""

FILE_NAME = "recording.db"
