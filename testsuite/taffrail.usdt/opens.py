# SPDX-License-Identifier: LGPL-2.1-or-later
# opens.py FILE COMMAND ...: runs the command, and prints how often the file was
# opened meanwhile.
import ctypes
import os
import struct
import subprocess
import sys

IN_OPEN, IN_CLOSE, IN_NONBLOCK = 0x20, 0x18, 0o4000
EVENT = struct.Struct("iIII")
libc = ctypes.CDLL(None)
watch = libc.inotify_init1(IN_NONBLOCK)
if libc.inotify_add_watch(watch, os.fsencode(sys.argv[1]),
                          IN_OPEN | IN_CLOSE) < 0:
    sys.exit("cannot watch it")
opens = 0
# two opens that wait together would count as one: a close stands between them
with subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL) as command:
    while True:
        ended = command.poll() is not None
        try:
            events = EVENT.iter_unpack(os.read(watch, 4096))
            opens += sum(event[1] & IN_OPEN != 0 for event in events)
        except BlockingIOError:
            if ended:
                break
print(opens)
