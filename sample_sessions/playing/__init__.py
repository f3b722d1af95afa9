"""A scenario played on a stage: rows are written, models are called, Hermes compresses and logs."""
