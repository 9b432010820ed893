# SPDX-License-Identifier: LGPL-2.1-or-later
"""A serial line: prints the names of its two ends and carries bytes between
them until it is ended."""
import os
import pty
import select
import tty

ends = [pty.openpty() for _ in range(2)]
for _, slave in ends:
    tty.setraw(slave)           # kept open: an end may come and go
print(*[os.ttyname(slave) for _, slave in ends], flush=True)
masters = [master for master, _ in ends]
while True:
    for fd in select.select(masters, [], [])[0]:
        data = os.read(fd, 4096)
        other = masters[1 - masters.index(fd)]
        while data:
            data = data[os.write(other, data):]
