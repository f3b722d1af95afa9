"""What the user sets once, what the app remembers, and how the user is called (bell, desktop)."""
