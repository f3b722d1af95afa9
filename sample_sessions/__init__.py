"""Made-up conversations of every kind the inspector must explain, and the home built from them.

`scenarios/` has them as text; `build` plays them into a HERMES_HOME (databases, config.yaml, logs), and
`demo_home` keeps one such home in the user's cache directory.
"""
