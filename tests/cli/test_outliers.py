"""`urerf outliers`: the scores of the library, the most unusual rows first."""

import json

import numpy as np

from urerf import outlier_score
from urerf.cli.outliers import values_in_words
from urerf.files import FileData
from urerf.schema import Frame, Schema

from . import FAST, N, records, succeed


def test_scores_are_those_of_the_library(data, roles, tmp_path, expected):
    out = tmp_path / "scores.csv"
    result = succeed("outliers", data, "-o", out, *roles, *FAST)
    assert f"scores.csv: scores of {N} rows" in result.stdout
    rows = records(out.read_text())
    scores = outlier_score(expected)
    order = np.argsort(-scores, kind="stable")
    assert [row["row"] for row in rows] == [f"r{i}" for i in order]
    np.testing.assert_allclose([float(row["score"]) for row in rows], scores[order], rtol=1e-5)
    assert {row["label"] for row in rows} == {"a", "b"}
    for row in rows:
        assert row["score"] in (row["far"], row["apart"])


def test_people_see_the_first_rows_and_why(data, roles, expected):
    text = succeed("outliers", data, "--top", 3, *roles, *FAST).stdout
    first = int(np.argmax(outlier_score(expected)))
    assert f"r{first} " in text
    assert "far from its nearest rows" in text or "apart from all rows" in text
    assert f"and {N - 3} more rows" in text


def test_json_lists_every_row(data, roles):
    rows = json.loads(succeed("outliers", data, "--json", *roles, *FAST).stdout)
    assert len(rows) == N
    assert set(rows[0]) == {"row", "score", "far", "apart", "label"}


def test_typical_rows_have_no_reason_and_noise_is_told(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 4))
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in X))
    text = succeed("outliers", path, "-q", "--top", 60, *FAST).stdout
    lines = [line.split("│") for line in text.splitlines() if line.startswith("│")]
    assert len(lines) == 60
    for _, _, score, reason, values, _ in lines:
        assert (float(score) > 0) == bool(reason.strip()) == bool(values.strip())
    assert float(lines[-1][2]) <= 0
    assert "-0.0" not in [line[2].strip() for line in lines]
    assert text.endswith(
        "\nno structure was found in the table, so rows are compared in all columns\n"
    )


def test_one_row_more_is_singular(data, roles):
    text = succeed("outliers", data, "--top", N - 1, *roles, *FAST).stdout
    assert "and 1 more row (" in text


def test_numbers_of_rows_are_told_to_begin_at_0(data, roles, tmp_path):
    path = tmp_path / "counted.csv"
    path.write_text("record,x\n" + "\n".join(f"{i + 1},{i % 7}.5" for i in range(30)))
    text = succeed("outliers", path, "-q", *FAST).stdout
    assert text.startswith(
        "counted.csv: 30 rows, the most unusual first (rows are numbered from 0)\n"
    )
    named = succeed("outliers", data, *roles, *FAST).stdout
    assert "numbered from 0" not in named


def test_more_neighbors_than_rows_are_reduced_with_a_notice(data, roles):
    result = succeed("outliers", data, "-k", N, "--top", 1, *roles, *FAST)
    assert f"there are only {N - 1} other rows" in result.stderr


def test_a_row_without_values_is_said_to_have_none(tmp_path):
    x = np.random.default_rng(0).normal(size=60)
    path = tmp_path / "gap.csv"
    lines = [f"{value},{2 * value}" for value in x]
    lines[7] = "NA,NA"
    path.write_text("\n".join(["a,b", *lines]))
    text = succeed("outliers", path, "-q", "--top", 1, *FAST).stdout
    assert "│ 7 " in text
    assert "│ no value in the columns used │" in text


def test_a_row_that_no_single_column_sets_apart_is_said_to_have_none():
    frame = Frame(np.array([[1.0, 2.0], [np.nan, 2.0]]), Schema.of_numbers(["a", "b"]))
    data = FileData(frame, np.arange(2), None, None, "data.csv", [])
    none = np.array([-1, -1])
    used = np.array([True, False])
    assert values_in_words(data, 0, np.array([1, -1]), used) == "b 2"
    assert values_in_words(data, 0, none, used) == "no single column"
    assert values_in_words(data, 1, none, used) == "no value in the columns used"
