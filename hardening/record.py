"""The numbers of recorded runs, in `record.json`, and the docs page made from them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "record.json"


def load() -> dict[str, Any]:
    """Return all numbers."""
    return json.loads(PATH.read_text())


def save(kind: str, numbers: dict[str, Any]) -> None:
    """Replace the numbers of one kind of run."""
    everything = {**load(), kind: numbers}
    PATH.write_text(json.dumps(everything, indent=1, sort_keys=True) + "\n")


def add_fuzz(target: str, n_inputs: int, seconds: float, n_faults: int) -> None:
    """Add a run of a fuzzer: several runs add up."""
    runs = load()["fuzz"]
    total = Counter(runs.get(target, {}))
    total.update(inputs=n_inputs, seconds=round(seconds), faults=n_faults)
    save("fuzz", {**runs, target: total})
