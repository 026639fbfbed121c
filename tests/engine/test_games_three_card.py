"""Three-card Brag, where a careful reader of rules.md §4 to §6 would look twice."""

from __future__ import annotations

from typing import Any

from events.games.pack import Pack
from tests.engine.tables import AtTable


def two_hands(rules: dict[str, Any] | None = None) -> AtTable:
    """P1 kept a blind hand while 5 were carried, and has been dealt a new one; P2 acts, antes are in."""
    table = AtTable("three-card", ["P1", "P2", "P3"], rules)
    table.dealt("P3")
    table.blind("P1", "2")
    for player in ("P2", "P3"):
        table.look(player)
        table.folds(player)
    table.does("retain", "P1")
    table.dealt("P1")
    return table


class TestTwoHands:
    def test_a_kept_hand_that_was_shown_does_not_stay_kept_after_a_misdeal(self) -> None:
        table = two_hands({"see_blind": True})
        table.bet("P2", "3")
        table.folds("P3")
        table.look("P1", which="new")
        table.does("throw", "P1")
        table.blind("P1", "1.5")
        table.see("P2")
        table.shows("P1", "2c 4d 6h")
        table.does("misdeal", reason="an exposed card")
        assert table.of_each("hands") == {"P1": 0, "P2": 0, "P3": 0}
        table.deal("P1")
        assert table.of_each("hands") == {"P1": 1, "P2": 1, "P3": 1}


class TestMuck:
    def test_is_the_payers_alone(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "1")
        table.bet("B", "1")
        table.folds("C")
        table.see("A")
        assert [table.refuses("muck", player) for player in "ABC"] == ["event.not_now"] * 3
        table.shows("B", "2c 4d 6h")
        assert table.refuses("muck", "B") == "event.not_now"
        assert table.refuses("muck", "C") == "event.not_now"
        table.does("muck", "A")
        assert table.hand(1)["by"] == "see"


