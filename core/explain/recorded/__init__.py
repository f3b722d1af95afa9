"""What a recording proves of a conversation."""
