"""What the user sets, what the app remembers, and how it alerts the user (bell, desktop)."""
