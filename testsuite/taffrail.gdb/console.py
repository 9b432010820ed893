# SPDX-License-Identifier: LGPL-2.1-or-later
"""console.py LINE INPUT COMMAND...: a gdb with a dprintf at LINE of points.c,
that waits in `continue`. INPUT asks the program for requests, until gdb shows
their texts: it may not yet wait for the first."""
import queue
import signal
import subprocess
import sys
import threading
import time

from rsp import check

line, fifo = sys.argv[1:3]
gdb = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
lines = queue.Queue()
threading.Thread(target=lambda: [lines.put(one) for one in gdb.stdout],
                 daemon=True).start()
seen = []


def await_line(text, seconds):
    """Returns whether a line with the text comes in time."""
    end = time.monotonic() + seconds
    try:
        while not seen or text not in seen[-1]:
            seen.append(lines.get(timeout=max(0, end - time.monotonic())))
    except queue.Empty:
        return False
    return True


def say(text):
    gdb.stdin.write(text + '\n')
    gdb.stdin.flush()


say('dprintf points.c:%s,"console %%d\\n", r->id' % line)
say('continue')
came, tries = False, 0
while not came and tries < 60:
    with open(fifo, 'w') as file:
        file.write('1\n')
    came, tries = await_line('console 0', 1), tries + 1
check('a text while gdb waits', came, seen)
gdb.send_signal(signal.SIGINT)
check('an interrupt ends the wait', await_line('SIGINT', 60), seen)
say('break handle')
say('continue')
check('no wait beside a breakpoint', await_line('no breakpoints here', 60),
      seen)
say('delete')
say('dprintf *&served,"x"')
check('why one is refused', await_line('The agent has refused it: dprintf at',
                                       60), seen)
say('delete')
say('disconnect')
say('show dprintf-style')
check('the settings are as before', await_line('is "gdb"', 60), seen)
say('quit')
check('gdb ends', gdb.wait(60) == 0)
