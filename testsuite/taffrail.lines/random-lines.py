#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints rules for lines of a program, chosen at random, as the command sends them.

    random-lines.py PROGRAM SEED RULES LINES LIST.json...

Each of the RULES has LINES places of the lists (`list --json --lines`), with two
registers as fields. Between two rules is an empty line.
"""
import json
import random
import re
import subprocess
import sys

program, seed, rules, lines, *lists = sys.argv[1:]
notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
build = re.search("Build ID: ([0-9a-f]+)", notes).group(1)
places = sorted({address for name in lists for row in json.load(open(name))
                 for address in row["addresses"]})
chance = random.Random(int(seed))
for number in range(1, int(rules) + 1):
    for address in chance.sample(places, min(int(lines), len(places))):
        print("spot=%s %s 1 all.c:%d\ta, b\nfield=7 8@%%rsp\nfield=7 8@%%rax" %
              (build, address[2:], number))
    print("rule=all.c:%d\n" % number)
