"""What a summary keeps of its middle, found without a model."""
