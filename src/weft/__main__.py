"""The command `weft`, also ``python -m weft``: what must hold before anything else is imported."""

import io
import os
import signal
import sys

STREAMS = (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY))
"""How a closed stream is opened, on nothing: writing to standard output then fails as it does on a closed one."""


OF_A_MODEL = ("predict", "evaluate", "report")
"""Commands whose first argument is a model; with help asked for, they show it."""


class _Tolerant(io.FileIO):
    """Standard error that nobody hears is no reason to stop."""

    def write(self, data):  # type: ignore[no-untyped-def]
        """Write what can be written."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def main() -> None:
    """Run the command line and exit."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Commands take interrupts over; while modules are imported there is nothing to tell and to clean up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for number, (name, flags) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            # The lowest free number is this one. Otherwise the next file to be opened would be taken for the stream.
            os.open(os.devnull, flags)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    raw = _Tolerant(2, "w", closefd=False)
    sys.stderr = io.TextIOWrapper(raw, sys.stderr.encoding, "backslashreplace", write_through=True)

    _refuse_missing_model(sys.argv[1:])

    from weft.apps import cli

    cli.main()


def _refuse_missing_model(arguments: list[str]) -> None:
    """Say so at once if the model is not there; to import a command line and arrays for that takes half a second."""
    if len(arguments) < 2 or arguments[0] not in OF_A_MODEL or {"-h", "--help"} & set(arguments):
        return
    if not arguments[1].startswith("-"):
        from weft.errors import ModelFileError, unreadable
        from weft.models import model_path

        try:
            path = model_path(arguments[1])
            try:
                path.open("rb").close()
            except (OSError, ValueError) as error:
                raise unreadable(arguments[1], error) from error
        except ModelFileError as error:
            print("weft:", " ".join(str(error).split()), file=sys.stderr)
            sys.exit(2)


if __name__ == "__main__":
    main()
