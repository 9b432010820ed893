# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traced functions of each kind, and scopes. Prints nothing when all is right."""
import asyncio
import copy
import functools
import gc
import inspect
import sys
import types
import warnings

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


def kept(n):
    """Stays when it is asked to end."""
    while True:
        try:
            yield n
        except GeneratorExit:
            yield "kept"
            return n


async def awaited(n):
    return n


async def passed(n):
    try:
        yield n
    except GeneratorExit:
        mark("ends")
        await asyncio.sleep(0)
        raise


def list_of(*args):
    return list(args)


def raises(kind, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        return str(error)
    raise AssertionError(f"{function} raises no {kind}")


def check_faithful(channel):
    """What a traced function does, in all that a program may look at."""
    def trace(name, function):
        return taffrail.trace(channel + "/" + name)(function)
    for kind, function in (("isgeneratorfunction", kept),
                           ("iscoroutinefunction", awaited),
                           ("isasyncgenfunction", passed)):
        traced = trace("kind", function)
        assert getattr(inspect, kind)(traced) and inspect.isfunction(traced)
        assert inspect.signature(traced) == inspect.signature(function)
        assert inspect.getfullargspec(traced) == \
            inspect.getfullargspec(function)
        assert traced.__code__ is function.__code__
        assert traced.__doc__ == function.__doc__
        assert copy.deepcopy(traced) is traced
        # a wrong call fails when it is made
        assert raises(TypeError, traced) == raises(TypeError, function)
        bound = types.MethodType(traced, 1)
        assert getattr(inspect, kind)(bound)

    class Bound:
        steps = trace("steps", lambda self: (yield self))
        plain = functools.partial(list_of, 7)
        part = trace("part", plain)
        length = trace("length", len)
    bound = Bound()
    assert next(bound.steps()) is bound and inspect.ismethod(bound.steps)
    assert Bound.length("abc") == bound.length("abc") == 3
    # releases differ in whether this is a method; one warns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        assert Bound.part(2) == [7, 2] and Bound.part.func is list_of
        assert isinstance(Bound.part, functools.partial)
        assert bound.part(2) == bound.plain(2)
    # partial functions of each kind
    part = trace("kept", functools.partial(kept, 4))
    assert inspect.isgeneratorfunction(part)
    steps = part()
    assert inspect.isgenerator(steps) and steps.__name__ == "kept"
    assert next(steps) == 4
    assert steps.throw(GeneratorExit()) == "kept"
    assert raises(StopIteration, next, steps) == "4"
    assert asyncio.run(trace("awaited", functools.partial(awaited, 5))()) == 5
    old = types.coroutine(trace("iterable", lambda: (yield)))
    assert inspect.isawaitable(old())
    # a caller that does not await is warned once
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trace("forgotten", awaited)(1)
        gc.collect()
    assert [str(w.message) for w in caught] == [
        "coroutine 'awaited' was never awaited"], caught


def check_loop_end():
    """A loop that ends closes generators that wait, without a complaint."""
    complaints = []
    waiting = []

    async def leave():
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: complaints.append(context))
        waiting.append(taffrail.trace("app/passed")(passed)(1))
        assert await waiting[0].__anext__() == 1
    asyncio.run(leave())
    assert not complaints, complaints


def check_off():
    for function in kept, passed:
        made = taffrail.trace("off/made")(function)(1)
        assert getattr(made, "gi_code", getattr(made, "ag_code", None)) is \
            function.__code__
    made = taffrail.trace("off/awaited")(awaited)(1)
    assert made.cr_code is awaited.__code__
    made.close()


check_kinds()
check_names()
check_functions()
asyncio.run(check_coroutines())
check_generators()
check_scopes()
mark("done")
check_faithful("app")
check_faithful("off")
check_loop_end()
check_off()
mark("faithful")
