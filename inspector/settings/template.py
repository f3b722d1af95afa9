"""How a new file of settings begins: every setting, commented out."""

TEMPLATE = """\
# Settings of Hermes Inspector. `hermes-inspector config check` says whether they can be used.

# theme: hermes-light          # hermes-dark, hermes-contrast, hermes-light, hermes-safe

# homes:
#   default: ~/.hermes         # --home and $HERMES_HOME go before it
#   profile: research          # all of them when not set

# keys:                        # a command and its key, or a list of keys
#   sessions.sort: o

# alerts:
#   context: 0.8               # `watch` tells when this share of the context is used
#   cache_break: 0.10          # US dollars; a dearer cache break calls you
#   bell: true                 # how you are called: the terminal's bell
#   desktop: false             # and a notification on the desktop, with hermes-inspector[notify]

# budgets:
#   today: 5                   # US dollars of a day that `watch` tells of

# summariser:                  # who writes the summary of `compress`
#   name: openai               # extractive, faithful, static: offline; anthropic, openai: you are asked first
#   model: qwen3
#   base_url: http://127.0.0.1:11434/v1

# privacy:
#   send: never                # ask: endpoint and price are named first; never: nothing leaves this machine
"""
