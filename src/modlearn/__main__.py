"""`python -m modlearn` is the command `modlearn`."""

from modlearn.cli import main

if __name__ == "__main__":
    main()
