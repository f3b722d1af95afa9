"""The offline summariser's parts: facts, selection under a budget, sections."""
