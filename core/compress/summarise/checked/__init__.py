"""A model's summary held against the messages: what nothing bears out is corrected or taken out."""
