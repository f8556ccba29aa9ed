"""The program `pccsql`, as it is in the package: `python -m pccsql check …`."""

from __future__ import annotations

import os
import sys

from ._library import PACKAGE


def main() -> None:
    """Becomes the program, with this process's arguments."""
    program = PACKAGE / "program" / "bin" / "pccsql"
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"pccsql: the program of this package cannot be started: {problem.strerror}")


if __name__ == "__main__":
    main()
