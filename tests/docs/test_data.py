"""The snippets of the page on data run one after the other and print what the page shows."""

from snippets import DOCS, run, snippets

PAGE = "data.md"


def test_snippets_run_and_print_what_the_page_shows(capsys):
    names: dict = {}
    for snippet in snippets(PAGE):
        names = run(PAGE, snippet, names)
    page = (DOCS / PAGE).read_text(encoding="utf-8")
    shown = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "\n".join(["```", *shown, "```"]) in page
    assert names["indices"].shape == (2, 5)
    assert names["model"].schema_.columns[3].kind == "ordinal"
