# SPDX-License-Identifier: LGPL-2.1-or-later
"""wall.py KIND DIR: writes a CTF 1.8 trace whose times are far apart.

october   2026-10-25, when clocks of Berlin are set back at 01:00 UTC
march     2026-03-29, when they are set forward
year      a year, in which both happen
before    times before and after 1970
long      slices of all lengths, and some that do not end
"""
import calendar
import os
import struct
import sys

NS_PER_S = 10 ** 9
METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := s32;
trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "far"; domain = "ust"; procname = "wall"; vpid = 77;
	tracer_name = "hand"; };
clock { name = c; freq = 1000000000; offset_s = %d; absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { packet.context := struct { stamp timestamp_begin;
		stamp timestamp_end; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct { s32 vtid; }; };
event { name = "app:hour_begin"; id = 0; fields := struct { s32 n; }; };
event { name = "app:hour_end"; id = 1; fields := struct { s32 n; }; };
event { name = "app:tick"; id = 2; fields := struct { s32 n; }; };
event { name = "app:wait_begin"; id = 3; fields := struct { s32 n; }; };
event { name = "app:wait_end"; id = 4; fields := struct { s32 n; }; };
'''
BEGIN, END, TICK, WAIT, WAIT_END = range(5)
# of slices, in ns: what rounds to the next unit, hours that are almost whole
LENGTHS = [
    0, 1, 999, 1000, 12345, 999_949, 999_950, 999_999, 1_234_567, 999_999_999,
    NS_PER_S, 59_994_000_000, 59_995_000_001, 61_500_000_000,
    119_960_000_000, 3_599_900_000_000, 3_599_960_000_000,
    7_200_000_000_004, 12_304_000_000_000, 86_399_400_000_000,
    86_399_600_000_000, 93_784_000_000_001, 183_870_000_000_000]


def utc(*date):
    return calendar.timegm(date + (0,) * (6 - len(date))) * NS_PER_S


def change(second):
    """Around a change of clocks: the nanosecond before it, and hours."""
    hour = 3600 * NS_PER_S
    return [(second - 3 * hour, TICK, 1), (second - hour - 1, BEGIN, 1),
            (second - 1, TICK, 1), (second, TICK, 1), (second + 1, TICK, 1),
            (second + hour // 2, END, 1), (second + 3 * hour // 2, TICK, 2),
            (second + 3 * hour + 123456789, TICK, 2)]


def year():
    days = [(utc(2025, 12, 1) + day * 86400 * NS_PER_S, TICK, 1)
            for day in range(0, 364, 7)]
    changes = [one for one in change(utc(2026, 3, 29, 1)) +
               change(utc(2026, 10, 25, 1)) if not one[0] % NS_PER_S]
    return sorted(days + changes)


def before():
    times = [-7200 * NS_PER_S - 1, -3 * NS_PER_S, -2 * NS_PER_S - 1,
             -2 * NS_PER_S, -1, 0, 1, 5 * NS_PER_S]
    return [(ns, TICK, 1) for ns in times]


def long():
    events, at = [], utc(2026, 10, 20)
    for length in LENGTHS:
        events += [(at, BEGIN, 1), (at + length, END, 1)]
        at += length + 10
    events.insert(0, (events[0][0], WAIT, 2))
    events += [(at, WAIT, 3), (at + 5, WAIT_END, 3), (at + 10, BEGIN, 1),
               (at + 1_000_000_000, TICK, 1)]
    return events


KINDS = {'october': lambda: change(utc(2026, 10, 25, 1)),
         'march': lambda: change(utc(2026, 3, 29, 1)),
         'year': year, 'before': before, 'long': long}


def main():
    events = KINDS[sys.argv[1]]()
    base = events[0][0] // NS_PER_S
    os.makedirs(sys.argv[2])
    with open(os.path.join(sys.argv[2], 'metadata'), 'w') as to:
        to.write(METADATA % base)
    with open(os.path.join(sys.argv[2], 'stream'), 'wb') as to:
        # libbabeltrace2 2.1 gives up on a packet that has no times
        to.write(struct.pack('<QQ', 0, events[-1][0] - base * NS_PER_S))
        for n, (ns, event, vtid) in enumerate(events):
            to.write(struct.pack('<BQii', event, ns - base * NS_PER_S, vtid, n))


if __name__ == '__main__':
    main()
