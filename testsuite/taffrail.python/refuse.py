# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does one thing that is wrong, and prints the exception."""
import sys

import taffrail

pair = taffrail.event("app", "pair", id=int, url=str)
WRONG = {
    "blank": lambda: taffrail.event("app", "a b"),
    "slash": lambda: taffrail.event("app/a/b"),
    "empty": lambda: taffrail.event("app"),
    "long": lambda: taffrail.event("app", "N" * 124),
    "number": lambda: taffrail.event(7),
    "bytes": lambda: taffrail.event("app", b"x"),
    "scope": lambda: taffrail.scope(None),
    "type": lambda: taffrail.event("app", "x", x=complex),
    "list": lambda: taffrail.event("app", "x", x=[]),
    "field": lambda: taffrail.event("app", "x", größe=int),
    "seventeen": lambda: taffrail.event("app", "x", **{
        "f%d" % i: int for i in range(17)}),
    "unknown": lambda: pair(id=1, url="", other=2),
    "missing": lambda: pair(id=1),
    "twice": lambda: pair(1, "", id=2),
    "many": lambda: pair(1, "", 3),
    "value": lambda: pair(id="x", url=""),
    "span": lambda: taffrail.scope("app/x", span=1),
    "traced": lambda: taffrail.trace("app/x")(5),
}
try:
    WRONG[sys.argv[1]]()
except (TypeError, ValueError) as error:
    print(type(error).__name__ + ": " + str(error).replace("N" * 124, "NNN"))
