# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands of gdb for own.exp, which sets `name`, `work`, `taffrail` and
`static` before."""
import re
import subprocess
import time

import gdb

PROBES = gdb.execute("info probes stap app", to_string=True)
SITE = int(re.search(r"app +hit +(0x[0-9a-f]+)", PROBES).group(1), 16)


def code():
    return bytes(gdb.selected_inferior().read_memory(SITE, 6))


def opcode(wanted):
    """Waits until the site's jump is on (0xe9) or off (0xa9)."""
    end = time.monotonic() + 60
    while code()[1] != wanted and time.monotonic() < end:
        time.sleep(0.01)
    print("opcode: %s" % ("right" if code()[1] == wanted else code().hex()))


def own(what, *arguments):
    command = [taffrail, what, *arguments, name]
    if what != "snapshot":
        command += ["-p", str(gdb.selected_inferior().pid)]
    done = subprocess.run(command, capture_output=True, text=True)
    print("%s: %d %s" % (what, done.returncode, done.stderr))


class Mark(gdb.Command):
    """A tracepoint at app/hit."""

    def __init__(self):
        super().__init__("mark", gdb.COMMAND_USER)

    def invoke(self, argument, tty):
        if static:
            gdb.execute("strace -m app/hit")
        else:
            gdb.execute("ftrace *%d" % (SITE + 1))


class Turn(gdb.Command):
    """turn STEP: the program goes on to the end of its round, then STEP is
    done: start and stop are of a session of the agent's own."""

    def __init__(self):
        super().__init__("turn", gdb.COMMAND_USER)

    def invoke(self, step, tty):
        gdb.execute("continue")
        if step == "start":
            own("start", "-e", "app/hit")
        elif step == "stop":
            own("stop")
            own("snapshot", "-o", "%s/%s" % (work, name))
        else:
            gdb.execute(step)
        if step == "tstop":
            gdb.execute("tsave %s/%s.tf" % (work, name))


Mark()
Turn()
print("site: %d" % SITE)
