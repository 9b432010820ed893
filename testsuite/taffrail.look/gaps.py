# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes packets out of the middle of a trace's stream.

Usage: gaps.py DIRECTORY FIRST LAST

Removes the packets from number FIRST to LAST of the trace's largest stream,
its index and its ledger. Prints gap:PID:FROM:TO: the end of the packet before them, and
the first event behind them, in nanoseconds.
"""
import glob
import os
import re
import struct
import sys

directory = sys.argv[1]
first, last = int(sys.argv[2]), int(sys.argv[3])
# a section that gives up on a busy machine leaves a small stream of a locked ring
path = max(glob.glob(os.path.join(directory, 'stream_*')), key=os.path.getsize)
with open(os.path.join(directory, 'metadata'), encoding='utf-8') as text:
    metadata = text.read()


def number(name):
    return int(re.search(rf'\t{name} = (\d+);', metadata)[1])


def time(clock):
    clock += number('offset')
    return (number('offset_s') * 10**9 + clock * 10**9 // number('freq'))


with open(path, 'rb') as file:
    data = file.read()
at, kept, begin, end = 0, b'', 0, 0
while at < len(data):
    size, = struct.unpack_from('<Q', data, at + 56)
    seq, = struct.unpack_from('<Q', data, at + 64)
    if not first <= seq <= last:
        kept += data[at:at + size // 8]
    if seq == first - 1:
        begin, = struct.unpack_from('<Q', data, at + 40)
    if seq == last + 1:
        # the short clock of the first event: 27 bits
        end, = struct.unpack_from('<Q', data, at + 32)
        clock = struct.unpack_from('<I', data, at + 84)[0] >> 5
        end += (clock - end) % 2**27
    at += size // 8
with open(path, 'wb') as file:
    file.write(kept)
for name in glob.glob(os.path.join(directory, 'index', '*')):
    os.unlink(name)
# the events at both ends are there, and readers may round otherwise
print(f'gap:{number("vpid")}:{time(begin) + 1}:{time(end) - 1}')
