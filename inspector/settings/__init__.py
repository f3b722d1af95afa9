"""What the user sets once, in a file of their own."""
