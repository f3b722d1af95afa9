"""Session databases, read-only: locate, schema, reader, lineage, generations, search."""
