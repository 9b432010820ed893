# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fuzz target: calls of events, with any objects in any fields.

    inputs.py COUNT SEED

The same seed gives the same calls. Under a sanitizer, which finds what the
binding does with its memory; here, that no call raises an exception of its own.
"""
import array
import collections
import gc
import random
import sys

import taffrail

TYPES = [int, float, bool, str, bytes, "s8", "u8", "s16", "u16", "s32", "u32",
         "s64", "u64", "f32", "f64", "ptr"]
events = []


class Name(str):
    """Names that are equal, and different keywords."""
    def __hash__(self):
        return random.getrandbits(30)

    def __eq__(self, other):
        return self is other


class Wild:
    """An object of which any conversion may do anything."""
    def _any(self, *results):
        choice = random.randrange(12)
        if choice == 0:
            raise random.choice([ValueError, MemoryError, RecursionError,
                                 KeyboardInterrupt])("wild")
        if choice == 1 and events:
            random.choice(events)(self, s="again")
        if choice == 2:
            events.clear()
            gc.collect()
        if choice == 3:
            return self
        return random.choice(results)

    def __str__(self):
        return self._any("", "a\0b", "\ud800", "x" * 5000)

    def __index__(self):
        return self._any(0, -1, 255, 256, 2 ** 63, -2 ** 64)

    def __float__(self):
        return self._any(0.5, float("nan"), 1e308)

    def __bool__(self):
        return self._any(True, False)

    def __iter__(self):
        return self._any(iter([1, 2]), iter([self] * 3), self.endless(),
                         iter([None]))

    def endless(self):
        while True:
            yield self._any(1, 2)

    def __del__(self):
        if random.randrange(4) == 0 and events:
            random.choice(events)(random.randrange(9))


class WildText(str):
    def __str__(self):
        return "other"


class WildBytes(bytes):
    pass


def growing():
    items = []

    class Item:
        def __index__(self):
            if len(items) < 100:
                items.append(self)
            else:
                items.clear()
            return 1
    items.extend([Item()] * random.randrange(1, 4))
    return items


def value():
    return random.choice([
        lambda: random.choice([0, 1, -1, 2 ** 31, 2 ** 63, -2 ** 63 - 1,
                               10 ** 400, None, True]),
        lambda: random.choice([0.0, -1.5, 1e300, float("inf"), float("nan")]),
        lambda: "x" * random.randrange(0, 300),
        lambda: random.choice(["\0", "a\0b\0", "\udc80", "\u20ac" * 9, ""]),
        lambda: bytes(random.randrange(256)
                      for _ in range(random.randrange(40))),
        lambda: bytearray(b"a\0" * random.randrange(9)),
        lambda: memoryview(b"abcdefgh")[::random.choice([1, 2, -1])],
        lambda: memoryview(array.array("i", range(6))),
        lambda: [random.randrange(-1, 257) for _ in range(4)],
        lambda: (1, 2, 3), lambda: {1, 2}, lambda: {1: 2}, lambda: range(70000),
        lambda: collections.deque([1, 2]), growing, Wild, WildText,
        lambda: WildBytes(b"y\0"), lambda: b"c\0d", lambda: object(), lambda: Wild,
        lambda: iter([1])])()


def keyword():
    return random.choice(["a", "b", "s", "f0", "f1", "f15", "größe", "x" * 70,
                          Name("a"), Name("f0"), "span"])


def declare(n):
    names = ["f%d" % i for i in range(random.choice([0, 1, 2, 9, 15, 16]))]
    types = random.choice([TYPES, TYPES, [str], [bytes]])
    # few names: an event is kept until the process ends
    return taffrail.event("app", "e%d" % (n % 40),
                          **{name: random.choice(types) for name in names})


def call(event):
    # one kind for all, too: of those that make most objects, for example
    same = random.choice([None, None, value()])
    args = [value() if same is None else same
            for _ in range(random.choice([0, 1, 2, 8, 16, 20]))]
    fields = event.fields or {}
    names = random.sample(sorted(fields), random.randrange(len(fields) + 1))
    kwargs = {name: value() if same is None else same for name in names}
    for _ in range(random.choice([0, 0, 1, 3, 30])):
        kwargs[keyword()] = value()
    before = event.misfits
    try:
        assert event(*args, **kwargs) is None
    except KeyboardInterrupt:
        pass
    assert event.misfits >= before


def main(count, seed):
    random.seed(seed)
    sys.unraisablehook = lambda unraisable: None
    pool = [declare(n) for n in range(60)]
    pool.append(taffrail.event("app/first"))
    for n in range(count):
        events[:] = random.sample(pool, 5)
        call(random.choice(pool))
        if n % 500 == 0:
            pool[random.randrange(60)] = declare(n // 500)
            gc.collect()
    print("calls", count, "on", pool[0].enabled)


main(int(sys.argv[1]), int(sys.argv[2]))
