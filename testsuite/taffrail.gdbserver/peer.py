# SPDX-License-Identifier: LGPL-2.1-or-later
"""Both sides of a filter, without gdb and gdbserver, to send much to who reads
little at a time.

peer.py gdb PORT PID        PID is the filter; prints results
peer.py --once HOST:PORT    in place of gdbserver
"""
import socket
import sys

BYTES = 24 << 20
PIECE = 2048
GROWTH_KB = 4096


def check(name, value):
    print("%s: %s" % ("PASS" if value else "FAIL", name), flush=True)


def read_all(peer, wanted):
    """How many of them came, in small pieces, unless they are damaged."""
    got = 0
    while got < wanted:
        data = peer.recv(PIECE)
        if not data or data.strip(b"+"):
            break
        got += len(data)
    return got


def serve(comm):
    host, port = comm.split(":")
    listener = socket.create_server((host, int(port)))
    print("Listening on port %s" % port, file=sys.stderr, flush=True)
    peer = listener.accept()[0]
    got = read_all(peer, BYTES)
    peer.sendall(b"-" if got == BYTES else b"x")
    peer.sendall(b"+" * BYTES)
    return 7


def ask(port, pid):
    def peak():
        with open("/proc/%s/status" % pid) as status:
            return next(int(line.split()[1]) for line in status
                        if line.startswith("VmHWM"))

    peer = socket.create_connection(("localhost", port))
    before = peak()
    peer.sendall(b"+" * BYTES)
    check("slow server: it gets all", peer.recv(1) == b"-")
    check("slow server: nothing grows", peak() - before < GROWTH_KB)
    got = 0
    while got < BYTES // 2:
        got += len(peer.recv(PIECE))
    check("slow gdb: nothing grows", peak() - before < GROWTH_KB)
    check("slow gdb: it gets all", got + read_all(peer, BYTES - got) == BYTES)


if sys.argv[1] == "gdb":
    ask(int(sys.argv[2]), sys.argv[3])
else:
    sys.exit(serve(next(a for a in sys.argv[1:] if ":" in a)))
