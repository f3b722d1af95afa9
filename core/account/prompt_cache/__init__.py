"""The prompt cache: breakpoints of requests, hits of calls, breaks with their causes, and costs."""