class TestChoosing:
    def test_between_look_and_keep_or_throw_nothing_else(self) -> None:
        table = two_hands()
        table.bet("P2", "3")
        table.folds("P3")
        assert {entry["type"] for entry in table.legal()} == {"bet", "look", "fold", "see"}
        assert table.refuses("look", "P1") == "event.invalid"
        assert table.refuses("look", "P2", which="old") == "event.invalid"
        assert table.refuses("bet", "P1", as_="seen", amount="3") == "look.not_allowed"
        assert table.refuses("bet", "P1", as_="seen", amount="3", irregular="x") == "look.not_allowed"
        assert table.refuses("keep", "P1") == "event.not_now"
        table.look("P1", which="old")
        assert table.of_each("status")["P1"] == "blind"
        assert table.of_each("hands")["P1"] == 2
        assert table.legal() == [{"type": "keep", "player": "P1"}, {"type": "throw", "player": "P1"}]
        assert table.refuses("fold", "P1") == "event.not_now"
        assert table.refuses("fold", "P2", irregular="x") == "event.not_now"
        assert table.refuses("throw", "P2") == "event.not_now"
        assert table.refuses("look", "P1", which="old") == "event.not_now"
        assert table.refuses("look", "P1", which="new") == "look.not_allowed"
        table.does("keep", "P1")
        assert (table.of_each("status")["P1"], table.of_each("hands")["P1"]) == ("seen", 1)
        assert table.refuses("look", "P1") == "event.not_now"
        table.bet("P1", "3")

    def test_who_looks_at_both_has_kept_the_first(self) -> None:
        table = two_hands()
        table.bet("P2", "3")
        table.folds("P3")
        table.look("P1", which="new")
        table.look("P1", which="old", irregular="could not resist")
        assert (table.of_each("status")["P1"], table.of_each("hands")["P1"]) == ("seen", 1)
        assert table.state()["to_act"] == "P1"
        assert table.found() == [("look.not_allowed", "warning")]

    def test_who_throws_the_one_may_look_at_the_other_later(self) -> None:
        table = two_hands()
        table.bet("P2", "3")
        table.folds("P3")
        table.look("P1", which="new")
        table.does("throw", "P1")
        assert (table.of_each("status")["P1"], table.of_each("hands")["P1"]) == ("blind", 1)
        assert {"type": "look", "player": "P1"} in table.legal()
        assert table.refuses("look", "P1", which="old") == "event.invalid"
        table.look("P1")
        assert table.of_each("status")["P1"] == "seen"

    def test_after_a_see_the_rival_settles_on_one_first(self) -> None:
        table = two_hands({"see_blind": True})
        table.bet("P2", "3")
        table.folds("P3")
        table.blind("P1", "1.5")
        table.see("P2")
        assert (table.state()["phase"], table.state()["to_act"]) == ("choose", "P1")
        assert [entry["type"] for entry in table.legal()] == ["look", "look"]
        assert table.refuses("reveal", "P1", cards=["As", "Ad", "Ah"]) == "event.not_now"
        table.look("P1", which="old")
        table.does("throw", "P1")
        assert (table.state()["phase"], table.state()["to_act"]) == ("reveal", "P1")
        table.shows("P1", "As Ad Ah")
        assert table.state()["to_act"] == "P2"
        table.does("muck", "P2")
        assert table.of_each("net") == {"P1": "13", "P2": "-11", "P3": "-2"}

    def test_everyone_folds_against_two_hands(self) -> None:
        table = two_hands()
        table.folds("P2", "P3")
        assert table.state()["carried"] == "8"
        assert table.of_each("hands") == {"P1": 0, "P2": 0, "P3": 0}
        assert table.legal("retain") == [
            {"type": "retain", "player": "P1", "which": "old"},
            {"type": "retain", "player": "P1", "which": "new"},
        ]
        assert table.refuses("retain", "P1") == "event.invalid"
        assert table.refuses("retain", "P2", which="new") == "event.not_now"
        table.does("retain", "P1", which="old")
        assert table.refuses("retain", "P1", which="new") == "event.not_now"
        assert table.of_each("hands")["P1"] == 1
        table.dealt("P2")
        assert table.of_each("hands") == {"P1": 2, "P2": 1, "P3": 1}

    def test_a_hand_not_kept_before_the_next_deal_is_thrown_in(self) -> None:
        table = two_hands()
        table.folds("P2", "P3")
        table.dealt("P2")
        assert table.of_each("hands") == {"P1": 1, "P2": 1, "P3": 1}
        assert table.refuses("retain", "P1", which="old") == "event.not_now"

    def test_nor_is_it_there_for_who_sits_the_next_deal_out(self) -> None:
        table = two_hands()
        table.folds("P2", "P3")
        table.does("retain", "P1", which="new")
        table.dealt("P2", players=["P2", "P3"])
        table.bet("P3", "1")
        table.folds("P2")
        table.dealt("P3")
        assert table.of_each("hands") == {"P1": 1, "P2": 1, "P3": 1}

    def test_a_misdeal_leaves_kept_what_nobody_has_looked_at(self) -> None:
        for which, kept in (("new", 1), ("old", 0)):
            table = two_hands()
            table.bet("P2", "3")
            table.folds("P3")
            table.look("P1", which=which)
            table.does("misdeal", reason="an exposed card")
            assert table.state()["carried"] == "5"
            assert table.of_each("hands") == {"P1": kept, "P2": 0, "P3": 0}
            table.deal("P1")
            assert table.of_each("hands") == {"P1": 1 + kept, "P2": 1, "P3": 1}
            hand = table.hand(2)
            assert (hand["result"], hand["pot"], hand["carried"]) == ("misdeal", "0", "5")
            assert hand["paid"] == {"P1": "0", "P2": "0", "P3": "0"}

    def test_who_leaves_keeps_no_hand(self) -> None:
        table = two_hands()
        table.folds("P2", "P3")
        table.does("retain", "P1", which="new")
        table.does("leave", "P1")
        assert table.of_each("hands")["P1"] == 0
        assert table.refuses("retain", "P1", which="old") == "player.left"
        table.does("join", "P1")
        table.dealt("P2")
        assert table.of_each("status")["P1"] == "out"


