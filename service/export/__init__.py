"""Every format that a night can be taken away in, a file a format (contract.md §6).

`FORMATS` is the one list: the API's `?format=`, the command line's `--format` and the documentation follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from service.export.night import Night


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, media type and file extension, how a night is rendered in it, and what it is for."""

    name: str
    media_type: str
    extension: str
    render: Callable[[Night], Iterable[bytes]]
    description: str

    def file_name(self, night: Night) -> str:
        """A name for a file of it that says which night it is and gives nobody away."""
        return f"bragbook-{night.night_of or 'night'}-{night.session_id[-12:]}.{self.extension}"


def _late(module: str, function: str) -> Callable[[Night], Iterable[bytes]]:
    """A renderer that is loaded when it is first used: the fonts' library takes longer than all the rest."""

    def render(night: Night) -> Iterable[bytes]:
        from importlib import import_module

        rendered: Iterable[bytes] = getattr(import_module(f"service.export.{module}"), function)(night)
        return rendered

    return render


_CSV = "text/csv; charset=utf-8; header=present"

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "ndjson", "application/x-ndjson", "ndjson", _late("documents", "ndjson"),
            "the events as stored, a line each; `bragbook import`, `replay` and `audit` read it",
        ),
        Format(
            "bundle", "application/json", "bundle.json", _late("documents", "bundle"),
            "one JSON file with events, names, rules and settlement: all that `bragbook audit` needs, offline",
        ),
        Format("json", "application/json", "json", _late("documents", "report"), "settlement and hands"),
        Format("csv", _CSV, "csv", _late("tables", "settlement"), "the settlement, for a spreadsheet"),
        Format("hands.csv", _CSV, "hands.csv", _late("tables", "hands"), "a row per player and hand, for spreadsheets"),
        Format("txt", "text/plain; charset=utf-8", "txt", _late("text", "history"), "a hand history to read"),
        Format(
            "hledger", "text/plain; charset=utf-8", "journal", _late("hledger", "journal"),
            "a journal for hledger: an entry a hand, payments, balance assertions",
        ),
        Format(
            "beancount", "text/plain; charset=utf-8", "beancount", _late("beancount", "ledger"),
            "a ledger for Beancount: an entry a hand, payments, balance directives",
        ),
        Format(
            "pdf", "application/pdf", "pdf", _late("sheet", "pdf"),
            "one sheet to print: nets, payments, hands, and the log's head as text and QR",
        ),
    )
}  # fmt: skip
