# SPDX-License-Identifier: LGPL-2.1-or-later
# Reads what babeltrace2 prints of sequences.c and prints a line for each
# event that is wrong, then the number of events of each name.
import re
import sys

VALUES = {
    'bytes': lambda i: i * 7 & 0xff,
    'halves': lambda i: i * 77 & 0xffff,
    'words': lambda i: -i * 777,
    'quads': lambda i: i * 77777777777,
    'after': lambda i: -i * 777,
}
SHIFTS = 13
seen = dict.fromkeys(VALUES, 0)
for line in sys.stdin:
    if ' taffrail:writer: ' in line:
        continue
    name, fields = re.search(r' app:(\w+): .*?\}, \{(.*)\}$',
                             line.strip()).groups()
    n = seen[name]
    seen[name] += 1
    got = [int(x, 0) for x in re.findall(r'\[\d+\] = (\w+|-\d+)', fields)]
    want = [VALUES[name](n % SHIFTS + i) for i in range(n)]
    if got != want:
        print('wrong:', name, n, fields[:200])
print(*('%s=%d' % item for item in sorted(seen.items())))
