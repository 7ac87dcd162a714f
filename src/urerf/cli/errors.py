"""The exit codes of all commands, and the one place where errors become messages.

====  ==============================================================================
code  meaning
====  ==============================================================================
0     the command did what it was asked to do
1     the command failed: a file cannot be read or written, the data cannot be used, or
      an optional package is missing
2     the command line is wrong: an unknown command, option or name (a method, a data
      set, an experiment, a column, a file format), a value out of range, or options
      that exclude each other
130   interrupted by Ctrl-C
143   ended by SIGTERM (128 plus the number of the signal)
====  ==============================================================================

A command raises the library's errors or `WrongUsage`; it never prints an error or chooses an exit
code itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import typer

from urerf._messages import UnknownNameError, one_line

from .help import PlainGroup
from .signals import Terminated, signals_as_exceptions

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
SIGNALED = 128

# Errors that users can cause. Any other is a fault of the program and shows its traceback.
EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)


class WrongUsage(ValueError):
    """Options that exclude each other."""


class OneLineErrors(PlainGroup):
    """Commands that report an expected error in one line on stderr.

    Errors that Typer finds itself, such as unknown options, keep Typer's format.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with signals_as_exceptions():
                return super().invoke(ctx)
        except BrokenPipeError:  # the program that read our output has ended
            raise
        except KeyboardInterrupt:
            _fail("stopped", INTERRUPTED)
        except Terminated as ended:
            _fail("terminated", SIGNALED + ended.args[0])
        except EXPECTED as error:
            if ctx.params.get("traceback"):
                raise
            is_usage = isinstance(error, (WrongUsage, UnknownNameError))
            _fail(_message(error), WRONG_USAGE if is_usage else FAILED)


@contextlib.contextmanager
def resumable() -> Iterator[None]:
    """Within this block, Ctrl-C keeps what is computed, and the message says so."""
    try:
        yield
    except KeyboardInterrupt:
        _fail("stopped; run the same command again to continue", INTERRUPTED)


def _message(error: BaseException) -> str:
    """Return what an error says; an empty one, such as that of a full memory, by its name."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, OSError) and error.filename and error.strerror:
        reason = error.strerror[:1].lower() + error.strerror[1:]
        return f"{error.filename}: {reason}"
    return str(error) or type(error).__name__


def _fail(message: str, code: int) -> None:
    typer.echo(f"urerf: {one_line(message)}", err=True)
    raise typer.Exit(code) from None
