# SPDX-License-Identifier: LGPL-2.1-or-later
"""columns.py COLUMNS COMMAND...: runs a command on a terminal of so many
columns, prints what the terminal gets, and ends with the command's status."""

import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ,
                struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        piece = b""
    if not piece:
        break
    text += piece
sys.stdout.write(text.decode(errors="replace").replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
