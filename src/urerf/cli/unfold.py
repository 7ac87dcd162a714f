"""Groups of options as dataclasses: Typer itself expects every option to be a parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

from .overwriting import refuse_overwriting


def unfold(command: Callable[..., None]) -> Callable[..., None]:
    """Replace parameters that are dataclasses by their fields, as Typer sees the command."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    options: dict[str, list[inspect.Parameter]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if is_dataclass(hint):
            groups[name] = hint
            options[name] = _options(hint)
            parameters += options[name]
        else:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hint, kind=keyword))

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            settings = {option.name: values.pop(option.name) for option in options[name]}
            values[name] = group(**settings)
        refuse_overwriting(values)
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _options(group: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as parameters of a function."""
    hints = get_type_hints(group, include_extras=True)
    options = []
    for field in fields(group):
        if not field.init:
            continue
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        option = inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=hints[field.name],
        )
        options.append(option)
    return options
