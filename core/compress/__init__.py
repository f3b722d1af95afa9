"""What compression would do: estimate, prune, partition, summarise, assemble."""
