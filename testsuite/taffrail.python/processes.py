# SPDX-License-Identifier: LGPL-2.1-or-later
"""Threads and children of each kind, each with events of its own."""
import multiprocessing
import os
import threading

import taffrail

hit = taffrail.event("app", "hit", who=str, n=int)


def write(who, count):
    for n in range(count):
        hit(who=who, n=n)


def fork(who):
    pid = os.fork()
    if not pid:
        try:
            write(who, 300)
            # an event of which nobody knew before
            taffrail.event("app/child")(who=who, n=0)
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def threads():
    running = [threading.Thread(target=write, args=("thread%d" % i, 2000))
               for i in range(8)]
    for thread in running:
        thread.start()
    # a fork between threads that write
    fork("between")
    for thread in running:
        thread.join()


def processes(method):
    context = multiprocessing.get_context(method)
    child = context.Process(target=write, args=("by-" + method, 500))
    child.start()
    child.join()
    assert child.exitcode == 0, method


if __name__ == "__main__":
    write("main", 100)
    threads()
    fork("forked")
    for method in "fork", "spawn", "forkserver":
        processes(method)
    # an event is pickled as its name
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(hit, kwds={"who": "pickled", "n": 0})
