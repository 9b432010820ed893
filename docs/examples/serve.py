# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program with events of its own, a traced function, a scope and logging.

    taffrail record -o trace -- python3 docs/examples/serve.py
"""
import logging

import taffrail

request = taffrail.event("app", "request", id=int, url=str)
log = logging.getLogger("app.store")


@taffrail.trace("app/load")
def load(number):
    if number == 3:
        raise KeyError(number)
    return number * 2


def serve(number):
    request(id=number, url=f"/item/{number}")
    try:
        return load(number)
    except KeyError as error:
        log.warning("no item %s", error)


log.addHandler(taffrail.Handler())
log.propagate = False
with taffrail.scope("app/all", count=3):
    for item in range(1, 4):
        serve(item)
