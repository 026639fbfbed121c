"""Who pays whom at the end of the night, in as few payments as can be (contract.md §4, settlement).

Players whose balances make zero among themselves can settle among themselves, ``n`` of them in ``n - 1`` payments; so
the fewest payments are those of the most such groups. Which grouping is taken depends on names and amounts only, never
on where anybody sits; the seats give the order in which the payments are listed.
"""

from __future__ import annotations

EXACT_UP_TO = 16
"""Up to so many players with a balance the payments are a true minimum."""


def fewest_payments(balances: list[tuple[str, int]]) -> tuple[list[tuple[str, str, int]], bool]:
    """The payments that clear all balances: ``(payer, payee, amount)``, and whether no fewer can do it.

    ``balances`` are in seat order, in chips or coins, negative for who owes; the payments come in seat order of the
    payer, then the payee. With more than 16 players with a balance the payments are few, perhaps not the fewest.

    Raises ValueError where the balances do not make zero, or a name comes twice.
    """
    _check(balances)
    open_balances = sorted((amount, name) for name, amount in balances if amount != 0)
    # Two that cancel can always settle with each other: were they in two groups, what is left of both is one.
    groups, left = _take_pairs(open_balances)
    exact = True
    if len(left) <= EXACT_UP_TO:
        groups = groups + _most_groups(left)
    else:
        triples, rest = _take_triples(left)
        found = triples + (_most_groups(rest) if len(rest) <= EXACT_UP_TO else [rest])
        exact = len(found) == _bound(left)
        groups = groups + found
    payments: list[tuple[str, str, int]] = []
    for group in groups:
        payments.extend(_pay_within(group))
    return _in_seat_order(payments, balances), exact


def _check(balances: list[tuple[str, int]]) -> None:
    total = 0
    names: set[str] = set()
    for name, amount in balances:
        total += amount
        names.add(name)
    if total != 0:
        raise ValueError(f"the balances make {total}, not 0")
    if len(names) != len(balances):
        raise ValueError("a player has two balances")


def _in_seat_order(payments: list[tuple[str, str, int]], balances: list[tuple[str, int]]) -> list[tuple[str, str, int]]:
    seats: dict[str, int] = {}
    for name, _ in balances:
        seats[name] = len(seats)
    payments.sort(key=lambda payment: (seats[payment[0]], seats[payment[1]]))
    return payments


