#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts sites at functions of a process and takes them away again, at random.

    switch-sites.py SOCKET SEED REQUESTS TRAPS RULE...

SOCKET is the agent's control socket. A RULE "@FILE" stands for the rules of a file,
each some lines of a request, with an empty line between two. A session is started with some of the
rules, if TRAPS is 1 every other one with traps; then rules are enabled and disabled, one a request;
at times the session ends and another one starts. Requests that a thread which blocks SIGTRAP may
refuse are no failure: the session tells of those. Prints how many requests there
were, and how many sites they named.
"""
import random
import socket
import struct
import sys

MAGIC, VERSION = 0x4D524654, 2
START, ENABLE, DISABLE, DESTROY = 3, 4, 5, 8
HEAD = struct.Struct("<IHHIi")


class Agent:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def take(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                sys.exit("the process has hung up")
            data += more
        return data

    def ask(self, kind, *lines):
        text = "".join(line + "\n" for line in lines).encode()
        self.socket.sendall(HEAD.pack(MAGIC, VERSION, kind, len(text), 0) + text)
        _, _, _, size, status = HEAD.unpack(self.take(HEAD.size))
        answer = self.take(size).decode()
        if status:
            sys.exit("%s: %d: %s" % (lines, status, answer))
        fields = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
        return int(fields.get("matched", 0))


def main():
    path, seed, requests, traps, *rules = sys.argv[1:]
    rules = [part.splitlines() for rule in rules for part in
             (open(rule[1:]).read().strip().split("\n\n") if rule[0] == "@" else
              ["rule=" + rule])]
    chance = random.Random(int(seed))
    agent = Agent(path)
    sites = 0
    session = None
    for _ in range(int(requests)):
        if session is None:
            session = "name=random-%d" % chance.randrange(1000)
            some = chance.sample(rules, chance.randint(1, min(3, len(rules))))
            sites += agent.ask(START, session, "mode=overwrite", "buffer=65536",
                               "context=none", "int3=%d" %
                               (traps == "1" and chance.random() < 0.5),
                               *(line for rule in some for line in rule))
        elif chance.random() < 0.02:
            agent.ask(DESTROY, session)
            session = None
        else:
            kind = chance.choice((ENABLE, DISABLE))
            rule = chance.choice(rules)
            sites += agent.ask(kind, session, *(rule if kind == ENABLE else rule[-1:]))
    if session:
        agent.ask(DESTROY, session)
    print("switched %s requests, %d sites" % (requests, sites))


main()
