"""The answer in one sentence, and what helps."""
