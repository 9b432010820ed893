#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts sessions, and hangs up before the answer.

    given-up.py SOCKET RULE

SOCKET is the agent's control socket. An answer that has come before it hangs up
is read, and that session destroyed. Prints how many answers it did not wait for.
"""
import select
import socket
import struct
import sys

MAGIC, VERSION = 0x4D524654, 2
START, DESTROY = 3, 8
HEAD = struct.Struct("<IHHIi")


def send(agent, kind, *lines):
    text = "".join(line + "\n" for line in lines).encode()
    agent.sendall(HEAD.pack(MAGIC, VERSION, kind, len(text), 0) + text)


def receive(agent):
    head = agent.recv(HEAD.size, socket.MSG_WAITALL)
    _, _, _, size, status = HEAD.unpack(head)
    text = agent.recv(size, socket.MSG_WAITALL) if size else b""
    if status:
        sys.exit("%d: %s" % (status, text.decode()))


def main():
    path, rule = sys.argv[1:]
    left = 0
    for i in range(16):
        name = "name=vain-%d" % i
        with socket.socket(socket.AF_UNIX) as agent:
            agent.connect(path)
            send(agent, START, name, "mode=overwrite", "buffer=65536", "rule=" + rule)
            if select.select([agent], [], [], 0.004 + i * 0.002)[0]:
                receive(agent)
                send(agent, DESTROY, name)
                receive(agent)
            else:
                left += 1
    print(left, "answers were not waited for")


if __name__ == "__main__":
    main()
