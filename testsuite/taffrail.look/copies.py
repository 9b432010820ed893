# SPDX-License-Identifier: LGPL-2.1-or-later
"""A part of a trace, as a chunk or an earlier copy of it has it.

Usage: copies.py FROM TO FIRST LAST

Makes the directory TO of the trace's directory FROM, with its metadata, and of
each stream the packets from number FIRST to LAST, without an index. Prints how
many packets the longest stream has.
"""
import glob
import os
import shutil
import struct
import sys

source, to = sys.argv[1:3]
first, last = int(sys.argv[3]), int(sys.argv[4])
longest = 0
os.makedirs(os.path.join(to, 'index'))
shutil.copy(os.path.join(source, 'metadata'), to)
shutil.copy(os.path.join(source, 'index', 'session'),
            os.path.join(to, 'index'))
for path in glob.glob(os.path.join(source, 'stream_*')):
    with open(path, 'rb') as file:
        data = file.read()
    at, number, kept = 0, 0, b''
    while at < len(data):
        size = struct.unpack_from('<Q', data, at + 56)[0] // 8
        if first <= number <= last:
            kept += data[at:at + size]
        at, number = at + size, number + 1
    longest = max(longest, number)
    if kept:
        with open(os.path.join(to, os.path.basename(path)), 'wb') as file:
            file.write(kept)
print(longest)
