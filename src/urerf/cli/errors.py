"""The exit codes of all commands, and the one place where errors become messages.

====  ==============================================================================
code  meaning
====  ==============================================================================
0     the command did what it was asked to do
1     the work failed: a file cannot be read or written, the data cannot be used, or
      an optional package is missing
2     the command line is wrong: an unknown command, option or name (a method, a data
      set, an experiment, a column, a file format), a value out of range, or options
      that exclude each other
130   interrupted by Ctrl-C
====  ==============================================================================

A command raises the library's errors or `WrongUsage`; it never prints an error or chooses an exit
code itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import typer

from urerf._messages import UnknownNameError

from .help import PlainGroup

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130

# Errors that users can cause. Any other is a fault of the program and shows its traceback.
EXPECTED = (ValueError, TypeError, OSError, ImportError)


class WrongUsage(ValueError):
    """Options that exclude each other."""


class OneLineErrors(PlainGroup):
    """Commands that report an expected error in one line on stderr.

    Errors that Typer finds itself, such as unknown options, keep Typer's format.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the program that read our output has ended
            raise
        except KeyboardInterrupt:
            _fail("stopped", INTERRUPTED)
        except EXPECTED as error:
            if ctx.params.get("traceback"):
                raise
            is_usage = isinstance(error, (WrongUsage, UnknownNameError))
            _fail(str(error), WRONG_USAGE if is_usage else FAILED)


@contextlib.contextmanager
def resumable() -> Iterator[None]:
    """Within this block, Ctrl-C keeps what is computed, and the message says so."""
    try:
        yield
    except KeyboardInterrupt:
        _fail("stopped; run the same command again to continue", INTERRUPTED)


def one_line(text: str) -> str:
    r"""Return text as one line that a terminal shows as it is: files may contain anything.

    >>> one_line("two\nlines \x1b[31mred")
    'two lines \\x1b[31mred'
    """
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in words)


def _fail(message: str, code: int) -> None:
    typer.echo(f"urerf: {one_line(message)}", err=True)
    raise typer.Exit(code) from None
