"""Session databases, read-only: location, schema, reader, lineage, generations, search."""
