"""One module or one room a screen, with its .tcss beside it."""
