# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program that declares events and writes what it is told to. Its input:
    on EVENT        prints whether the event is on
    write EVENT N   writes it N times
    make EVENT      declares it
"""
import sys

import taffrail

events = {"app/pair": taffrail.event("app/pair", id=int, url=str),
          "app/first": taffrail.event("app/first")}
calls = {"app/pair": lambda n: events["app/pair"](id=n, url="/%d" % n)}
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "on":
        print("on" if events[rest[0]].enabled else "off")
    elif word == "write":
        for n in range(int(rest[1])):
            calls.get(rest[0], lambda n: events[rest[0]](n=n))(n)
        print("written")
    elif word == "make":
        events[rest[0]] = taffrail.event(rest[0], n=int)
        print("made")
    elif word == "end":
        break
    sys.stdout.flush()
print("right")
