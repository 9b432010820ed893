# SPDX-License-Identifier: LGPL-2.1-or-later
"""Declares events: checks names and types, and keeps one object an event."""
import sys

from ._taffrail import TYPES, Event

ID_BYTES = 126          # of channel and name, in UTF-8

_words = {int: "s64", float: "f64", str: "str", bool: "bool", bytes: "bytes",
          bytearray: "bytes", memoryview: "bytes", "int": "s64",
          "float": "f64"}
_events = {}            # (channel, name, fields): event
_first = {}             # (channel, name): the event that was first


def event(channel, name=None, /, **fields):
    """Returns the event "channel/name"; event("channel/name") is the same.

    Each field has a type: int, float, bool, str, bytes, or the word of a
    smaller one ("s8", "u8" ... "u64", "f32", "f64", "ptr"). Without fields,
    returns the event of that name, if there is one, or one of which the first
    call tells the fields.

    Raises ValueError for a name, and TypeError for a type, that cannot be.
    """
    if name is None:
        channel, name = parted(channel)
    found = _first.get((channel, name)) if not fields else None
    return found or _declare(channel, name, {
        field: _type(field, kind) for field, kind in fields.items()} or None)


def parted(name):
    """Returns channel and name of "channel/name" or "channel:name"."""
    if not isinstance(name, str):
        raise TypeError(f"{name!r}: an event's name is a str")
    channel, _, name = name.partition("/" if "/" in name else ":")
    return channel, name


def again(channel, name, fields):
    """Returns the event of a copy, or of what was unpickled."""
    return _declare(channel, name, fields)


def _declare(channel, name, fields):
    key = channel, name, tuple(fields.items()) if fields else fields
    found = _events.get(key)
    if found is None:
        _check(channel, name)
        made = Event(channel, name,
                     None if fields is None else tuple(fields),
                     None if fields is None else
                     tuple(TYPES[word] for word in fields.values()),
                     sys.flags.dev_mode)
        found = _events.setdefault(key, made)
        _first.setdefault(key[:2], found)
    return found


def _type(field, kind):
    try:
        word = _words.get(kind, kind)
        if word in TYPES:
            return word
    except TypeError:   # it has no hash
        pass
    raise TypeError(f"field {field!r}: the type {kind!r} is none of int, "
                    f"float, bool, str, bytes, {', '.join(map(repr, TYPES))}")


def _check(channel, name):
    for word in channel, name:
        if not isinstance(word, str):
            raise TypeError(f"{word!r}: an event's name is a str")
        if not word or any(c <= " " or c in "/\x7f" for c in word):
            raise ValueError(f"{channel + '/' + name!r}: an event's name is "
                             "CHANNEL/NAME, without blanks, control "
                             "characters and other slashes")
    if len((channel + name).encode()) > ID_BYTES:
        raise ValueError(f"{channel + '/' + name!r} is longer than "
                         f"{ID_BYTES + 1} bytes")
