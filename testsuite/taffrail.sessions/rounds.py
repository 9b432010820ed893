# SPDX-License-Identifier: LGPL-2.1-or-later
# rounds.py SOCKET N: starts and destroys a session N times. Prints "done" or
# the answer that was wrong.
import socket, struct, sys

MAGIC, VERSION, START, DESTROY = 0x4d524654, 2, 3, 8
path, rounds = sys.argv[1], int(sys.argv[2])

def read(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise SystemExit("the agent hung up")
        data += more
    return data

def ask(s, type, payload):
    s.sendall(struct.pack("<IHHIi", MAGIC, VERSION, type, len(payload), 0) +
              payload)
    length, status = struct.unpack("<8xIi", read(s, 16))
    text = read(s, length)
    if status:
        raise SystemExit(f"round {i}: {status} {text}")

with socket.socket(socket.AF_UNIX) as s:
    s.connect(path)
    for i in range(rounds):
        ask(s, START, b"name=round\nbuffer=262144\nrule=app/* if n > 3\n")
        ask(s, DESTROY, b"name=round\n")
print("done")
