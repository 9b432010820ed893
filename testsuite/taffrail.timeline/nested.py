# SPDX-License-Identifier: LGPL-2.1-or-later
"""nested.py DIR N: writes the CTF 1.8 trace of a thread whose calls are told
whole, each by one event, at its end: N calls of fn:outer, with two of fn:inner in
each, and, but for the first, fn:leaf in the second of these. The call of fn:main is around all, and
begins before the first event.
"""
import os
import struct
import sys

EVENT = '''event { name = "fn:%s"; id = %d;
	fields := struct { s64 duration; u32 depth; s64 value; }; };
'''
METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = true; } := s64;
trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "far"; domain = "ust"; procname = "calls"; vpid = 100;
	tracer_name = "hand"; };
clock { name = c; freq = 1000000000; offset_s = 1795656939; absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { packet.context := struct { stamp timestamp_begin;
		stamp timestamp_end; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct { s32 vtid; }; };
'''
NAMES = ['main', 'outer', 'inner', 'leaf']
STEP = 1000
START = 5000


def calls(n):
    """(end, begin, depth), ns from the call of fn:main, in the order of events."""
    for i in range(n):
        at = START + STEP * i
        # every other first call begins with the call around it
        yield at + 300, at + 100 * (i % 2), 3
        # so parts of 2^N events end within a call
        if i:
            yield at + 480, at + 410, 4
        yield at + 500, at + 400, 3
        yield at + 900, at, 2
    yield START + STEP * n, 0, 1


def main():
    made = list(calls(int(sys.argv[2])))
    os.makedirs(sys.argv[1])
    with open(os.path.join(sys.argv[1], 'metadata'), 'w') as to:
        to.write(METADATA + ''.join(EVENT % (name, number)
                                    for number, name in enumerate(NAMES)))
    with open(os.path.join(sys.argv[1], 'stream'), 'wb') as to:
        to.write(struct.pack('<QQ', made[0][0], made[-1][0]))
        for end, begin, depth in made:
            to.write(struct.pack('<BQiqIq', depth - 1, end, 100, end - begin,
                                 depth, begin))


if __name__ == '__main__':
    main()
