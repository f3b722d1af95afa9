"""What Hermes writes to disk, and its rules: markers, release policies, configuration, logs."""
