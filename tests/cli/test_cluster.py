"""`urerf cluster`: the clusters of the library."""

import json

import numpy as np
import pytest

from urerf.datasets import add_noise, make_gaussian_mixture

from . import FAST, records, run, succeed

MIXTURE = make_gaussian_mixture(150, random_state=0)


@pytest.fixture
def groups(tmp_path):
    """Three groups among noise columns."""
    X = add_noise(MIXTURE.X, 5, random_state=0)
    lines = ["group," + ",".join(f"x{i}" for i in range(X.shape[1]))]
    for label, row in zip(MIXTURE.labels, X):
        lines.append(f"g{label}," + ",".join(map(str, row)))
    path = tmp_path / "groups.csv"
    path.write_text("\n".join(lines))
    return path


def test_clusters_are_the_groups(groups, tmp_path):
    out = tmp_path / "clusters.csv"
    result = succeed("cluster", groups, "--label", "group", "-o", out, "--json", *FAST)
    facts = json.loads(result.stdout)
    assert facts["rows"] == 150
    assert facts["clusters"] >= 2
    rows = records(out.read_text())
    assert list(rows[0]) == ["row", "cluster", "label"]
    for number in range(facts["clusters"]):
        labels = [row["label"] for row in rows if row["cluster"] == str(number)]
        most = max(labels.count(label) for label in set(labels))
        assert most > 0.9 * len(labels)
    outside = sum(row["cluster"] == "-1" for row in rows)
    assert outside == facts["outside"]


def test_people_see_sizes_and_labels(groups):
    text = succeed("cluster", groups, "--label", "group", *FAST).stdout
    assert "clusters in 150 rows" in text
    assert "g0 " in text


def test_a_smallest_cluster_larger_than_the_table_is_refused_before_the_work(groups):
    result = run("cluster", groups, "--min-size", 500, *FAST)
    assert result.exit_code == 2
    assert "--min-size: must be at most 150, the number of rows, got 500" in result.stderr


def test_rows_without_a_label_are_counted_as_missing(groups):
    lines = groups.read_text().splitlines()
    unlabeled = [line.removeprefix("g0") for line in lines[1:]]
    groups.write_text("\n".join([lines[0], *unlabeled]))
    result = succeed("cluster", groups, "--label", "group", *FAST)
    assert "missing " in result.stdout
    assert "clusters need not be separate groups" in result.stdout


def test_noise_has_no_clusters(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 4))
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in X))
    text = succeed("cluster", path, "-q", *FAST).stdout
    assert text == (
        "noise.csv: no clusters in 60 rows\n"
        "no structure was found in the table, so no clusters were sought\n"
    )


@pytest.mark.parametrize(
    ("command", "consequence"),
    [
        ("cluster", "so no clusters were sought"),
        ("outliers", "so rows are compared in all columns"),
    ],
)
def test_a_table_that_was_not_tested_is_not_said_to_have_no_structure(
    tmp_path, command, consequence
):
    path = tmp_path / "one.csv"
    path.write_text("weight\n" + "\n".join(str(value**2) for value in range(30)))
    text = succeed(command, path, "-q", *FAST).stdout
    reason = "the table has too few rows or columns to find structure"
    assert text.endswith(f"\n{reason}, {consequence}\n")
    fitted = succeed("fit", path, "-o", tmp_path / "model.urerf", *FAST).stdout
    assert "30 rows; 1 column, too few rows or columns to find structure" in fitted


def test_leiden_assigns_every_row(groups):
    for package in ("leidenalg", "igraph"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    rows = json.loads(succeed("cluster", groups, "--method", "leiden", "--json", *FAST).stdout)
    assert min(row["cluster"] for row in rows) == 0


def test_leiden_that_is_not_installed_says_so(groups, monkeypatch):
    monkeypatch.setattr("urerf.leiden.find_spec", lambda name: None)
    result = run("cluster", groups, "--method", "leiden")
    assert result.exit_code == 1
    assert "leiden: needs leidenalg and igraph, which are licensed under the GPL" in result.stderr


def test_an_unknown_method_is_wrong_usage(groups):
    result = run("cluster", groups, "--method", "kmeans")
    assert result.exit_code == 2
    assert "method: must be one of 'hdbscan', 'leiden', got 'kmeans'" in result.stderr
