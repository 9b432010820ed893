# SPDX-License-Identifier: LGPL-2.1-or-later
"""many.py DIR PROCESSES [JOBS]: writes the CTF 1.8 traces of so many processes,
of two threads each. A thread has ten jobs, or so many, with a tick inside each.
Process N is named workerN % 7, and its first event comes N microseconds after
that of process 0.
"""
import os
import struct
import sys

METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := s32;
trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "far"; domain = "ust"; procname = "worker%d"; vpid = %d;
	tracer_name = "hand"; };
clock { name = c; freq = 1000000000; offset_s = 1795656939; absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { packet.context := struct { stamp timestamp_begin;
		stamp timestamp_end; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct { s32 vtid; }; };
event { name = "app:job_begin"; id = 0; fields := struct { s32 n; }; };
event { name = "app:job_end"; id = 1; fields := struct { s32 n; }; };
event { name = "app:tick"; id = 2; fields := struct { s32 n; }; };
'''
THREADS = 2


def events_of(process, pid, jobs):
    for thread in range(THREADS):
        for n in range(jobs):
            ns = 1000000 * n + 1000 * process + 333 * thread
            length = 5000 + (7919 * process + 104729 * n) % 900000
            # the second thread works half as long
            length //= thread + 1
            yield ns, 0, pid + thread, n
            yield ns + 7, 2, pid + thread, n
            yield ns + length, 1, pid + thread, n


def main():
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    for process in range(int(sys.argv[2])):
        pid = 1000 + 10 * process
        folder = os.path.join(sys.argv[1], 'worker-%d' % process)
        os.makedirs(folder)
        with open(os.path.join(folder, 'metadata'), 'w') as to:
            to.write(METADATA % (process % 7, pid))
        events = sorted(events_of(process, pid, jobs))
        with open(os.path.join(folder, 'stream'), 'wb') as to:
            to.write(struct.pack('<QQ', 0, events[-1][0]))
            for ns, event, tid, n in events:
                to.write(struct.pack('<BQii', event, ns, tid, n))


if __name__ == '__main__':
    main()
