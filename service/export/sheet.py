"""`pdf`: a night on one sheet, to pin up or sign: nets, payments, hands, and the head of the log as text and QR.

Names in Latin, Greek, Cyrillic, Arabic and Hebrew are set in the font that comes along (fonts/), shaped and in their
direction. A letter that the font lacks is printed as an empty box, and the sheet says which letters those were.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import segno
from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import TTFFont

from service.export.night import Night
from service.export.span import Span
from service.export.text import clock
from service.export.words import lives_left
from service.night_label import happened_at

FONTS = Path(__file__).parent / "fonts"
FAMILY = "DejaVu"
UNPRINTABLE = "\u25a1"
MARGIN_MM = 12.0
WIDTH_MM = 210 - 2 * MARGIN_MM
QR_MM = 30.0
LEAST_FONT_POINTS = 4.5
MOST_PAYMENTS_SHOWN = 20
HAND_ROW_MM = (2.9, 4.6)
FIXED_COLUMNS_MM = (("hand", 11.0), ("dealer", 12.0), ("result", 32.0), ("pot", 15.0))
MOST_SEAT_COLUMN_MM = 16.0
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


def pdf(night: Night) -> Iterable[bytes]:
    """The sheet; a second one only where the hands do not fit on the first."""
    with paper_for(f"The night of {night.night_of} {night.title}".strip(), _moment(night)) as paper:
        Sheet(night, paper).draw()
        yield bytes(paper.output())


def pdf_over_nights(span: Span) -> Iterable[bytes]:
    """A sheet for each night, in one file."""
    words, moment = span.words(), _UNDATED
    with paper_for(f"Bragbook, {words}") as paper:
        for night in span.nights:
            Sheet(night, paper).draw()
            moment = max(moment, _moment(night))
        if not paper.pages_count:
            paper.add_page()
            paper.set_font(FAMILY, size=9)
            paper.cell(WIDTH_MM, 8, f"Nothing was played: {words}")
        paper.set_creation_date(moment)
        yield bytes(paper.output())


@contextmanager
def paper_for(title: str, moment: datetime = _UNDATED) -> Iterator[FPDF]:
    """Paper to draw on, with the fonts laid out. moment: when what is on it was over."""
    paper = FPDF(format="A4")
    paper.set_margin(MARGIN_MM)
    paper.set_auto_page_break(False)
    paper.add_font(FAMILY, "", FONTS / "DejaVuSans.ttf")
    paper.add_font(FAMILY, "B", FONTS / "DejaVuSans-Bold.ttf")
    paper.set_title(title)
    paper.set_creator("Bragbook")
    paper.set_creation_date(moment)
    try:
        yield paper
    finally:
        for font in paper.fonts.values():  # the library keeps the files open
            if isinstance(font, TTFFont):
                font.ttfont.close()


def head_text(night: Night) -> str:
    """What the QR code says: enough to hold a log to, whoever keeps it."""
    return f"bragbook\n{night.session_id}\n{night.head['seq']}\n{night.head['hash']}\n"


@cache
def printable_letters() -> frozenset[int]:
    """The code points that both weights of the font can print."""
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    with TTFont(FONTS / "DejaVuSans.ttf") as plain, TTFont(FONTS / "DejaVuSans-Bold.ttf") as bold:
        return frozenset(plain.getBestCmap()) & frozenset(bold.getBestCmap())


def unprintable(text: str) -> list[str]:
    """The letters of a text that the font lacks, each once, in order. Marks of direction need no glyph."""
    lacking = [
        letter for letter in unicodedata.normalize("NFC", text)
        if ord(letter) not in printable_letters() and unicodedata.category(letter) != "Cf"
    ]  # fmt: skip
    return list(dict.fromkeys(lacking))


class Sheet:
    """Draws one night, top to bottom, on a new page. Lengths are millimetres, font sizes points."""

    def __init__(self, night: Night, paper: FPDF) -> None:
        self.night = night
        self.settled = night.session.settlement()
        self.paper = paper
        self.pages_before = paper.pages_count
        self.lacking: dict[str, list[str]] = {}

    def draw(self) -> None:
        """Draw the whole sheet."""
        self.paper.add_page()
        self.paper.set_font(FAMILY, size=9)
        self._heading()
        top = self.paper.get_y()
        left_end = self._standings(top)
        right_end = self._payments(top)
        self._hands(max(left_end, right_end) + 3)
        self._foot()

    def _write(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str,
        size: float,
        bold: bool = False,
        align: str = "L",
    ) -> None:
        """One line of text in a box, smaller where it would not fit."""
        self.paper.set_font(FAMILY, "B" if bold else "", size)
        shown = self._printed(text)
        # Figures and plain letters need none, and are nearly all that is printed of a night with many hands.
        self.paper.set_text_shaping(use_shaping_engine=not shown.isascii())
        while size > LEAST_FONT_POINTS and self.paper.get_string_width(shown) > width - 0.5:
            size -= 0.5
            self.paper.set_font(FAMILY, "B" if bold else "", size)
        self.paper.set_xy(x, y)
        self.paper.cell(width, height, shown, align=align, new_x=XPos.RIGHT, new_y=YPos.TOP)

    def _printed(self, text: str) -> str:
        """The text with a box for every letter that the font lacks, which is noted for the foot of the sheet."""
        lacking = unprintable(text)
        shown = unicodedata.normalize("NFC", text)
        for letter in lacking:
            shown = shown.replace(letter, UNPRINTABLE)
        if lacking:
            self.lacking[text] = lacking
        return shown

    def _heading(self) -> None:
        night = self.night
        room = WIDTH_MM - QR_MM - 4
        self._write(MARGIN_MM, 12, room, 8, night.title or f"The night of {night.night_of}", 16, bold=True)
        facts = [
            f"The night of {night.night_of}: {night.game}, counted in {night.unit_name}",
            f"From {clock(night.opening)} to {clock(night.head)}",
            f"Session {night.session_id}, version {night.head['seq']}; head of the log:",
            night.head["hash"],
        ]
        for line, fact in enumerate(facts):
            self._write(MARGIN_MM, 21 + line * 4.6, room, 4.6, fact, 8)
        self._qr(MARGIN_MM + WIDTH_MM - QR_MM, 11, QR_MM)
        self.paper.set_xy(MARGIN_MM, 44)

    def _qr(self, x: float, y: float, side: float) -> None:
        matrix = segno.make(head_text(self.night), error="m", micro=False).matrix
        module = side / len(matrix)
        self.paper.set_fill_color(0)
        for row, line in enumerate(matrix):
            for column, dark in enumerate(line):
                if dark:
                    self.paper.rect(x + column * module, y + row * module, module, module, style="F")

    def _standings(self, top: float) -> float:
        """Seat, name and balance of everyone; returns where it ends."""
        width, row, lives = 104.0, 5.2, self.settled["lives"]
        self._write(MARGIN_MM, top, width, row, f"Balances, in {self.night.money_name}", 10, bold=True)
        y = top + row + 0.6
        for player in self.night.seats:
            won = player in (self.settled["winners"] or [])
            self._write(MARGIN_MM, y, 7, row, str(self.night.seat(player)), 8, align="R")
            self._write(MARGIN_MM + 8, y, 62, row, self.night.label(player), 9, bold=won)
            self._write(MARGIN_MM + 70, y, 20, row, self.settled["balances"].get(player, "0"), 9, bold=won, align="R")
            remark = [lives_left(lives.get(player, 0))] if lives is not None else []
            remark += ["signed"] if player in self.settled["signed"] else []
            self._write(MARGIN_MM + 91, y, 13, row, ", ".join(remark), 7)
            self._rule(MARGIN_MM, y + row, width)
            y += row
        if self.settled["in_play"] != "0":
            self._write(MARGIN_MM + 8, y, 82, row, f"in play: {self.settled['in_play']}", 8, align="R")
            y += row
        return y

    def _payments(self, top: float) -> float:
        """Who pays whom, to be ticked off; returns where it ends."""
        x, width, row, y = MARGIN_MM + 110, WIDTH_MM - 110, 5.2, top
        for title, payments in (
            ("To pay", self.settled["outstanding"]), ("Paid already", self.settled["paid"]),
        ):  # fmt: skip
            if not payments:
                continue
            if len(payments) > MOST_PAYMENTS_SHOWN:
                title += f": the last {MOST_PAYMENTS_SHOWN} of {len(payments)}"
            self._write(x, y, width, row, title, 10, bold=True)
            y += row + 0.6
            for payment in payments[-MOST_PAYMENTS_SHOWN:]:
                payer, payee = self.night.label(payment["from"]), self.night.label(payment["to"])
                self.paper.rect(x + 0.5, y + 1.3, 2.6, 2.6)
                if payments is self.settled["paid"]:
                    self.paper.line(x + 0.5, y + 1.3, x + 3.1, y + 3.9)
                self._write(x + 5, y, 26, row, payer, 8)
                self._write(x + 31, y, 5, row, "→", 8, align="C")
                self._write(x + 36, y, 24, row, payee, 8)
                self._write(x + 60, y, width - 60, row, payment["amount"], 8, bold=True, align="R")
                y += row
            y += 1.5
        if y == top:
            self._write(x, y, width, row, "Nothing to pay", 10, bold=True)
            y += row
        return y

    def _hands(self, top: float) -> None:
        """A row a hand: what each won or lost, by seat; in `lives`, who lost a life."""
        hands = self.night.session.hands()
        if not hands:
            return
        bottom = 297 - MARGIN_MM - 10
        row = min(HAND_ROW_MM[1], max(HAND_ROW_MM[0], (bottom - top - 6) / (len(hands) + 1)))
        y = self._hands_heading(top, row)
        for hand in hands:
            if y + row > bottom:
                self._foot()
                self.paper.add_page()
                y = self._hands_heading(MARGIN_MM, row)
            self._hand(hand, y, row)
            y += row

    def _seat_width(self) -> float:
        room = WIDTH_MM - sum(width for _, width in FIXED_COLUMNS_MM)
        return min(MOST_SEAT_COLUMN_MM, room / len(self.night.seats))

    def _hands_heading(self, y: float, row: float) -> float:
        what = "who lost a life" if self.night.game == "lives" else f"what each won or lost, in {self.night.unit_name}"
        self._write(MARGIN_MM, y, WIDTH_MM, 5, f"Hands: {what}, by seat", 10, bold=True)
        y += 5.4
        x = MARGIN_MM
        for name, width in FIXED_COLUMNS_MM:
            self._write(x, y, width, row, name, row * 1.7, bold=True, align="C" if name == "result" else "R")
            x += width
        for seat in range(1, len(self.night.seats) + 1):
            self._write(x, y, self._seat_width(), row, str(seat), row * 1.7, bold=True, align="R")
            x += self._seat_width()
        return y + row

    def _hand(self, hand: Mapping[str, Any], y: float, row: float) -> None:
        size, x = row * 1.7, MARGIN_MM
        by = f", {hand['by'].replace('_', ' ')}" if hand["by"] else ""
        cells = (str(hand["hand"]), str(self.night.seat(hand["dealer"])), hand["result"] + by, hand["pot"])
        for (name, width), text in zip(FIXED_COLUMNS_MM, cells, strict=True):
            inset = 3.0 if name == "result" else 0.0
            self._write(x + inset, y, width - inset, row, text, size, align="L" if inset else "R")
            x += width
        for player in self.night.seats:
            amount = hand["net"].get(player, "") if player in hand["paid"] else ""
            if player in hand["losers"]:
                amount = "life"
            elif self.night.game == "lives":
                amount = ""
            self._write(x, y, self._seat_width(), row, amount, size, bold=player in hand["winners"], align="R")
            x += self._seat_width()
        self._rule(MARGIN_MM, y + row, x - MARGIN_MM)

    def _rule(self, x: float, y: float, width: float) -> None:
        self.paper.set_draw_color(200)
        self.paper.set_line_width(0.1)
        self.paper.line(x, y, x + width, y)
        self.paper.set_draw_color(0)
        self.paper.set_line_width(0.2)

    def _foot(self) -> None:
        y = 297 - MARGIN_MM - 4
        sheet = self.paper.page_no() - self.pages_before
        words = f"Bragbook, {self.night.session_id} version {self.night.head['seq']}, sheet {sheet}"
        self._write(MARGIN_MM, y, WIDTH_MM, 4, words, 6)
        if self.lacking:
            named = "; ".join(
                ", ".join(f"U+{ord(letter):04X} {unicodedata.name(letter, '')}".rstrip() for letter in letters)
                for letters in self.lacking.values()
            )
            self._write(MARGIN_MM, y - 4, WIDTH_MM, 4, f"Not printable here, shown as {UNPRINTABLE}: {named}", 6)


def _moment(night: Night) -> datetime:
    """The time of the last event, so that the same night is the same sheet, byte for byte."""
    when = happened_at(night.head)
    if not when:
        return _UNDATED
    return datetime.fromisoformat(when[:17] + "00").replace(tzinfo=UTC)
