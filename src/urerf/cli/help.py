"""Help in the words of users: no types of Python, such as <bool> or <list[str]>."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

# What is shown in place of a type that recent versions of Typer would show.
WORDS = {
    "<bool>": "",
    "<int>": "N",
    "<int range>": "N",
    "<float>": "X",
    "<float range>": "X",
    "<str>": "TEXT",
    "<path>": "PATH",
}


class PlainCommand(TyperCommand):
    """A command with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without types of Python."""
        return [without_type(parameter) for parameter in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line: FILE instead of {FILE}."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class PlainGroup(TyperGroup):
    """A group of commands with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without types of Python."""
        return [without_type(parameter) for parameter in super().get_params(ctx)]


def without_type(parameter: Any) -> Any:
    """Let a parameter show a word in place of its type; older versions of Typer do so anyway."""
    kind = getattr(parameter, "display_type_rich", None)
    if kind is not None and not isinstance(kind, partial):
        parameter.display_type_rich = partial(_word, parameter, kind)
    return parameter


def _word(parameter: Any, kind: Any, ctx: Any) -> str:
    if isinstance(parameter, TyperArgument):
        return ""  # its name, such as FILE, says it
    text = str(kind(ctx) or "")
    return WORDS.get(text, text)
