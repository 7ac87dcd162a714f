"""The first section of the page: what was read."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from urerf._messages import count, listed, plural
from urerf.schema import KIND_WORDS

from .figures import spark, table
from .findings import Findings
from .profile import CONSTANT, SENTINEL_REMARK, ColumnProfile, Profile
from .values import percent


def data_line(profile: Profile, doubts: Sequence[str] = ()) -> str:
    """Return the table in one line; with doubts about its rows, these are emphasized."""
    kinds = []
    for kind, words in KIND_WORDS.items():
        n = profile.kinds.get(kind, 0)
        if n:
            kinds.append(f"{n:,} {words[n != 1]}")
    if profile.label is not None:
        kinds.append(f"label {profile.label}")
    facts = [", ".join(kinds), _missing(profile), _duplicates(profile)]
    remarks = [column.remark for column in profile.columns]
    n_constant = remarks.count(CONSTANT)
    if n_constant:
        facts.append(f"{n_constant:,} constant")
    n_sentinels = sum(remark.endswith(SENTINEL_REMARK) for remark in remarks)
    if n_sentinels:
        facts.append(f"{count(n_sentinels, 'column')} with numbers that may stand for missing")
    if profile.repeated_ids:
        n_names = len(profile.repeated_ids)
        facts.append(f"{count(n_names, 'row name')} not unique")
    line = escape(" · ".join(facts))
    if doubts:
        line += " · <b>rows may not be independent</b>"
    return line


def _missing(profile: Profile) -> str:
    if not profile.n_missing:
        return "no missing cells"
    share = percent(profile.n_missing / max(profile.n_cells, 1))
    return f"{count(profile.n_missing, 'missing cell')} ({share})"


def _duplicates(profile: Profile) -> str:
    if not profile.n_duplicates:
        return "no duplicate rows"
    return count(profile.n_duplicates, "duplicate row")


def data_section(findings: Findings) -> str:
    """Return what the user should know about the table, and its columns."""
    profile = findings.profile
    notes = [*findings.data.notices, *_notes(profile), *doubts(findings)]
    paragraphs = "".join(f"<p>{escape(note)}</p>" for note in notes)
    rows = [_row(column) for column in profile.columns]
    head = ("column", "kind", "missing", "distinct", "distribution", "summary", "remark")
    n_more = len(findings.data.names) - len(rows)
    more = f"<p>and {count(n_more, 'more column')}.</p>" if n_more > 0 else ""
    legend = "Summary: smallest / median / largest value, or the most frequent levels."
    columns = table("Columns of the table", head, rows)
    return f"{paragraphs}{columns}{more}<p class='quiet'>{legend}</p>"


def doubts(findings: Findings) -> list[str]:
    """Return signs that the rows are not independent, as the tests assume; as sentences."""
    evidence = findings.evidence
    if evidence is None:
        return []
    sentences = []
    for notice in evidence.notices:
        begun = notice[0].upper() + notice[1:]
        sentences.append(f"{begun}.")
    return sentences


def _notes(profile: Profile) -> list[str]:
    notes = []
    n = profile.n_duplicates
    if n:
        verb = "equals" if n == 1 else "equal"
        rows = f"{count(n, 'row')} ({percent(n / profile.n_rows)})"
        columns = count(profile.n_cells // profile.n_rows, "column")
        notes.append(f"{rows} {verb} an earlier row in the {columns} that can be used.")
    names = profile.repeated_ids
    if names:
        rows = f"{plural(len(names), 'name')} {listed(names)}"
        notes.append(f"Row names are not unique: {profile.n_repeated:,} rows share the {rows}.")
    return notes


def _row(profile: ColumnProfile) -> str:
    column = profile.column
    name = f'<th scope="row" title="{escape(column.name)}">{escape(column.name)}</th>'
    if not column.is_feature:
        cells = f'<td>{column.kind}</td><td colspan="4"></td><td>{escape(profile.remark)}</td>'
        return f'<tr class="unused">{name}{cells}</tr>'
    missing = f"{profile.n_missing:,}" if profile.n_missing else ""
    return (
        f'<tr>{name}<td>{column.kind}</td><td class="number">{missing}</td>'
        f'<td class="number">{profile.n_distinct:,}</td><td>{spark(profile.bars)}</td>'
        f"<td>{escape(profile.summary)}</td><td>{escape(profile.remark)}</td></tr>"
    )
