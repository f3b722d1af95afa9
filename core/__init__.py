"""What is true about Hermes sessions: no drawing, no printing, no network unless asked."""
