"""The subcommands of ``heliograph``, a file for each kind; ``cli.py`` puts them together."""
