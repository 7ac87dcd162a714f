"""Write the stored model of a release: `python tests/data/models/make.py VERSION`.

The model is fitted on every fifth penguin, with categories and missing values. Beside it is a JSON
file with new rows and the answers that the model gave, which later versions must repeat.
"""

import json
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd

from urerf import URerF

FOLDER = Path(__file__).parent
K = 5


def answers(model: URerF, rows: pd.DataFrame) -> dict:
    """Return the neighbors of the fitted rows and of new rows, and the relevance of columns."""
    distances, indices = model.kneighbors(n_neighbors=K)
    new_distances, new_indices = model.kneighbors(rows, n_neighbors=K)
    return {
        "distances": distances.tolist(),
        "indices": indices.tolist(),
        "new_distances": new_distances.tolist(),
        "new_indices": new_indices.tolist(),
        "relevance": model.feature_relevance_.tolist(),
    }


def main(version: str) -> None:
    """Fit, save, and write down the answers."""
    table = pd.read_csv(files("urerf") / "data" / "penguins" / "penguins.csv")
    features = table.drop(columns="species")
    model = URerF(n_estimators=20, random_state=0).fit(features.iloc[::5])
    model.save(FOLDER / f"{version}.urerf")
    rows = features.iloc[1:340:40]
    record = {"rows": json.loads(rows.to_json(orient="records")), **answers(model, rows)}
    text = json.dumps(record, indent=None, separators=(",", ":"))
    (FOLDER / f"{version}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
