# SPDX-License-Identifier: LGPL-2.1-or-later
"""make bench, step probes: what events of Python programs cost.

python.py        the package taffrail: events, and records of logging
python.py peer   records of logging with LTTng's handler

Prints "value NAME NS", the median of rounds, less an empty loop.
"""
import logging
import statistics
import sys
import time

CALLS = 20000
ROUNDS = 21


def show(name, loop):
    """`loop` makes the calls itself: another call would cost as much."""
    for kind in loop, empty:
        kind()
    rounds = []
    for _ in range(ROUNDS):
        times = []
        for kind in loop, empty:
            begin = time.perf_counter_ns()
            kind()
            times.append(time.perf_counter_ns() - begin)
        rounds.append((times[0] - times[1]) / CALLS)
    print("value python.%s %.1f" % (name, statistics.median(rounds)))


def empty():
    for n in range(CALLS):
        pass


def records(name, handler):
    log = logging.getLogger("bench." + name)
    log.propagate = False
    log.setLevel(logging.INFO)
    if handler:
        log.addHandler(handler)

    def loop():
        for n in range(CALLS):
            log.info("request %d %s", n, "/index.html/12")
    show(name, loop)


def ours():
    import taffrail

    on = taffrail.event("bench", "python", id=int, url=str)
    off = taffrail.event("idle", "python", id=int, url=str)
    traced = taffrail.trace("idle/function")(lambda: None)
    assert on.enabled and not off.enabled

    def loop_on():
        for n in range(CALLS):
            on(id=n, url="/index.html/12")

    def loop_off():
        for n in range(CALLS):
            off(id=n, url="/index.html/12")

    def loop_traced():
        for n in range(CALLS):
            traced()
    show("on", loop_on)
    show("off", loop_off)
    show("traced", loop_traced)
    records("logging", taffrail.Handler("bench/logging"))
    records("null", logging.NullHandler())


def peer():
    import lttngust

    # the session daemon tells it to add its handler
    for _ in range(50):
        handlers = logging.getLogger().handlers
        if handlers:
            return records("peer", handlers[0])
        time.sleep(0.1)
    sys.exit("no handler of lttngust %s" % lttngust.__version__)


peer() if sys.argv[1:] == ["peer"] else ours()
