"""`python -m echo_notes` is the console script."""

from echo_notes.cli.main import main

main()
