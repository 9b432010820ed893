# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lives of events: deleted, copied, at exit, in other interpreters, after
a reload, among many, and without growing. One word of the command says which.
"""
import atexit
import copy
import ctypes
import gc
import importlib
import os
import pickle
import sys
import threading

import taffrail
from taffrail import _taffrail

CODE = """
import taffrail
taffrail.event("app/other", n=int)(n=%d)
with taffrail.scope("app/scope"): pass
"""


def resident():
    """Without shared memory, which buffers are in."""
    with open("/proc/self/statm") as file:
        _, whole, shared, *_ = map(int, file.read().split())
    return (whole - shared) * os.sysconf("SC_PAGE_SIZE")


class Heap(ctypes.Structure):
    """What mallinfo2() returns: bytes, of them what is taken from libc."""
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks taken "
                "fordblks keepcost".split()]


def taken():
    """Objects of Python's own memory, and bytes of libc's; None without it."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return sys.getallocatedblocks(), None
    mallinfo2.restype = Heap
    return sys.getallocatedblocks(), mallinfo2().taken


class Text:
    def __str__(self):
        return "\xe9\0"


def steady():
    """Many calls of each kind need no memory that they do not give back.
    Buffers and caches are warm after the first round."""
    hit = taffrail.event("app/hit", n=int, s=str, b=bytes)
    traced = taffrail.trace("app/traced")(lambda: None)
    text = Text()

    def calls(count):
        for n in range(count):
            hit(n=n, s="plain", b=b"bytes")
            if not n % 8:
                hit(n=2 ** 70, s=text, b=[1, 2])
                hit(s="\udc80", other=1)
                hit(**{"n": 1, "s": text})
                traced()
                hit.enabled, hit.fields, repr(hit), copy.copy(hit)
                with taffrail.scope("app/scope", n=n):
                    pass
    rounds = int(os.environ.get("ROUNDS", "1000000"))
    calls(rounds * 2 // 5)
    gc.collect()
    before, (objects, heap) = resident(), taken()
    calls(rounds)
    gc.collect()
    grown, (more, bytes_more) = resident() - before, taken()
    assert grown < 1 << 20, grown
    # one in each eighth round would be found
    assert more - objects < rounds // 20, more - objects
    assert heap is None or bytes_more - heap < rounds // 2, bytes_more - heap
    objects = sys.getrefcount(text)
    calls(1000)
    assert sys.getrefcount(text) == objects


def exit():
    hit = taffrail.event("app/hit", n=int)

    class Last:
        def __del__(self):
            hit(n=2)
    sys.last_of_all = Last()
    atexit.register(hit, n=1)
    atexit.register(lambda: taffrail.event("app/late")(n=1))
    hit(n=0)


def released():
    """A name of a field calls the event when it is released."""
    hit = taffrail.event("app/hit", n=int, s=str)

    class Inner(str):
        pass

    class Outer(str):
        def __del__(self):
            hit(**{"s": "inner", inner: 2})
    inner = Inner("n")
    before = sys.getrefcount(inner)
    for _ in range(10):
        hit(**{Outer("n"): 1, "s": "outer"})
        hit(s="next", n=3)
    hit(s="last", n=4)
    gc.collect()
    assert sys.getrefcount(inner) == before


def delete():
    """Events that nothing names any more, while threads write them. Those of
    taffrail.event() stay, so these are made without it."""
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for event in list(shared):
                event(1)
    shared = []
    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(3000):
        shared.append(_taffrail.Event("app", "gone%d" % (n % 50), ("n",), (7,),
                                      False))
        if len(shared) > 5:
            del shared[0]
        if not n % 500:
            gc.collect()
    stop.set()
    for thread in threads:
        thread.join()
    _taffrail.Event("app", "kept", ("n",), (7,), False)(1)


def reload():
    hit = taffrail.event("app/hit", n=int)
    hit(n=0)
    importlib.reload(taffrail)
    assert taffrail.event("app/hit", n=int) is hit
    importlib.reload(sys.modules["taffrail._event"])
    importlib.reload(taffrail)
    again = taffrail.event("app/hit", n=int)
    assert again is not hit
    again(n=1)
    hit(n=2)
    for name in [name for name in sys.modules if name.startswith("taffrail")]:
        del sys.modules[name]
    module = importlib.import_module("taffrail")
    assert module is not taffrail
    module.event("app/hit", n=int)(n=3)
    hit(n=4)


def others():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        try:
            import _interpreters as interpreters
        except ImportError:
            return

    def run(number):
        try:
            interpreter = interpreters.create("legacy")
        except TypeError:
            interpreter = interpreters.create(isolated=False)
        try:
            result = interpreters.run_string(interpreter, CODE % number)
            assert result is None, result
        finally:
            interpreters.destroy(interpreter)
    for number in range(20):
        run(number)
    threads = [threading.Thread(target=run, args=(number,))
               for number in range(20, 24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def nested():
    """A collection in an event's first call runs code that calls the event."""
    first = None
    calls = 0

    class Last:
        def __init__(self):
            self.me = self

        def __del__(self):
            nonlocal calls
            if first.fields is None:
                calls += 1
                first(text="x" * 20)

    for n in range(400):
        first = taffrail.event("app/first%d" % n)
        # lists and tuples that are kept for the next one are all in use
        kept = [[] for _ in range(n % 100)], [(k,) for k in range(3000)]
        gc.collect()
        Last()
        gc.set_threshold(1 + n // 100)
        first(number=1, other=2)
        gc.set_threshold(700)
        assert kept and len(first.fields) in (1, 2)
        first(number=1, other=2)
    print(calls)


def many():
    events = [taffrail.event("app/e%d" % n, n=int) for n in range(20000)]
    assert len(set(map(id, events))) == len(events)
    for event in events[::100]:
        event(n=7)


def copies():
    hit = taffrail.event("app/hit", n=int, s="str")
    assert copy.deepcopy({"e": hit})["e"] is hit and copy.copy(hit) is hit
    assert pickle.loads(pickle.dumps(hit)) is hit
    assert taffrail.event("app", "hit", n="s64", s=str) is hit
    assert taffrail.event("app/hit") is hit
    assert taffrail.event("app/hit", n=int) is not hit
    assert hit.id == "app/hit" and hit.fields == {"n": "s64", "s": "str"}
    assert repr(hit) == \
        "<taffrail event app/hit, fields {'n': 's64', 's': 'str'}>"
    assert isinstance(hit, taffrail.Event) and callable(hit)
    unknown = taffrail.event("app/unknown")
    assert pickle.loads(pickle.dumps(unknown)) is unknown
    for wrong in (lambda: _taffrail.Event(), lambda: _taffrail.Event(1, 2, 3),
                  lambda: _taffrail.Event("a", "b", ("x",), (), False),
                  lambda: _taffrail.Event("a", "b", (5,), (7,), False),
                  lambda: _taffrail.Event("a", "b", ("x",), ("y",), False),
                  lambda: _taffrail.Event("a", "\ud800", (), (), False)):
        try:
            wrong()
        except (TypeError, ValueError):
            continue
        raise AssertionError(wrong)
    class Holder:
        event = hit
    Holder().event(n=1, s="a")


globals()[sys.argv[1]]()
