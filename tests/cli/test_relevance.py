import json
import re

import numpy as np
import pytest

from . import FAST, NAMES, N, X, records, succeed


def test_the_columns_are_ranked(data, roles):
    ranked = json.loads(succeed("relevance", data, "--json", *roles, "--jobs", 1).stdout)
    assert {row["column"] for row in ranked[:3]} == set(NAMES[:3])
    assert [row["used"] for row in ranked] == [True] * 3 + [False] * 10
    assert [row["strength"] > 0 for row in ranked] == [True] * 3 + [False] * 10
    assert ranked[0]["reason"] == f"follows {ranked[0]['partner']}"
    assert ranked[0]["test"] == "pairs"
    assert ranked[0]["p_value"] < 1e-6 < 0.01 <= ranked[3]["p_value"]
    assert ranked[0]["partner"] in NAMES[:3]
    as_csv = succeed("relevance", data, "--format", "csv", *roles, "--jobs", 1).stdout
    assert [row["column"] for row in records(as_csv)] == [row["column"] for row in ranked]


def test_text(data, roles, tmp_path):
    text = succeed("relevance", data, "--top", 4, *roles, "--jobs", 1).stdout
    assert text.startswith(f"data.csv: {N} rows, 13 columns. 3 columns depend on each other")
    assert text.count("│ number │") == 4
    assert text.endswith("and 9 more columns, 0 with structure (--top, --format csv)\n")
    succeed("relevance", data, "-o", tmp_path / "r.csv", *roles, "--jobs", 1)
    assert len(records((tmp_path / "r.csv").read_text())) == 13


@pytest.mark.parametrize("columns", [None, "80"])
def test_long_names_are_not_cut(columns, tmp_path, monkeypatch):
    """Of economicActivityMale and economicActivityFemale, the same letters were shown."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    names = ["economicActivityMale", "a_name_that_is_longer_than_what_fits_beside_the_reason"]
    path = tmp_path / "t.csv"
    rows = "\n".join(f"{a},{b}" for a, b in X[:, :2])
    path.write_text(f"{names[0]},{names[1]}\n{rows}")
    text = succeed("relevance", path, "--jobs", 1).stdout
    cells = [line.split("│") for line in text.splitlines() if line.startswith("│")]
    shown = "".join(line[1].strip() for line in cells)
    assert sorted(shown) == sorted("".join(names))


def test_a_category_has_its_plain_name_and_its_kind(tmp_path):
    path = tmp_path / "t.csv"
    low = X[:, 0] < np.median(X[:, 0])
    lines = [f"{a},{b},{'yes' if flag else 'no'}" for (a, b), flag in zip(X[:, :2], low)]
    path.write_text("a,b,low\n" + "\n".join(lines))
    ranked = records(succeed("relevance", path, "--format", "csv", "--jobs", 1).stdout)
    assert {row["column"]: row["kind"] for row in ranked} == {
        "a": "number",
        "b": "number",
        "low": "category",
    }


def test_no_structure_is_not_called_structure(tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in X[:, 3:]))
    text = succeed("relevance", path, "--top", 4, "--jobs", 1).stdout
    assert text.endswith("and 6 more columns, 0 with structure (--top, --format csv)\n")


def test_rows_that_belong_together_can_be_declared(tmp_path):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 10)
    values = 3 * rng.normal(size=(30, 4))[patient] + rng.normal(size=(300, 4))
    lines = ["a,b,c,d,patient"]
    for row, number in zip(values, patient):
        lines.append(",".join([*map(str, row), f"p{number}"]))
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines))
    undeclared = succeed("relevance", path, "--ignore", "patient")
    assert "rows that follow each other are alike" in undeclared.stderr
    assert "depend on each other" in undeclared.stdout
    declared = succeed("relevance", path, "--group", "patient")
    assert "alike" not in declared.stderr
    assert "30 rows examined. No structure found" in declared.stdout
    assert "patient" not in declared.stdout
    path.write_text("\n".join(lines[:101]))  # the first ten patients
    few = succeed("relevance", path, "--group", "patient").stdout
    assert "visits.csv: 100 rows, 4 columns. Too few groups to compare (10)" in few
    path.write_text("\n".join(lines))
    ordered = succeed("relevance", path, "--ordered", "--ignore", "patient")
    assert "alike" not in ordered.stderr


NOTHING = {"noise": (200, 14), "few rows": (10, 5), "two rows": (2, 3), "one column": (50, 1)}


@pytest.mark.parametrize("shape", NOTHING.values(), ids=NOTHING)
def test_no_output_claims_structure_where_there_is_none(tmp_path, shape):
    values = np.random.default_rng(0).normal(size=shape)
    path = tmp_path / "nothing.csv"
    names = ",".join(f"c{i}" for i in range(shape[1]))
    np.savetxt(path, values, delimiter=",", header=names, comments="")
    text = succeed("relevance", path).stdout
    assert "depend on each other." not in text
    assert "fall into groups" not in text
    ranked = json.loads(succeed("relevance", path, "--json").stdout)
    assert [column["strength"] for column in ranked] == [0] * shape[1]
    model = tmp_path / "model.urerf"
    facts = json.loads(succeed("fit", path, "-o", model, "--json", *FAST).stdout)
    assert facts["structure"] == 0
    report = tmp_path / "report.html"
    told = succeed("report", path, "-k", 1, "-o", report, *FAST).stdout
    page = report.read_text(encoding="utf-8")
    for output in (told, page):
        text = re.sub("<[^>]*>", " ", output)
        claims = re.findall(r"(\d+)(?: of \d+)?\s+columns? carr", text)
        assert set(claims) <= {"0"}


def test_columns_that_were_not_tested_have_no_figures(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("height,weight\n" + "\n".join(f"{i**2},{i**3}" for i in range(12)))
    text = succeed("relevance", path).stdout
    report = tmp_path / "report.html"
    succeed("report", path, "-k", 1, "-o", report, *FAST)
    page = report.read_text(encoding="utf-8")
    for name in ("height", "weight"):
        assert re.search(rf"│ {name} +│ number │ yes +│ +- │ +- │ too few rows to tell", text)
        cells = re.search(rf'<th scope="row">{name}</th>(.*?)</tr>', page).group(1)
        assert cells.count('<td class="number">-</td>') == 2
