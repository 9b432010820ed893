# SPDX-License-Identifier: LGPL-2.1-or-later
"""served.py DIR: writes a CTF 1.8 trace of a server with three threads.

Threads 101 and 102 serve requests, with a query inside each. A job that one of
them sends is received by thread 103; its id is the key. Of each queue there is a
number that goes up and down, and one request does not end.
"""
import math
import os
import struct
import sys

METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 64; align = 8; signed = true; } := s64;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "far"; domain = "ust"; procname = "server"; vpid = 100;
	tracer_name = "hand"; };
clock { name = c; freq = 1000000000; offset_s = 1795656939; absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { packet.context := struct { stamp timestamp_begin;
		stamp timestamp_end; u8 cpu_id; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct { s32 vtid; }; };
event { name = "app:request_begin"; id = 0;
	fields := struct { s32 id; string url; }; };
event { name = "app:request_end"; id = 1; fields := struct { s32 status; }; };
event { name = "app:query_begin"; id = 2; fields := struct { s32 id; }; };
event { name = "app:query_end"; id = 3; fields := struct { s32 rows; }; };
event { name = "app:job_sent"; id = 4; fields := struct { s32 id; }; };
event { name = "app:job_received"; id = 5; fields := struct { s32 id; }; };
event { name = "app:queue"; id = 6;
	fields := struct { s64 length; f64 load; string text; }; };
'''
REQUESTS = 400


def number(n):
    return struct.pack('<i', n)


def events_of(thread):
    at = 1000 * thread
    for n in range(REQUESTS):
        key = 2 * n + thread
        length = 20000 + 7919 * n % 90000
        yield at, 0, 101 + thread, number(key) + b'/page/%d\0' % (n % 5)
        yield at + 3000, 2, 101 + thread, number(key)
        yield at + 3000 + length // 2, 3, 101 + thread, number(n % 11)
        yield at + length - 2000, 4, 101 + thread, number(key)
        yield at + length + 9000 + 1777 * n % 40000, 5, 103, number(key)
        if n < REQUESTS - 1 or thread:
            yield at + length, 1, 101 + thread, number(200)
        yield at + length + 500, 6, 101 + thread, struct.pack(
            '<qd', n % 37 - 5, math.sin(n / 20)) + b'</script>\0'
        at += 140000


def main():
    events = sorted(one for thread in range(2) for one in events_of(thread))
    os.makedirs(sys.argv[1])
    with open(os.path.join(sys.argv[1], 'metadata'), 'w') as to:
        to.write(METADATA)
    with open(os.path.join(sys.argv[1], 'stream'), 'wb') as to:
        to.write(struct.pack('<QQB', 0, events[-1][0], 0))
        for ns, event, tid, fields in events:
            to.write(struct.pack('<BQi', event, ns, tid) + fields)


if __name__ == '__main__':
    main()