class TestComingAndGoing:
    def test_while_a_pot_is_carried_newcomers_wait(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.blind("A", "1")
        table.folds("B", "C")
        table.does("join", "D", before="B")
        assert table.state()["seats"] == ["A", "D", "B", "C"]
        assert table.of_each("status") == {"A": "in", "D": "out", "B": "in", "C": "in"}
        assert table.refuses("deal", dealer="A", players=["A", "D"]) == "player.not_in_hand"
        assert table.refuses("deal", dealer="D") == "player.not_in_hand"
        table.dealt("A")
        table.does("misdeal", reason="an exposed card")
        assert table.of_each("status")["D"] == "out"
        table.dealt("A")
        assert table.state()["to_act"] == "B"
        table.bet("B", "1")
        table.folds("C", "A")
        assert table.of_each("status")["D"] == "in"
        assert table.legal() == [{"type": "deal", "dealer": "D"}]

    def test_back_to_the_old_seat_or_another(self) -> None:
        table = AtTable("three-card", "ABCD")
        table.does("leave", "B")
        table.does("leave", "C")
        assert table.refuses("join", "A") == "event.not_now"
        assert table.refuses("join", "B", before="X") == "player.unknown"
        table.does("join", "B")
        table.does("join", "C", before="A")
        assert table.state()["seats"] == ["C", "A", "B", "D"]

    def test_the_place_of_who_left_finds_the_next_dealer(self) -> None:
        table = AtTable("three-card", "ABCD")
        table.dealt("B")
        table.bet("C", "1")
        table.folds("D", "A", "B")
        table.does("leave", "B")
        table.does("leave", "C")
        assert table.legal() == [{"type": "deal", "dealer": "D"}]

    def test_the_deal_passes_over_who_sits_out(self) -> None:
        table = AtTable("three-card", "ABCD")
        table.dealt("A")
        table.bet("B", "1")
        table.folds("C", "D", "A")
        assert table.refuses("deal", dealer="B", players=["A", "C", "D"]) == "deal.wrong_dealer"
        table.dealt("C", players=["D", "A", "C"])
        assert table.state()["to_act"] == "D"

    def test_a_refund_goes_to_who_left_too(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.blind("A", "1")
        table.folds("B", "C")
        table.does("leave", "B")
        table.does("join", "D")
        assert table.refuses("close") == "close.pot_open"
        twin = table.session.fork()
        table.does("close", carry="refund")
        assert table.of_each("net") == {"A": "0", "B": "0", "C": "0", "D": "0"}
        table.session = twin
        table.does("close", carry="split")
        assert table.of_each("net") == {"A": "0", "B": "-1", "C": "1", "D": "0"}


class TestUnshuffled:
    def test_a_card_shown_comes_round_only_when_its_hand_does(self) -> None:
        """Two players, 46 cards left in the pack: hands that died lie under it, the loser's first."""
        table = AtTable("three-card", "AB", {"pots": 0})
        table.dealt("B")
        table.bet("A", "1")
        table.see("B")
        table.shows("A", "As Kd Qh")
        table.shows("B", "2c 4d 6h")
        for number in range(7):  # 6 cards each deal: the next 42 were not in the first
            table.dealt("AB"[number % 2])
            first, second = "BA" if number % 2 == 0 else "AB"
            table.bet(first, "1")
            table.see(second)
            assert table.refuses("reveal", first, cards=["As", "7d", "8d"]) == "cards.impossible"
            assert table.refuses("reveal", first, cards=["2c", "7d", "8d"]) == "cards.impossible"
            cards = [rank + suit for suit in "shdc" for rank in "3579TJ"][number * 3 : number * 3 + 3]
            table.shows(first, " ".join(cards))
            table.does("muck", second)
        # The eighth deal: four cards of the 46, and two of the loser's, B's, which went under the pack first.
        table.dealt("B")
        table.bet("A", "1")
        table.see("B")
        assert table.refuses("reveal", "A", cards=["As", "7d", "8d"]) == "cards.impossible"
        table.shows("A", "2c 4d 8d")
        table.does("muck", "B")

    def test_a_prial_shown_brings_a_shuffle_against_a_muck_too(self) -> None:
        table = AtTable("three-card", "AB", {"pots": 0})
        table.dealt("B")
        table.bet("A", "1")
        table.see("B")
        table.shows("A", "As Ad Ah")
        table.does("muck", "B")
        assert table.refuses("deal", dealer="A", shuffled=False) == "deal.shuffle"
        table.dealt("A")
        table.bet("B", "1")
        table.see("A")
        table.shows("B", "As Kd Qh")
        table.does("muck", "A")
        assert table.refuses("deal", dealer="B", shuffled=True) == "deal.shuffle"
        table.dealt("B", shuffled=True, irregular="habit")
        assert table.found() == [("deal.shuffle", "warning")]


class TestMatch:
    def test_ends_with_so_many_pots_resolved(self) -> None:
        table = AtTable("three-card", "AB", {"pots": 2})
        table.dealt("B")
        table.blind("A", "1")
        table.folds("B")  # carried: not resolved
        table.dealt("A")
        table.bet("B", "1")
        table.folds("A")
        assert (table.state()["pots_resolved"], table.state()["closed"]) == (1, False)
        table.dealt("B")
        table.bet("A", "1")
        table.folds("B")
        assert (table.state()["pots_resolved"], table.state()["phase"]) == (2, "closed")
        assert table.state()["winners"] == ["B"]
        assert table.state()["legal"] == []
        assert table.refuses("close") == "session.closed"

    def test_a_wrong_tap_that_ended_it_is_struck_and_it_goes_on(self) -> None:
        table = AtTable("three-card", "AB", {"pots": 1})
        table.dealt("B")
        table.bet("A", "1")
        table.folds("B")
        table.void(table.session.version)
        assert table.state()["phase"] == "act"
        table.bet("B", "1")

    def test_equal_nets_share_the_win_and_who_left_is_among_them(self) -> None:
        table = AtTable("three-card", "ABC", {"pots": 0})
        table.dealt("C")
        table.bet("A", "1")
        table.folds("B", "C")
        table.does("leave", "A")
        table.dealt("B")
        table.bet("C", "1")
        table.folds("B")
        table.ruled(1, "C", {"A": "-1", "B": "1"})
        table.does("close")
        nets = table.of_each("net")
        assert table.state()["winners"] == [name for name in "ABC" if nets[name] == max(nets.values(), key=float)]


class TestPrices:
    def test_of_seeing_in_chips_of_one(self) -> None:
        """Half a level that is not whole chips is paid rounded up; seeing costs the level, or a rate."""
        for price, blind, seen in (("double", "3", "6"), ("single", "2", "3")):
            rules = {"see_price": price, "see_blind": True, "pots": 0}
            table = AtTable("three-card", "AB", rules, unit={"chip": "1"})
            table.dealt("B")
            table.bet("A", "3")
            assert table.legal("see") == [{"type": "see", "player": "B", "amount": blind}]
            assert [entry["call"] for entry in table.legal("bet")] == ["2", "3"]
            table.look("B")
            assert table.legal("see") == [{"type": "see", "player": "B", "amount": seen}]

    def test_a_blind_two_in_chips_of_one_is_met_by_a_seen_three(self) -> None:
        table = AtTable("three-card", "ABC", unit={"chip": "1"})
        table.dealt("C")
        table.bet("A", "3")
        table.blind("B", "2")  # the call, rounded up: the level stays
        assert table.state()["level"] == "3"
        assert [entry["call"] for entry in table.legal("bet")] == ["2", "3"]
        blind = table.legal("bet")[0]
        assert (blind["min"], blind["max"], blind["step"]) == ("3", "4", "1")

    def test_a_blind_player_who_can_open_at_no_level_of_the_table(self) -> None:
        table = AtTable("three-card", "ABC", {"max_open": "1"}, unit={"chip": "1"})
        table.dealt("C")
        assert [(entry["type"], entry.get("as")) for entry in table.legal()] == [
            ("bet", "seen"),
            ("look", None),
            ("fold", None),
        ]
        assert table.refuses("bet", "A", as_="blind", amount="1") == "bet.too_high"


class TestPack:
    def turned(self) -> Pack:
        """Four players, A to D. Cards 0, 1 and 2 were shown, and come round in the next deal but two."""
        pack = Pack()
        pack.deal(["A", "B", "C", "D"])
        pack.show("A", "new", (0, 1, 2))
        for name in "ABCD":
            pack.bury(name, "new")
        for _ in range(3):  # the other 40, but for 4
            pack.deal(["A", "B", "C", "D"])
            assert pack.impossible("A", "new", [0, 1, 2]) == [0, 1, 2]
            for name in "ABCD":
                pack.bury(name, "new")
        pack.deal(["A", "B", "C", "D"])  # 4 of the first 40, the shown 3, and 5 of what lay under them
        return pack

    def test_a_card_can_come_round_in_its_deal_to_anybody_whoever_has_folded_since(self) -> None:
        pack = self.turned()
        for name in "ABC":
            pack.bury(name, "new")
        assert pack.impossible("D", "new", [0, 1, 2]) == []

    def test_a_kept_hand_is_of_the_deal_before_and_what_is_shown_elsewhere_is_not_in_it(self) -> None:
        pack = self.turned()
        pack.keep("D")
        for name in "ABC":
            pack.bury(name, "new")
        pack.deal(["A", "B", "C", "D"])
        assert pack.impossible("A", "new", [0, 1, 2]) == [0, 1, 2]
        assert pack.impossible("D", "old", [0, 1, 2]) == []
        pack.show("D", "old", (0, 30, 31))
        assert pack.impossible("D", "new", [0]) == [0]

    def test_what_was_not_shown_is_none_of_the_cards_that_were(self) -> None:
        """Deals of six: card 0 is shown after 1, 2 and 3, and lies behind a hand that may hold one of those."""
        pack = Pack()

        def buried() -> None:
            for name in "AB":
                pack.bury(name, "new")

        pack.deal(["A", "B"])
        pack.show("A", "new", (1, 2, 3))
        for _ in range(8):
            buried()
            pack.deal(["A", "B"])
        pack.show("B", "new", (0, 40, 41))
        for _ in range(8):
            buried()
            pack.deal(["A", "B"])
        assert pack.impossible("A", "new", [0, 1, 2, 3]) == [0]

    def test_no_place_is_ever_lost(self) -> None:
        pack = self.turned()
        out = len(pack.dealt) + len(pack.kept)
        assert len(pack.places) + 3 * out == 52
