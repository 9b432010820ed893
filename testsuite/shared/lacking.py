# SPDX-License-Identifier: LGPL-2.1-or-later
"""lacking.py GDB COPY: makes a gdb without static tracepoints, as upstream took
them out of gdbserver: a copy of the program in which the names of the commands
and of the variable are others. Prints "lacking" when it found all of them."""
import os
import shutil
import sys

NAMES = {b"strace": b"xtrace", b"static-tracepoint-markers":
         b"xtatic-tracepoint-markers", b"$_sdata": b"$_xdata"}
program = shutil.which(sys.argv[1])
if not program:
    sys.exit("no " + sys.argv[1])
with open(program, "rb") as source:
    data = source.read()
for name, other in NAMES.items():
    whole = b"\0" + name + b"\0"
    if data.count(whole) != 1:
        sys.exit("%s is %d times in %s" % (name, data.count(whole), program))
    data = data.replace(whole, b"\0" + other + b"\0")
with open(sys.argv[2], "wb") as copy:
    copy.write(data)
os.chmod(sys.argv[2], 0o755)
print("lacking")
