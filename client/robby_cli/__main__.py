"""`python -m robby_cli`: the same as the command `robby`."""

from robby_cli.main import main

if __name__ == "__main__":
    main()
