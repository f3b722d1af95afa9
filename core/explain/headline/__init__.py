"""Headlines: the answer in one sentence, and what helps."""
