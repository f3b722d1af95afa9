"""What of a middle survives in its summary, found without a model."""
