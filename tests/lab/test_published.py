import pytest

from urerf.lab import published


def test_published_numbers_are_shipped():
    row = published.load().query(
        "experiment == 'noise' and dataset == 'linear' and method == 'urerf' and noise == 1000"
    )
    assert row.value.item() == pytest.approx(0.4054)
    curve = published.curve("noise", "helix", "urerf_scripts", "scripts", "noise")
    assert curve.value.iloc[0] == pytest.approx(0.8314)


def test_the_mixture_of_the_text_has_another_truth():
    assert published.curve("noise", "gaussian_mixture", "urerf_paper", "text", "noise").empty


def test_differences_from_the_published_numbers(noise_table):
    both = published.compare("noise", noise_table(urerf_scripts=0.70, euclidean=0.05, urerf=0.9))
    assert set(both.method) == {"urerf_scripts", "euclidean"}
    row = both.query("method == 'urerf_scripts' and variant == 'scripts' and noise == 10").iloc[0]
    assert row.difference == pytest.approx(0.70 - 0.7514)
