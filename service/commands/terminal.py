"""What all commands share on the terminal: progress, and how a command says that it cannot go on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import click

from events.refusals import Refusal
from service.one_line import one_line

SOUND, NOT_SOUND, UNREADABLE = 0, 1, 2
"""Exit codes of `audit` and `verify` (contract.md §1)."""

T = TypeVar("T")


class Failure(click.ClickException):
    """A command cannot do what it was asked. Its text is one line that says what to do next."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


def complain(message: str) -> None:
    """One line on standard error."""
    click.echo(f"bragbook: {' '.join(one_line(message).split())}", err=True)


def tell(lines: Iterable[str]) -> None:
    """Lines on standard output, each of which stays one whatever names and claims are in it."""
    click.echo("\n".join(one_line(line) for line in lines))


def report(document: Any) -> None:
    """A JSON document on a line of its own, on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False))


def reason(refusal: Refusal) -> str:
    """A refusal on one line: its code, what is wrong, and where the rule stands."""
    where = f" ({refusal.rule})" if refusal.rule else ""
    return f"{refusal.code}: {refusal.detail}{where}"


@contextmanager
def progress(items: Iterable[T], label: str, length: int | None = None) -> Iterator[Iterable[T]]:
    """The items, with a bar on standard error while they are worked through; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield items
        return
    with click.progressbar(items, label=label, length=length, file=sys.stderr) as bar:
        yield bar


@contextmanager
def counting(label: str) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A bar like that of `progress` for who learns on the way how much there is: called with that, it gives what is
    to be called with how much was done."""
    with ExitStack() as stack:

        def begin(length: int) -> Callable[[int], None]:
            if not sys.stderr.isatty():
                return lambda _: None
            return stack.enter_context(click.progressbar(length=length, label=label, file=sys.stderr)).update

        yield begin
