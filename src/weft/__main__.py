"""``python -m weft`` is the command ``weft``, for shells that do not find it."""

from weft.apps.cli import main

if __name__ == "__main__":
    main()
