# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds what `status --json` says of how far back a killed process's buffers
reach against the events of its snapshot: reach.py STATUS.json EVENTS.json."""

import json
import sys

NEAR_NS = 2_000_000     # the times of the two come from two fits of one clock

(session,) = json.load(open(sys.argv[1]))["sessions"]
(process,) = session["processes"]
first, last = {}, 0
for line in open(sys.argv[2]):
    event = json.loads(line)
    first.setdefault(str(event["cpu_id"]), event["ns"])
    last = max(last, event["ns"])

rows = {row["buffer"]: row for row in process["reach"]}
print("buffers", rows.keys() == first.keys())
full = {name: row for name, row in rows.items() if not row["whole"]}
for name, row in full.items():
    if abs(row["since_ns"] - first[name]) > NEAR_NS:
        print("CPU", name, "begins at", row["since_ns"], "not", first[name])
    if abs(row["ns"] - (last - first[name])) > NEAR_NS:
        print("CPU", name, "reaches back", row["ns"], "not",
              last - first[name])
# a buffer that is not full yet begins at the start, before its first event
for name, row in rows.items():
    if row["whole"] and row["since_ns"] > first[name] + NEAR_NS:
        print("CPU", name, "has an event before", row["since_ns"])
print("shortest", process["reach_ns"] == min(r["ns"] for r in full.values()))
