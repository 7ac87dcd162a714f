"""Checks of single arguments."""

import numpy as np
import pytest

from urerf._checks import check_bool, check_choice, check_int, check_integers
from urerf._messages import UnknownNameError


@pytest.mark.parametrize("value", [1, 7, np.int8(3), np.uint64(5)])
def test_integers_of_any_type_become_ints(value):
    checked = check_int("k", value, 1, high=7)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, np.array([1])])
def test_what_is_not_an_integer_is_refused(value):
    with pytest.raises(TypeError, match=r"^k: must be an integer, got "):
        check_int("k", value, 0)


def test_integers_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"^k: must be at least 1, got 0$"):
        check_int("k", 0, 1)
    with pytest.raises(ValueError, match=r"^k: must be at most 2147483647, got 2147483648$"):
        check_int("k", 2**31, 1)


@pytest.mark.parametrize("rows", [[3], np.array([3], dtype=np.uint8), range(3, 4)])
def test_rows_become_an_array_of_positions(rows):
    positions = check_integers("rows", rows, 0, 3)
    assert positions.tolist() == [3]
    assert positions.dtype == np.intp
    with pytest.raises(ValueError, match=r"^rows: must lie between 0 and 2, got 3$"):
        check_integers("rows", rows, 0, 2)


def test_a_mask_instead_of_positions_is_refused_in_one_short_line():
    with pytest.raises(TypeError, match=r"^rows: must be integers.*np\.flatnonzero") as e:
        check_integers("rows", np.ones(500, dtype=bool), 0, 499)
    assert len(str(e.value)) < 200


def test_only_bools_are_bools():
    assert check_bool("flag", np.True_) is True
    with pytest.raises(TypeError, match=r"^flag: must be True or False, got 1$"):
        check_bool("flag", 1)


def test_a_choice_is_a_text():
    with pytest.raises(TypeError, match=r"^method: must be one of 'layout', 'umap', got None$"):
        check_choice("method", None, ["layout", "umap"])


def test_a_known_name_is_accepted():
    check_choice("method", "umap", ["layout", "umap"])


@pytest.mark.parametrize("name", ["", "UMAP", "umap "])
def test_an_unknown_name_is_refused_with_the_choices(name):
    with pytest.raises(UnknownNameError) as caught:
        check_choice("method", name, ["layout", "umap"])
    assert str(caught.value) == f"method: must be one of 'layout', 'umap', got {name!r}"
    assert isinstance(caught.value, ValueError)
