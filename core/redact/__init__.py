"""Takes credentials out of text before it leaves, is summarised, shown or exported.

A credential is replaced by `[redacted:KIND]`: nothing of it is kept, the reader still sees what stood there,
and running again changes nothing. What counts as a credential is data, in the YAML files beside this one.
"""
