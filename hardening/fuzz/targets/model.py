"""Model files with right checksums and wrong content: refused, or they answer questions."""

from __future__ import annotations

import copy
import functools
import json
import tempfile
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from hardening.fuzz.mutate import EDGES, mutate
from hardening.fuzz.targets.fit import in_unit_interval
from urerf import URerF, storage

VALUES = [None, True, -1, 0, 1, 2, 7, 1e300, 2**63, "", "auto", "x" * 200, [], {}, [1], {"a": 1}]
X = np.random.default_rng(0).normal(size=(40, 4))


class Models:
    """Three models, changed at random."""

    name = "model"

    def prepare(self) -> None:
        """Fit the models."""
        assert self.models

    @functools.cached_property
    def models(self) -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
        """Headers and arrays of model files."""
        gaps = X.copy()
        gaps[::7, 1] = np.nan
        kinds = np.column_stack([X[:, :2], np.arange(40) % 3, np.arange(40) % 2])
        few_rows = URerF(n_estimators=3, max_samples=12, random_state=0)
        of_kinds = URerF(n_estimators=3, column_kinds={2: "category"}, random_state=0)
        of_paper = URerF.paper(n_estimators=2, random_state=0)
        models = [few_rows.fit(gaps), of_kinds.fit(kinds), of_paper.fit(X)]
        return [_content(model) for model in models]

    def make(self, rng: Random) -> bytes:
        """Return a model file."""
        header, arrays = copy.deepcopy(rng.choice(self.models))
        for _ in range(rng.choice((1, 1, 2, 4))):
            if rng.random() < 0.4:
                _change_header(header, rng)
            else:
                _change_array(arrays, rng)
        content = _file(header, arrays)
        if rng.random() < 0.1:
            content = with_checksum(mutate(content[:-32], rng))
        return content

    def check(self, content: bytes, folder: Path) -> None:
        """Load the model and ask it everything."""
        path = folder / "input.urerf"
        path.write_bytes(content)
        try:
            model = URerF.load(path)
        except ValueError as error:
            assert str(error).startswith("path: ")
            return
        _ask(model, path)


def _ask(model: URerF, path: Path) -> None:
    n = model.n_samples_fit_
    distances, indices = model.kneighbors(n_neighbors=min(3, n - 1))
    assert in_unit_interval(distances)
    assert indices.min() >= 0
    assert indices.max() < n
    assert model.feature_weights_.shape == (model.n_features_in_,)
    if model.n_features_in_ < 1000:
        new = np.zeros((2, model.n_features_in_))
        for question in (model.apply, model.transform, model.proximity):
            try:
                question(new)
            except ValueError as error:  # such as more neighbors than rows
                assert str(error).split(":")[0] in ("n_neighbors", "X", "proximity"), error
    model.save(path)


def _content(model: URerF) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        model.save(path)
        return storage.read(path)


def _file(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    listing = []
    for name, array in arrays.items():
        listing.append({"name": name, "dtype": array.dtype.name, "shape": array.shape})
    text = json.dumps({**header, "format": storage.FORMAT, "arrays": listing}).encode()
    body = storage.MAGIC + len(text).to_bytes(8, "little") + text
    for array in arrays.values():
        body += array.tobytes()
    return with_checksum(body)


def with_checksum(body: bytes) -> bytes:
    """Return a model file with the right checksum at its end."""
    return body + sha256(body).digest()


def _change_header(header: dict[str, Any], rng: Random) -> None:
    """Change one value, at any depth."""
    place: Any = header
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        if not keys:
            return
        key = rng.choice(keys)
        if not isinstance(place[key], (dict, list)) or rng.random() < 0.3:
            break
        place = place[key]
    if rng.random() < 0.2 and isinstance(place, dict):
        del place[key]
    else:
        place[key] = copy.deepcopy(rng.choice(VALUES))


def _change_array(arrays: dict[str, np.ndarray], rng: Random) -> None:
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.random()
    if kind < 0.7 and array.size:
        value = _odd_value(array.dtype, rng)
        array.flat[rng.randrange(array.size)] = value
    elif kind < 0.9:
        start = array[: rng.randrange(len(array) + 1)]
        arrays[name] = start if kind < 0.8 else np.concatenate([array, start])
    else:
        other = rng.choice(["float32", "float64", "int8", "int32", "int64", "uint64", "bool"])
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(other)


def _odd_value(dtype: np.dtype, rng: Random) -> Any:
    value = rng.choice([*EDGES, rng.randrange(-3, 60)])
    if dtype.kind == "f":
        return rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, float(value)])
    bits = np.array(value % 2**64, dtype=np.uint64)
    return bits.astype(dtype)
