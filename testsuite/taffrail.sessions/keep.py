# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the events of keep.c in a snapshot: keep.py EVENTS.json KEEP_NS
[COUNTS [OVERWRITTEN]]. Each thread's events must be there once, in order, and
each CPU's in the order of time. With KEEP_NS above 0, they must be there without
a gap, back to an event that is so much older than the last one, or to the first.
With COUNTS, the file that a killed program has left, the last event is the last
one that was written. With OVERWRITTEN, so many events are missing in all. Prints
what is wrong, and a line for each thread."""

import json
import struct
import sys

keep_ns = int(sys.argv[2])
first, last, cpus, newest, found = {}, {}, {}, 0, 0
for line in open(sys.argv[1]):
    event = json.loads(line)
    ns, fields = event["ns"], event["fields"]
    who, n, cpu = fields["who"], fields["n"], event["cpu_id"]
    if ns < cpus.get(cpu, 0):
        print("CPU", cpu, "goes back to", ns, "from", cpus[cpu])
    cpus[cpu] = newest = ns
    found += 1
    if who in last and (n <= last[who] or keep_ns and n != last[who] + 1):
        print("thread", who, "has event", n, "behind", last[who])
    first.setdefault(who, (n, ns))
    last[who] = n
for who, (n, ns) in sorted(first.items()):
    enough = not n or newest - ns >= keep_ns
    print("thread", who, "enough" if enough else
          f"only {(newest - ns) / 1e9} s")
if len(sys.argv) > 3:
    counts = struct.unpack("4q", open(sys.argv[3], "rb").read())
    for who in 0, 1:
        begun, done = counts[2 * who:2 * who + 2]
        if done and not done - 1 <= last.get(who, -1) <= begun - 1:
            print("thread", who, "ends with", last.get(who), "of", done, begun)
if len(sys.argv) > 4 and sum(last.values()) + len(last) - found != int(sys.argv[4]):
    print(sum(last.values()) + len(last) - found, "missing, not", sys.argv[4])
