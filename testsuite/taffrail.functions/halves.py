#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records the program `halves` with rules of any conditions, which also change
while it runs, and compares the calls that `report` tells with those that the
arguments and values tell: turn(N) returns N ^ KEY.

halves.py PROGRAM SEED ROUNDS CALLS"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys

KEY = 0x5a5a5a5a
LIMIT = 60

ENTRIES = ["", " if n % 4 == 1", " if left > 2", " if n % 3 == 0 && left < 4"]
SHARED = [" if vtid % 2 == 0", " if cfa % 64 == 0", " if vtid % 2 == 1"]
RETURNS = ["", " if value % 4 == 1", " if value % 3 == 0", " if cfa % 32 == 16"]
WHERES = ["", "fn:turn if n % 2 == 1", "fn:turn%return if value % 2 == 1",
          "fn:turn if cfa % 32 == 0"]


def taffrail(*words):
    return subprocess.run(["taffrail", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT, check=False)


def rules(rnd):
    """Returns rules that may choose entries and returns differently."""
    entry, end = rnd.choice(ENTRIES), rnd.choice(RETURNS)
    kind = rnd.random()
    if kind < 0.2:
        return ["fn:turn"]
    if kind < 0.3:
        return ["fn:turn" + (entry or end)]
    if kind < 0.4:
        return ["fn:turn" + rnd.choice(SHARED)]
    if kind < 0.5:
        return ["fn:turn", "fn:turn%entry" + entry, "fn:turn%return" + end]
    return ["fn:turn%entry" + entry, "fn:turn%return" + end]


def change(rnd, session):
    """Changes the rules of a running session."""
    word = rnd.choice(["enable", "enable", "disable"])
    glob = rnd.choice(["fn:turn", "fn:turn%entry", "fn:turn%return"])
    rule = glob
    if word == "enable" and rnd.random() < 0.4:
        rule += rnd.choice(SHARED)
    elif word == "enable" and glob != "fn:turn":
        rule += rnd.choice(ENTRIES if glob.endswith("entry") else RETURNS)
    return taffrail(word, session, rule)


def true_pairs(trace, where):
    """Returns the true pairs whose halves both have an event, by their times."""
    begun, pairs = {}, collections.Counter()
    for line in taffrail("export", "--format", "json",
                         trace).stdout.decode().splitlines():
        event = json.loads(line)
        fields = event.get("fields", {})
        if event["event"] == "fn:turn":
            begun[fields["n"]] = event["ns"]
        elif event["event"] == "fn:turn%return" and \
                fields["value"] ^ KEY in begun and \
                ("value" not in where or fields["value"] % 2 == 1):
            pairs[begun[fields["value"] ^ KEY], event["ns"]] += 1
    return pairs


def told_pairs(trace, where):
    words = ["report", "--json", "--slowest", "10000", trace]
    if where:
        words += ["--where", where, "--where", "fn:turn%entry"
                  if "return" in where else "fn:turn%return"]
    made = taffrail(*words)
    told = collections.Counter()
    if not made.stdout.strip():
        return told
    for pair in json.loads(made.stdout)["slowest"]:
        told[pair["begin"], pair["end"]] += 1
    return told


def main():
    program, seed, rounds, calls = sys.argv[1], *map(int, sys.argv[2:])
    rnd = random.Random(seed)
    told = wrong = changes = 0
    alone = None
    for number in range(rounds):
        trace = f"halves-{seed}-{number}"
        shutil.rmtree(trace, ignore_errors=True)
        chosen = rules(rnd)
        words = [w for rule in chosen for w in ("-e", rule)]
        turns = rnd.choice([0, 0, 4, 8])
        options = rnd.choice([[], [], ["--buffer-size", "256K", "--overwrite"]])
        if not number:      # of this one all pairs are told, at any load
            chosen, words, turns, options = ["fn:turn"], ["-e", "fn:turn"], 0, []
        process = subprocess.Popen(
            ["taffrail", "record", "-o", trace, *options, *words, "--", program,
             str(calls), "2000" if turns else "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(turns):
            if process.poll() is None:
                changes += not change(rnd, f"record-{process.pid}").returncode
        err = process.communicate(timeout=LIMIT)[1].decode()
        if not os.path.isdir(trace):
            print(f"seed {seed}, round {number}, {chosen}: {err}")
            wrong += 1
            continue
        for where in WHERES:
            right = true_pairs(trace, where)
            pairs = told_pairs(trace, where)
            told += sum(pairs.values())
            bad = pairs - right
            wrong += sum(bad.values())
            for begin, end in list(bad)[:3]:
                print(f"seed {seed}, round {number}, {chosen}, {turns} changes, "
                      f"where '{where}': {begin} to {end} is no call")
            # each call has an entry, and rules choose returns, if any
            if chosen[0] in ["fn:turn", "fn:turn%entry"] and \
               not any("entry if" in rule for rule in chosen) and \
               (not where or "return" in where) and not turns and \
               not options and pairs != right and len(right) < 10000:
                print(f"seed {seed}, round {number}: calls are missing")
                wrong += 1
        shutil.rmtree(trace)
    print(f"{rounds} rounds, {changes} changes, {told} pairs told, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
