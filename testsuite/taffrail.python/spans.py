# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traced functions of each kind, and scopes. Prints nothing when all is right."""
import asyncio
import functools
import inspect
import sys
import types

import taffrail

mark = taffrail.event("app", "mark", what=str)


class Silent(Exception):
    def __str__(self):
        raise ValueError


@taffrail.trace("app/plain")
def plain(x, *, y=2):
    """Divides."""
    return x / y


@taffrail.trace("app/coroutine")
async def coroutine(name, before=None, after=None):
    mark("in " + name)
    if before:
        await before.wait()
    if after:
        after.set()
    return name


@taffrail.trace("app/sleeper")
async def sleeper():
    await asyncio.sleep(3600)


@taffrail.trace("app/generator")
def generator(n):
    got = []
    try:
        for i in range(n):
            got.append((yield i))
    except KeyError:
        yield "caught"
    return got


@taffrail.trace("app/agen")
async def agen(n):
    for i in range(n):
        try:
            mark("got %s" % (yield i))
        except KeyError:
            yield "caught"


@taffrail.trace("app/old")
@types.coroutine
def old():
    yield


class Case:
    @taffrail.trace("app/method")
    def method(self):
        return self

    @taffrail.trace("app/static")
    @staticmethod
    def static(x):
        return x

    @taffrail.trace("app/class")
    @classmethod
    def klass(cls):
        return cls


def check_kinds():
    assert plain.__name__ == "plain" and plain.__doc__ == "Divides."
    assert str(inspect.signature(plain)) == "(x, *, y=2)"
    assert inspect.iscoroutinefunction(coroutine)
    assert inspect.isgeneratorfunction(generator)
    assert inspect.isasyncgenfunction(agen)
    assert inspect.isawaitable(old())


def check_functions():
    assert plain(4) == 2
    try:
        plain(1, y=0)
    except ZeroDivisionError as error:
        # of the frames between, one is the wrapper's
        assert error.__traceback__ is not None
    case = Case()
    assert case.method() is case and case.static(5) == 5
    assert Case.klass() is Case
    partial = taffrail.trace("app/partial")(functools.partial(plain, 8))
    assert partial(y=4) == 2
    try:
        taffrail.trace("app/silent")(raise_silent)()
    except Silent:
        pass
    try:
        taffrail.trace("app/exit")(sys.exit)(3)
    except SystemExit as error:
        assert error.code == 3


def raise_silent():
    raise Silent


async def check_coroutines():
    event = asyncio.Event()
    # the second ends first
    assert await asyncio.gather(coroutine("a", before=event),
                                coroutine("b", after=event)) == ["a", "b"]
    task = asyncio.ensure_future(sleeper())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        mark("cancelled")
    await old()
    waiting = agen(3)
    assert await waiting.__anext__() == 0
    assert await waiting.asend("x") == 1
    assert await waiting.athrow(KeyError("k")) == "caught"
    assert await waiting.__anext__() == 2
    await waiting.aclose()
    assert [i async for i in agen(2)] == [0, 1]
    try:
        failing = agen(2)
        await failing.__anext__()
        await failing.athrow(LookupError("out"))
    except LookupError:
        mark("thrown")


def check_generators():
    steps = generator(2)
    mark("made")
    assert next(steps) == 0 and steps.send("x") == 1
    try:
        next(steps)
    except StopIteration as stop:
        assert stop.value == ["x", None]
    closed = generator(2)
    next(closed)
    closed.close()
    thrown = generator(1)
    next(thrown)
    assert thrown.throw(KeyError("k")) == "caught"
    del thrown


def check_scopes():
    with taffrail.scope("app/step", n=3, what="x"):
        with taffrail.scope("app/step", n=4, what="y"):
            mark("inside")
    try:
        with taffrail.scope("app/step", n=5, what="z"):
            raise KeyError("key")
    except KeyError:
        pass


def check_names():
    def nameless():
        return 5
    for name in "a\ud800b", "\u00e9" * 200:
        nameless.__module__ = nameless.__qualname__ = name
        assert taffrail.trace(nameless)() == 5


check_kinds()
check_names()
check_functions()
asyncio.run(check_coroutines())
check_generators()
check_scopes()
mark("done")