def _bound(left: list[tuple[int, str]]) -> int:
    """How many groups there can be at most: each has someone who pays and someone who receives, and no two cancel."""
    payers = 0
    for amount, _ in left:
        if amount < 0:
            payers += 1
    return min(payers, len(left) - payers, len(left) // 3)


def _take_pairs(left: list[tuple[int, str]]) -> tuple[list[list[tuple[int, str]]], list[tuple[int, str]]]:
    """Pairs that cancel, and what is left; ``left`` is sorted, and so is what comes back."""
    groups: list[list[tuple[int, str]]] = []
    unpaired: list[tuple[int, str]] = []
    receivers: dict[int, list[str]] = {}
    for amount, name in left:
        if amount > 0:
            receivers.setdefault(amount, []).append(name)
    taken: dict[int, int] = {}
    for amount, name in left:
        if amount < 0:
            names = receivers.get(-amount, [])
            place = taken.get(-amount, 0)
            if place < len(names):
                taken[-amount] = place + 1
                groups.append([(amount, name), (-amount, names[place])])
            else:
                unpaired.append((amount, name))
        elif taken.get(amount, 0):
            taken[amount] -= 1
        else:
            unpaired.append((amount, name))
    return groups, unpaired


def _take_triples(left: list[tuple[int, str]]) -> tuple[list[list[tuple[int, str]]], list[tuple[int, str]]]:
    """Some threes that cancel, and what is left; no two of ``left`` cancel."""
    places: dict[int, list[int]] = {}
    for place in range(len(left)):
        places.setdefault(left[place][0], []).append(place)
    taken = [False] * len(left)
    groups: list[list[tuple[int, str]]] = []
    for first in range(len(left)):
        for second in range(first + 1, len(left)):
            if taken[first]:
                break
            if taken[second]:
                continue
            for third in places.get(-left[first][0] - left[second][0], []):
                if third > second and not taken[third]:
                    groups.append([left[first], left[second], left[third]])
                    taken[first] = taken[second] = taken[third] = True
                    break
    return groups, [left[place] for place in range(len(left)) if not taken[place]]


def _most_groups(left: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """The most groups that each make zero, of at most 16 sorted balances of which no two cancel."""
    if _bound(left) <= 1:
        return [left] if left else []
    names: dict[int, list[str]] = {}
    amounts: list[int] = []
    for amount, name in left:
        if amount not in names:
            names[amount] = []
            amounts.append(amount)
        names[amount].append(name)
    search = _Search(amounts, [len(names[amount]) for amount in amounts])
    groups: list[list[tuple[int, str]]] = []
    for counts in search.groups():
        group: list[tuple[int, str]] = []
        for place in range(len(amounts)):
            for _ in range(counts[place]):
                group.append((amounts[place], names[amounts[place]].pop(0)))
        groups.append(group)
    return groups


class _Search:
    """How to part amounts, some of them several times, into the most groups that make zero.

    A collection is a packed integer: a field of bits an amount, which counts how often it is in, and over each field
    a guard bit that is 0. Then a difference is one subtraction, and a guard bit shows where it went below nothing.
    """

    __slots__ = ("_known", "amounts", "by_first", "counts", "fields", "guards", "shifts")

    def __init__(self, amounts: list[int], counts: list[int]) -> None:
        self.amounts = amounts
        self.counts = counts
        self.shifts: list[int] = []
        self.fields: list[int] = []
        self.guards = 0
        shift = 0
        for count in counts:
            bits = 1
            while count >> bits:
                bits += 1
            self.shifts.append(shift)
            self.fields.append(((1 << bits) - 1) << shift)
            self.guards |= 1 << (shift + bits)
            shift += bits + 1
        self._known: dict[int, tuple[int, int]] = {}
        self.by_first = self._collections_that_make_zero()

    def groups(self) -> list[list[int]]:
        """The most groups, each as how often every amount is in it."""
        everything = 0
        size = 0
        for place in range(len(self.counts)):
            everything += self.counts[place] << self.shifts[place]
            size += self.counts[place]
        groups: list[list[int]] = []
        while everything:
            group = self._best(everything, size)[1]
            counts = [(group & self.fields[place]) >> self.shifts[place] for place in range(len(self.counts))]
            groups.append(counts)
            everything -= group
            size -= sum(counts)
        return groups

    def _first(self, collection: int) -> int:
        place = 0
        while not collection & self.fields[place]:
            place += 1
        return place

    def _collections_that_make_zero(self) -> list[list[tuple[int, int]]]:
        """Every collection that makes zero, as (size, packed), smallest first, by the first amount in it.

        Every collection is one of some amounts and one of the others: two lists of at most a few hundred, matched by
        what they sum to, instead of 65,536.
        """
        halves: list[list[tuple[int, int, int]]] = [[(0, 0, 0)], [(0, 0, 0)]]
        for place in range(len(self.amounts)):
            half = 0 if len(halves[0]) <= len(halves[1]) else 1
            grown: list[tuple[int, int, int]] = []
            for total, packed, size in halves[half]:
                for times in range(self.counts[place] + 1):
                    grown.append(
                        (total + times * self.amounts[place], packed + (times << self.shifts[place]), size + times)
                    )
            halves[half] = grown
        by_total: dict[int, list[tuple[int, int]]] = {}
        for total, packed, size in halves[0]:
            by_total.setdefault(total, []).append((size, packed))
        by_first: list[list[tuple[int, int]]] = [[] for _ in self.amounts]
        for total, packed, size in halves[1]:
            for other_size, other in by_total.get(-total, []):
                if packed + other:
                    by_first[self._first(packed + other)].append((size + other_size, packed + other))
        for collections in by_first:
            collections.sort()
        return by_first

    def _best(self, collection: int, size: int) -> tuple[int, int]:
        """How many groups a collection that makes zero falls into at most, and one of them, with its first amount."""
        if collection == 0:
            return 0, 0
        known = self._known.get(collection)
        if known is not None:
            return known
        most = 0
        taken = 0
        guarded = collection | self.guards
        for group_size, group in self.by_first[self._first(collection)]:
            if 1 + (size - group_size) // 3 <= most:
                break  # no group has fewer than three, and the ones that follow leave no more
            if (guarded - group) & self.guards == self.guards:
                count = 1 + self._best(collection - group, size - group_size)[0]
                if count > most:
                    most = count
                    taken = group
        self._known[collection] = (most, taken)
        return most, taken


def _pay_within(group: list[tuple[int, str]]) -> list[tuple[str, str, int]]:
    """Payments that clear a group, one fewer than it has players or better: the largest debt to the largest claim."""
    payments: list[tuple[str, str, int]] = []
    left = sorted(group)
    while left:
        pairs, left = _take_pairs(left)
        for pair in pairs:
            payments.append((pair[0][1], pair[1][1], pair[1][0]))
        if left:
            debt, payer = left.pop(0)
            claim, payee = left.pop()
            paid = min(-debt, claim)
            payments.append((payer, payee, paid))
            rest = (debt + claim, payer if -debt > claim else payee)
            left.append(rest)
            left.sort()
    return payments
