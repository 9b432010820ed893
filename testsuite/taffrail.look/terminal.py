# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command on a terminal of its own, waits until it has printed what a
regular expression matches, and types.

Usage: terminal.py PATTERN KEYS COMMAND...

KEYS is typed as it is, with ^C for Ctrl-C. Prints how the command ended ("exit
N", "signal N", "late": not within two minutes), and what it printed.
"""
import os
import pty
import re
import select
import signal
import sys
import time

pattern = re.compile(sys.argv[1].encode())
keys = sys.argv[2].replace('^C', '\3').encode()
pid, terminal = pty.fork()
if not pid:
    os.execvp(sys.argv[3], sys.argv[3:])
out = b''
end = time.monotonic() + 120
late = False
while True:
    late = late or time.monotonic() > end
    if late:
        os.kill(pid, signal.SIGKILL)
    ready, _, _ = select.select([terminal], [], [], 1)
    if not ready:
        continue
    try:
        read = os.read(terminal, 65536)
    except OSError:
        read = b''
    if not read:
        break
    out += read
    if keys and pattern.search(out):
        os.write(terminal, keys)
        keys = b''
_, status = os.waitpid(pid, 0)
if late:
    print('late')
elif os.WIFSIGNALED(status):
    print('signal', os.WTERMSIG(status))
else:
    print('exit', os.WEXITSTATUS(status))
sys.stdout.flush()
os.write(1, out[-4000:])
