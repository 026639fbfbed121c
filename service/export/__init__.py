"""Every format that a night can be taken away in, a file a format (contract.md §6).

`FORMATS` is the one list: the API's `?format=`, the command line's `--format` and the documentation follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from service.export.night import Night
from service.export.span import Span

Rendered = TypeVar("Rendered", Night, Span)


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, media type and file extension, how a night is rendered in it, and what it is for.

    render_span: how nights of a span are rendered together; None where each has to be a file of its own.
    """

    name: str
    media_type: str
    extension: str
    render: Callable[[Night], Iterable[bytes]]
    description: str
    render_span: Callable[[Span], Iterable[bytes]] | None = None

    def file_name(self, night: Night) -> str:
        """A name for a file of it that says which night it is and gives nobody away."""
        return f"bragbook-{night.night_of or 'night'}-{night.session_id[-12:]}.{self.extension}"

    def file_name_of_span(self, span: Span) -> str:
        """A name for a file of it that says which nights they are."""
        return f"bragbook-{span.file_stem()}.{self.extension}"


def _late(module: str, function: str) -> Callable[[Night], Iterable[bytes]]:
    """A renderer that is loaded when it is first used: the fonts' library takes longer than all the rest."""

    def render(night: Night) -> Iterable[bytes]:
        return _loaded(module, function)(night)

    return render


def _late_span(module: str, function: str) -> Callable[[Span], Iterable[bytes]]:
    def render(span: Span) -> Iterable[bytes]:
        return _loaded(module, function)(span)

    return render


def _loaded(module: str, function: str) -> Callable[[Rendered], Iterable[bytes]]:
    from importlib import import_module

    found: Callable[[Rendered], Iterable[bytes]] = getattr(import_module(f"service.export.{module}"), function)
    return found


_CSV = "text/csv; charset=utf-8; header=present"

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "ndjson", "application/x-ndjson", "ndjson", _late("documents", "ndjson"),
            "the events as stored, a line each; `bragbook import`, `replay` and `audit` read it",
            _late_span("documents", "ndjson_over_nights"),
        ),
        Format(
            "bundle", "application/json", "bundle.json", _late("documents", "bundle"),
            "one JSON file with events, names, rules and settlement: all that `bragbook audit` needs, offline",
        ),
        Format(
            "json", "application/json", "json", _late("documents", "report"), "settlement and hands",
            _late_span("documents", "report_over_nights"),
        ),
        Format(
            "csv", _CSV, "csv", _late("tables", "settlement"), "the settlement, for a spreadsheet",
            _late_span("tables", "settlement_over_nights"),
        ),
        Format(
            "hands.csv", _CSV, "hands.csv", _late("tables", "hands"), "a row per player and hand, for spreadsheets",
            _late_span("tables", "hands_over_nights"),
        ),
        Format(
            "txt", "text/plain; charset=utf-8", "txt", _late("text", "history"), "a hand history to read",
            _late_span("text", "history_over_nights"),
        ),
        Format(
            "hledger", "text/plain; charset=utf-8", "journal", _late("hledger", "journal"),
            "a journal for hledger: an entry a hand, payments, balance assertions",
            _late_span("hledger", "journal_over_nights"),
        ),
        Format(
            "beancount", "text/plain; charset=utf-8", "beancount", _late("beancount", "ledger"),
            "a ledger for Beancount: an entry a hand, payments, balance directives",
            _late_span("beancount", "ledger_over_nights"),
        ),
        Format(
            "pdf", "application/pdf", "pdf", _late("sheet", "pdf"),
            "one sheet to print: nets, payments, hands, and the log's head as text and QR",
            _late_span("sheet", "pdf_over_nights"),
        ),
    )
}  # fmt: skip
