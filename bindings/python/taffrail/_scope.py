# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks and functions as a pair of events: NAME_begin and NAME_end.

Both have the field `span`, a number that no other pair of the process has;
the end has `error`: the exception that ended it, or "".
"""
import contextlib
import functools
import inspect
import types

from ._event import ID_BYTES, event, parted
from ._taffrail import next_span

_pairs = {}             # "channel/name": (begin, end) of scope()


def words(error):
    """Returns an exception's class and text; "" for None. Never raises."""
    if error is None:
        return ""
    try:
        text = str(error)
    except Exception:
        text = "without text"
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _end(channel, name):
    return event(channel, name + "_end", span=int, error=str)


def _pair_of(name):
    pair = _pairs.get(name)
    if pair is None:
        channel, rest = parted(name)
        pair = event(channel, rest + "_begin"), _end(channel, rest)
        _pairs[name] = pair
    return pair


class scope:
    """with taffrail.scope("app/step", n=3): ...

    Writes app/step_begin, with the fields given, and app/step_end. The first
    scope of a name tells the fields and their types.
    """
    __slots__ = "_pair", "_fields", "_span"

    def __init__(self, name, /, **fields):
        if "span" in fields:
            raise TypeError("scope: the field 'span' is the scope's own")
        self._pair = _pairs.get(name) or _pair_of(name)
        self._fields = fields
        self._span = 0

    def __enter__(self):
        begin, end = self._pair
        if begin.enabled or end.enabled:
            self._span = next_span()
            begin(span=self._span, **self._fields)
        return self

    def __exit__(self, kind, error, traceback):
        if self._span:
            span, self._span = self._span, 0
            self._pair[1](span=span, error=words(error))


class _Span:
    """One run of a traced function."""
    __slots__ = "_end", "_span"

    def __init__(self, begin, end):
        self._end = end
        self._span = next_span()
        begin(span=self._span)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self._end(span=self._span, error=words(error))


def trace(function=None, /):
    """Decorates a function: it writes NAME_begin and NAME_end.

    @taffrail.trace               events of its module and qualified name
    @taffrail.trace("app/load")   of this name

    A coroutine ends when it is done, not when it waits; a generator begins when
    it is first asked, and ends when it is exhausted or closed.
    """
    if function is None:
        return trace
    if isinstance(function, str):
        channel, name = parted(function)
        return lambda function: _traced(function, channel, name)
    return _traced(function, None, None)


def _traced(function, channel, name):
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_traced(function.__func__, channel, name))
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"trace: {function!r} is no function")
    if channel is None:
        channel, name = _name_of(function)
    begin = event(channel, name + "_begin", span=int)
    return _wrapper_of(function)(function, begin, _end(channel, name))


def _name_of(function):
    """Returns channel and name. Of a name that is too long, the front goes."""
    channel = getattr(function, "__module__", None) or "python"
    name = getattr(function, "__qualname__", type(function).__qualname__)
    channel, name = ("".join("_" if c <= " " or c in "/\x7f" else c
                             for c in word) for word in (channel, name))
    room = ID_BYTES - len("_begin")
    channel = channel.encode(errors="replace")[:room // 2]
    name = name.encode(errors="replace")[len(channel) - room:]
    return channel.decode(errors="ignore"), name.decode(errors="ignore")


def _wrapper_of(function):
    if inspect.iscoroutinefunction(function):
        return _coroutine
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.isgeneratorfunction(function):
        return _generator
    return _function


def _function(function, begin, end):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if not (begin.enabled or end.enabled):
            return function(*args, **kwargs)
        with _Span(begin, end):
            return function(*args, **kwargs)
    return wrapper


def _coroutine(function, begin, end):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        if not (begin.enabled or end.enabled):
            return await function(*args, **kwargs)
        with _Span(begin, end):
            return await function(*args, **kwargs)
    return wrapper


def _generator(function, begin, end):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if not (begin.enabled or end.enabled):
            return (yield from function(*args, **kwargs))
        with _Span(begin, end):
            return (yield from function(*args, **kwargs))
    if function.__code__.co_flags & inspect.CO_ITERABLE_COROUTINE:
        return types.coroutine(wrapper)
    return wrapper


def _async_generator(function, begin, end):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        inner = function(*args, **kwargs)
        on = begin.enabled or end.enabled
        with _Span(begin, end) if on else contextlib.nullcontext():
            try:
                item = await inner.__anext__()
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        await inner.aclose()
                        raise
                    except BaseException as error:
                        item = await inner.athrow(error)
                    else:
                        item = await inner.asend(sent)
            except StopAsyncIteration:
                return
    return wrapper
