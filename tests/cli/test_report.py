import json

from . import FAST, K, N, succeed


def test_report(data, roles, tmp_path):
    out = tmp_path / "r.html"
    result = succeed("report", data, "-k", K, "-o", out, *roles, *FAST)
    assert f"r.html: {N} rows, 3 of 13 columns carry structure (" in result.stdout
    page = out.read_text()
    assert "<h1>data.csv</h1>" in page
    assert "of neighbors share kind (Euclidean" in page  # the label is called by its column


def test_json_summary(data, roles, tmp_path):
    out = tmp_path / "r.html"
    facts = json.loads(succeed("report", data, "-o", out, "--json", *roles, *FAST).stdout)
    assert (facts["rows"], facts["columns"], facts["structure"]) == (N, 13, 3)
    assert facts["components"] >= 1


def test_without_relevance_no_column_is_said_to_carry_structure(data, roles, tmp_path):
    uniform = ["--weighting", "uniform"]
    out = ["-o", tmp_path / "r.html"]
    result = succeed("report", data, *out, *uniform, *roles, *FAST)
    assert "13 columns, all used equally" in result.stdout
    facts = json.loads(succeed("report", data, *out, "--json", *uniform, *roles, *FAST).stdout)
    assert facts["structure"] is None


def test_more_neighbors_than_rows_become_all_rows_with_a_notice(data, roles, tmp_path):
    out = tmp_path / "r.html"
    result = succeed("report", data, "-k", 5000, "-o", out, *roles, *FAST)
    assert f"the table has only {N} rows, so the report shows {N - 1} neighbors" in result.stderr
    assert out.exists()
