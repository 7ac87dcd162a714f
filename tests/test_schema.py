"""Schemas survive JSON, and nothing else is read as a schema."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_values import JSON
from urerf.schema import CATEGORY, FEATURES, KINDS, NUMBER, WITH_LEVELS, Column, Schema

FIELDS = ("name", "kind", "levels", "reason", "day_first", "is_duration")
GOOD = {
    "name": "color",
    "kind": CATEGORY,
    "levels": ["blue", "red"],
    "reason": "",
    "day_first": None,
    "is_duration": False,
}


@st.composite
def columns(draw):
    kind = draw(st.sampled_from(KINDS))
    levels = draw(st.lists(st.text(), max_size=3)) if kind in WITH_LEVELS else []
    is_duration = draw(st.booleans())
    return Column(draw(st.text()), kind, tuple(levels), draw(st.text()), is_duration=is_duration)


@given(st.lists(columns(), max_size=4))
def test_a_schema_survives_json(entries):
    schema = Schema(tuple(entries))
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


def is_valid(entry) -> bool:
    if not isinstance(entry, dict) or set(entry) != set(FIELDS):
        return False
    name, kind, levels, reason, day_first, is_duration = (entry[field] for field in FIELDS)
    if not isinstance(day_first, (bool, type(None))) or not isinstance(is_duration, bool):
        return False
    if not (isinstance(name, str) and isinstance(reason, str) and isinstance(levels, list)):
        return False
    if not all(isinstance(level, str) for level in levels):
        return False
    return kind in KINDS and (kind in WITH_LEVELS or not levels)


def assert_read_or_refused(entry) -> None:
    if is_valid(entry):
        assert Schema.from_json([entry]).to_json() == [entry]
    else:
        with pytest.raises(ValueError, match=r"^(schema|kind|levels): "):
            Schema.from_json([entry])


@given(field=st.sampled_from(FIELDS), value=JSON | st.sampled_from(KINDS))
def test_any_value_of_a_field_is_read_or_refused(field, value):
    assert_read_or_refused({**GOOD, field: value})


@given(JSON)
def test_any_value_as_a_column_is_refused(value):
    assert_read_or_refused(value)


def test_models_saved_before_durations_were_known_can_be_read():
    entry = {key: value for key, value in GOOD.items() if key != "is_duration"}
    assert Schema.from_json([entry]).to_json() == [GOOD]


@pytest.mark.parametrize("field", FIELDS[:-1])
def test_an_entry_without_a_field_is_refused(field):
    entry = {key: value for key, value in GOOD.items() if key != field}
    with pytest.raises(ValueError, match=r"^schema: .* does not describe a column"):
        Schema.from_json([entry])


def test_an_entry_with_another_field_is_refused():
    with pytest.raises(ValueError, match=r"^schema: .* does not describe a column"):
        Schema.from_json([{**GOOD, "unit": "m"}])


@given(JSON.filter(lambda value: not isinstance(value, list)))
def test_anything_but_a_list_is_refused(value):
    with pytest.raises(ValueError, match=r"^schema: must be a list of columns"):
        Schema.from_json(value)


@pytest.mark.parametrize("kind", KINDS)
def test_only_ordinals_and_categories_have_levels(kind):
    assert Column("a", kind).is_feature == (kind in FEATURES)
    if kind in WITH_LEVELS:
        assert Column("a", kind, ("x",)).levels == ("x",)
    else:
        with pytest.raises(ValueError, match=rf"^levels: column 'a' is a {kind}"):
            Column("a", kind, ("x",))


def test_columns_of_numbers():
    schema = Schema.of_numbers(["b", "a"])
    assert schema.names == ["b", "a"]
    assert {column.kind for column in schema.columns} == {NUMBER}
