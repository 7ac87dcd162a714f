"""The numbers of recorded runs, in `record.json`, and the docs page made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "record.json"


def load() -> dict[str, Any]:
    """Return all numbers."""
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def save(numbers: dict[str, Any]) -> None:
    """Replace all numbers."""
    PATH.write_text(json.dumps(numbers, indent=1, sort_keys=True) + "\n")


def add_fuzz(target: str, n_inputs: int, seconds: float, n_faults: int) -> None:
    """Add a run of a fuzzer: several runs add up."""
    numbers = load()
    runs = numbers.setdefault("fuzz", {})
    old = runs.get(target, {"inputs": 0, "seconds": 0, "faults": 0})
    runs[target] = {
        "inputs": old["inputs"] + n_inputs,
        "seconds": round(old["seconds"] + seconds),
        "faults": old["faults"] + n_faults,
    }
    save(numbers)
