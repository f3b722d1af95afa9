"""Token counts, prices, ledgers and the prompt cache, each number with its origin."""
