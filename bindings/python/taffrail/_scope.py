# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks and functions as a pair of events: NAME_begin and NAME_end.

Both have the field `span`, a number that no other pair of the process has;
the end has `error`: the exception that ended it, or "".
"""
import functools
import inspect
import sys
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
    end = _end(channel, name)
    if _is_maker(function):
        return _stand(function, begin, end, _maker)
    if type(function) is types.FunctionType:
        return functools.update_wrapper(_function(function, begin, end),
                                        function)
    return _stand(function, begin, end, _function)


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


def _is_maker(function):
    """True when what a call returns does the work: a generator, a coroutine."""
    return (inspect.iscoroutinefunction(function) or
            inspect.isasyncgenfunction(function) or
            inspect.isgeneratorfunction(function))


def _function(function, begin, end):
    def wrapper(*args, **kwargs):
        if not (begin.enabled or end.enabled):
            return function(*args, **kwargs)
        with _Span(begin, end):
            return function(*args, **kwargs)
    return wrapper


def _maker(function, begin, end):
    """A wrong call fails here, as that of the function does. What the function
    makes stays as it is while the events are off."""
    def wrapper(*args, **kwargs):
        made = function(*args, **kwargs)
        if not (begin.enabled or end.enabled):
            return made
        around = _around.get(type(made))
        if around is None:
            with _Span(begin, end):
                return made
        return around(made, begin, end)
    return wrapper


class _Stand:
    """Stands for a function that is none of `def`, or that makes generators or
    coroutines: no function of Python's can stand for them in all respects. It
    passes for the function's own class, and is bound to an object if that is.
    """
    __slots__ = "_events", "_function", "__dict__", "__weakref__"

    def __init__(self, function, begin, end):
        self._events = begin, end
        self._function = function
        functools.update_wrapper(self, function)

    @property
    def __class__(self):
        return self._function.__class__

    def __get__(self, instance, owner=None):
        function = self._function
        get = getattr(type(function), "__get__", None)
        bound = get(function, instance, owner) if get else function
        if bound is function:
            return self
        if (type(bound) is types.MethodType and bound.__func__ is function):
            return types.MethodType(self, bound.__self__)
        return _stand(bound, *self._events, _function)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __setattr__(self, name, value):
        if name in _OF_CODE:
            setattr(self._function, name, value)
        else:
            object.__setattr__(self, name, value)

    def __repr__(self):
        return repr(self._function)

    def __reduce__(self):
        return self.__qualname__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_OF_CODE = {"__code__", "__defaults__", "__kwdefaults__"}


def _stand(function, begin, end, wrapper):
    """A class of its own: a call is one call of Python's then, not two."""
    call = staticmethod(wrapper(function, begin, end))
    return type("_Stand", (_Stand,), {"__slots__": (), "__call__": call})(
        function, begin, end)


def _named(made, inner):
    made.__name__ = inner.__name__
    made.__qualname__ = inner.__qualname__
    return made


def _generator(inner, begin, end):
    iterable = inner.gi_code.co_flags & inspect.CO_ITERABLE_COROUTINE
    steps = _iterable_coroutine_steps if iterable else _generator_steps
    return _named(steps(inner, begin, end), inner)


def _generator_steps(inner, begin, end):
    """`yield from` would close the generator instead of throwing
    GeneratorExit into it."""
    with _Span(begin, end):
        step, value = inner.send, None
        while True:
            try:
                item = step(value)
            except StopIteration as stop:
                return stop.value
            finally:
                value = None    # an exception, which refers to this frame
            try:
                value = yield item
                step = inner.send
            except BaseException as error:
                step, value = inner.throw, error


_iterable_coroutine_steps = types.coroutine(
    types.FunctionType(_generator_steps.__code__, globals()))


class _Held:
    """A coroutine before its first await. It is closed here, so that Python
    warns once: of the coroutine around it."""
    __slots__ = "inner",

    def __init__(self, inner):
        self.inner = inner

    def __del__(self):
        self.inner.close()


def _coroutine(inner, begin, end):
    return _named(_coroutine_steps(_Held(inner), begin, end), inner)


async def _coroutine_steps(held, begin, end):
    with _Span(begin, end):
        return await held.inner


def _async_generator(inner, begin, end):
    return _named(_async_generator_steps(inner, begin, end), inner)


async def _async_generator_steps(inner, begin, end):
    with _Span(begin, end):
        # an event loop closes the generator around, which closes this one
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, None)
        try:
            step = inner.asend(None)
        finally:
            sys.set_asyncgen_hooks(*hooks)
        while True:
            try:
                item = await step
            except StopAsyncIteration:
                return
            finally:
                step = None     # may refer to this frame by an exception
            try:
                step = inner.asend((yield item))
            except BaseException as error:
                step = inner.athrow(error)


_around = {types.GeneratorType: _generator,
           types.CoroutineType: _coroutine,
           types.AsyncGeneratorType: _async_generator}
