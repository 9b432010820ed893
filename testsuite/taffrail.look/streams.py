# SPDX-License-Identifier: LGPL-2.1-or-later
"""A trace of very many streams: one stream's file under many names.

Usage: streams.py make DIRECTORY N
       streams.py cut STREAM COMMAND...

"make" gives the largest stream of the trace in DIRECTORY N more names, without
an index. "cut" runs the command, takes its first line, cuts the file to
nothing, and reads the rest. Prints the exit status, how many lines there were,
and how many lines of errors.
"""
import glob
import os
import subprocess
import sys


def make(directory, n):
    first = max(glob.glob(os.path.join(directory, '*', 'stream_*')),
                key=os.path.getsize)
    for number in range(n):
        os.link(first, os.path.join(os.path.dirname(first),
                                    'stream_%d' % (1000 + number)))
    print(first)


def cut(stream, command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    lines = 1 if process.stdout.readline() else 0
    os.truncate(stream, 0)
    out, errors = process.communicate(timeout=300)
    print(process.returncode, lines + out.count(b'\n'),
          errors.count(b'\n'))


if sys.argv[1] == 'make':
    make(sys.argv[2], int(sys.argv[3]))
else:
    cut(sys.argv[2], sys.argv[3:])
