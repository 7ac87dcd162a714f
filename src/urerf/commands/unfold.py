"""Options that several commands share are the fields of a dataclass; Typer wants every option as a parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def unfold(command: Callable[..., None]) -> Callable[..., None]:
    """Show Typer, in place of a command's parameters that are dataclasses of options, the options in them."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    options: dict[str, list[inspect.Parameter]] = {
        name: _options(kind) for name, kind in groups.items()
    }
    shown: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        alone = parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        shown += options.get(name, [alone])

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{option.name: given.pop(option.name) for option in options[name]})
        command(**given)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in shown}
    return run


def _options(kind: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as parameters of a function."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for f in fields(kind):
        if f.init:
            default = f.default if f.default_factory is MISSING else f.default_factory()
            option = inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=default)
            found.append(option.replace(annotation=hints[f.name]))
    return found
