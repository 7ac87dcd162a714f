import pytest

from urerf._messages import UnknownNameError
from urerf.files import read_files
from urerf.files.options import ColumnOptions, ReadOptions, named_columns

NAMES = ["item_1", "item_2", "item*", "size", "a.b", "a=b"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("size", ["size"]),
        ("item*", ["item*"]),  # a name is not a pattern
        ("item_*", ["item_1", "item_2"]),
        ("*_1", ["item_1"]),
        ("a.*", ["a.b"]),  # a dot is a dot
        ("*", NAMES),
    ],
)
def test_a_star_stands_for_any_part_of_a_name(name, columns):
    assert named_columns("--ignore", name, NAMES, "x.csv") == columns


@pytest.mark.parametrize("name", ["items*", "a.?", "*.c"])
def test_a_pattern_without_a_column_is_refused(name):
    with pytest.raises(UnknownNameError, match=r"^--ignore: x\.csv has no column "):
        named_columns("--ignore", name, NAMES, "x.csv")


def test_labels_and_groups_are_one_column():
    for options in (ColumnOptions(label="item_*"), ColumnOptions(group="item_*")):
        with pytest.raises(UnknownNameError, match=r"x\.csv has no column 'item_\*'"):
            options.resolve(NAMES, "x.csv")


def test_a_column_of_a_pattern_is_declared_once():
    options = ColumnOptions(ordinal=("item_*=no,yes",), ignore=("item_2",))
    with pytest.raises(UnknownNameError, match="column 'item_2' is also in --ordinal"):
        options.resolve(NAMES, "x.csv")


def test_the_first_column_of_a_pattern_names_the_rows(tmp_path):
    path = tmp_path / "plants.csv"
    rows = [f"{i / 7},{i % 5},p{i},q{i}" for i in range(20)]
    path.write_text("\n".join(["x,y,plant_name,plant_code", *rows]))
    data = read_files([path], ColumnOptions(id=("plant_*",)))
    assert data.ids == [f"p{i}" for i in range(20)]
    kinds = [column.kind for column in data.frame.schema.columns]
    assert kinds == ["number", "number", "id", "id"]


def test_all_items_of_a_questionnaire_are_declared_at_once(tmp_path):
    path = tmp_path / "survey.csv"
    answers = ["never", "sometimes", "always", "unknown"]
    rows = [f"{answers[i % 4]},{answers[i // 4 % 4]},{i % 7}" for i in range(16)]
    path.write_text("\n".join(["q1,q2,size", *rows]))
    columns = ColumnOptions(ordinal=("q*=never,sometimes,always",))
    data = read_files([path], columns, ReadOptions(na=["q*=unknown"]))
    by_name = {column.name: column for column in data.frame.schema.columns}
    for name in ("q1", "q2"):
        assert by_name[name].kind == "ordinal"
        assert by_name[name].levels == ("never", "sometimes", "always")
    assert by_name["size"].kind == "number"
