# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each type, and each value that does not fit; run under `taffrail record`."""
import array
import decimal
import enum
import io
import itertools
import math
import os
import pathlib

import taffrail

# babeltrace2 shows an empty string as the one that it has read before, where
# events of several CPUs alternate
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Broken:
    def __str__(self):
        raise ValueError("no text")

    def __bool__(self):
        raise ValueError("no truth")


class Index:
    def __index__(self):
        return 2 ** 40


class Colour(enum.IntEnum):
    RED = 3


class Endless:
    asked = 0

    def __iter__(self):
        while self.asked < 1000000:
            self.asked += 1
            yield 0


class Growing:
    def __init__(self, items):
        self.items = items

    def __index__(self):
        if len(self.items) < 1000000:
            self.items.append(self)
        return 0


class Interrupted:
    def __str__(self):
        raise KeyboardInterrupt


def fits(event, *values, **fields):
    before = event.misfits
    assert event(*values, **fields) is None
    assert event.misfits == before, (values, fields)


def misfits(event, *values, **fields):
    before = event.misfits
    assert event(*values, **fields) is None
    assert event.misfits == before + 1, (values, fields)


number = taffrail.event("app", "number", n=int)
for n in 0, -1, 2 ** 63 - 1, -2 ** 63, True, Colour.RED, 1.9, -1.9, Index():
    fits(number, n=n)
for n in (2 ** 63, -2 ** 63 - 1, 10 ** 400, None, "7", math.nan, math.inf,
          Broken(), [1]):
    misfits(number, n=n)

small = taffrail.event("app/small", a="s8", b="u8", c="u16", d="s32", e="u64",
                       f="ptr")
fits(small, -128, 255, 65535, -2 ** 31, 2 ** 64 - 1, 0x1234)
misfits(small, -129, 256, -1, 2 ** 31, 2 ** 64, -5)

real = taffrail.event("app", "real", x=float, y="f32")
for x in 0.5, 3, True, -math.inf, decimal.Decimal("2.25"):
    fits(real, x=x, y=1.5)
fits(real, x=math.nan, y=1e300)
misfits(real, x=-10 ** 400, y=None)
misfits(real, x="1.5", y=1)

truth = taffrail.event("app", "truth", t=bool)
for t in True, 0, "x", [], None, math.nan:
    fits(truth, t=t)
misfits(truth, t=Broken())

text = taffrail.event("app", "text", s=str)
for s in ("plain", "", "é\u20ac", "a\0b", "\udc80x", "\ud800", None, 7,
          b"caf\xc3\xa9", b"\xff\0", pathlib.PurePosixPath("/a/b"), "x" * 300,
          Colour.RED.name):
    fits(text, s=s)
misfits(text, s=Broken())

data = taffrail.event("app", "data", b=bytes)
for b in (b"", b"\0\xff", bytearray(b"ab"), memoryview(b"xyz")[1:], "é",
          [0, 255]):
    fits(data, b=b)
for b in None, 5, [1000]:
    misfits(data, b=b)
# these would not be the same after it
file = io.BytesIO(b"one\ntwo\n")
items = iter([1, 2])
misfits(data, b=file)
misfits(data, b=items)
misfits(data, b=itertools.repeat(0))
assert file.read() == b"one\ntwo\n" and list(items) == [1, 2]

# names and places
pair = taffrail.event("app", "pair", id=int, url=str)
fits(pair, 1, "/a")
fits(pair, 2, url="/b")
fits(pair, url="/c", id=3)
fits(pair, **{"".join(["u", "rl"]): "/d", "i" + "d": 4})
misfits(pair, id=5)
misfits(pair, url="/f")
misfits(pair)
misfits(pair, 7, "/g", 8)
misfits(pair, 8, id=9, url="/h")
misfits(pair, id=10, url="/i", other=1)
misfits(pair, **{"f%d" % i: i for i in range(40)})

# the first call tells
first = taffrail.event("app/first")
assert first.fields is None and first.enabled
first(i=1, f=2.0, s="s", b=b"b", t=True, n=None, o=Index)
assert first.fields == {"i": "s64", "f": "f64", "s": "str", "b": "bytes",
                        "t": "bool", "n": "str", "o": "str"}
assert taffrail.event("app", "first") is first
nothing = taffrail.event("app:nothing")
fits(nothing)
odd = taffrail.event("app/odd")
misfits(odd, **{"größe": 1, "ok": 2, "a b": 3, "x" * 64: 4})
assert odd.fields == {"ok": "s64"}
many = taffrail.event("app/many")
misfits(many, **{"f%d" % i: i for i in range(20)})
assert len(many.fields) == 16

# what must reach the program does
try:
    text(s=Interrupted())
except KeyboardInterrupt:
    text(s="interrupted")

# each value here makes two objects
texts = ["t%d" % i for i in range(16)]
twice = taffrail.event("app", "twice", **{name: str for name in texts})
for n in range(1, 17):
    misfits(twice, *[b"a\0"] * 16, **{name: b"b\0" for name in texts[:n]})

bound = taffrail.event("app", "bound", b=bytes)
# without end, or much more than an event takes
endless = Endless()
misfits(bound, b=endless)
assert endless.asked < 100000, endless.asked
growing = []
growing.extend([Growing(growing)] * 3)
misfits(bound, b=growing)
assert len(growing) < 10
fits(bound, b=(3, 4))
fits(bound, b=range(5, 7))
fits(bound, b=array.array("H", [0x0201]))
misfits(bound, b=(3, 256))
misfits(bound, b=[-1])
misfits(bound, b=bytearray((16 << 20) + 1))
