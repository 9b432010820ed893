# SPDX-License-Identifier: LGPL-2.1-or-later
# A part of taffrail-gdb.py (text.py says more): probe libraries. The commands
# are those of the shell, for the process that is selected here.
import os
import shlex
import shutil
import subprocess

import gdb


class TaffrailLibraries(TaffrailCommand):
    """Runs `taffrail WORD PID ...` on the selected inferior."""

    def __init__(self, word, help_text):
        self.word = word
        self.__doc__ = help_text
        super().__init__("taffrail " + word, gdb.COMMAND_TRACEPOINTS)

    def words(self, pid, arguments):
        return [self.word, str(pid)] + arguments

    def run(self, argument):
        pid = gdb.selected_inferior().pid
        if not pid:
            raise gdb.GdbError("no process: connect to one first "
                               "(taffrail gdb -p PID)")
        command = os.environ.get("TAFFRAIL_COMMAND") or \
            shutil.which("taffrail")
        if not command:
            raise gdb.GdbError("the command taffrail is not in PATH")
        done = subprocess.run(
            [command] + self.words(pid, shlex.split(argument)),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace")
        for line in done.stdout.splitlines():
            taffrail_print(line)
        if done.returncode:
            raise gdb.GdbError(done.stderr.rstrip() or
                               "taffrail %s has failed" % self.word)
        for line in done.stderr.splitlines():
            taffrail_print(line)


class TaffrailEnable(TaffrailLibraries):
    def words(self, pid, arguments):
        return [self.word, "callbacks", "-p", str(pid)] + arguments


def taffrail_load_libraries():
    TaffrailLibraries("load", """Load a probe library into the program.

taffrail load LIB
LIB is a file, or the name of a library that comes with Taffrail: histogram,
watchdog.  taffrail connect connects its callbacks to markers.""")
    TaffrailLibraries("unload", """Unload a probe library.

taffrail unload LIB""")
    TaffrailLibraries("connect", """Connect a callback to markers.

taffrail connect [--enable] RULE LIB:FUNCTION [NAME=VALUE]...
It is called once it is enabled.  A rule with blanks stands in quotes.""")
    TaffrailLibraries("disconnect", """Take a callback from its markers.

taffrail disconnect RULE LIB:FUNCTION""")
    TaffrailLibraries("call", """Call a function of a probe library.

taffrail call LIB:FUNCTION [WORD]...
Prints what the function prints.""")
    TaffrailEnable("enable", """Enable the callbacks that are connected to RULE.

taffrail enable RULE""")
    TaffrailEnable("disable", """Disable the callbacks that are connected to \
RULE.

taffrail disable RULE""")
