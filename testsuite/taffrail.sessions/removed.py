# SPDX-License-Identifier: LGPL-2.1-or-later
"""Removes a stream of a trace, as --max-size does it.

Usage: removed.py TRACE

Removes the files of the last of the trace's streams, and writes the ledger as if
they had been removed to keep to the limit. Prints the end of the stream's last
packet, in nanoseconds since 1970.
"""
import glob
import os
import re
import struct
import sys
import zlib

trace = sys.argv[1]
path = max(glob.glob(os.path.join(trace, 'stream_*')))
name = os.path.basename(path)
with open(path, 'rb') as file:
    data = file.read()
at = end = 0
while at < len(data):
    end, _, size = struct.unpack_from('<QQQ', data, at + 40)
    at += size // 8
os.unlink(path)
os.unlink(os.path.join(trace, 'index', name + '.idx'))
ledger = os.path.join(trace, 'index', 'ledger')
with open(ledger, encoding='utf-8') as file:
    text = file.read()
text = re.sub(rf'\n{name} (\d+) \d+ \d+ (\d+)\n',
              rf'\n{name} \1 0 \1 \2 {end}\n', text)
text = text[:text.index('checksum')]
with open(ledger, 'w', encoding='utf-8') as file:
    file.write(f'{text}checksum {zlib.crc32(text.encode()):08x}\n')
with open(os.path.join(trace, 'metadata'), encoding='utf-8') as file:
    metadata = file.read()
offset_s, offset, freq = (
    int(re.search(rf'\t{key} = (\d+);', metadata)[1])
    for key in ('offset_s', 'offset', 'freq'))
print(offset_s * 10**9 + (offset + end) * 10**9 // freq)
