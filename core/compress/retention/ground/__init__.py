"""What the messages before a cut bear out: values, acts, and who said what."""
