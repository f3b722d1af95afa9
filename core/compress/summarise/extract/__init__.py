"""The parts of the offline summariser: facts, selection within a budget, sections."""
