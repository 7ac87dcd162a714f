"""Options that commands share, as the fields of a session: Typer expects them as parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from .overwriting import refuse_overwriting


def unfold(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``session`` by the fields of its class, as Typer sees the command."""
    own_hints = get_type_hints(command, include_extras=True)
    session = own_hints["session"]
    hints = {**own_hints, **get_type_hints(session, include_extras=True)}
    shared = {field.name: _default(field) for field in fields(session) if field.init}
    own = inspect.signature(command).parameters
    defaults = {name: parameter.default for name, parameter in own.items()}
    del defaults["session"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = []
    for name, default in {**defaults, **shared}.items():
        parameter = inspect.Parameter(name, keyword, default=default, annotation=hints[name])
        parameters.append(parameter)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        refuse_overwriting(values)
        settings = {name: values.pop(name) for name in shared}
        command(**values, session=session(**settings))

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _default(field: Field) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
