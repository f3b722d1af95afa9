"""What the messages before a cut support: values, acts, and who said what."""
