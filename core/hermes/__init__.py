"""What Hermes writes on disk: markers, release policies, configuration, logs."""
