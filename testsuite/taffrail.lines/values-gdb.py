# SPDX-License-Identifier: LGPL-2.1-or-later
"""For gdb: prints what gdb shows where values.py has found wrong values.

gdb -nx -batch -x values-gdb.py PROGRAM     LIST and WRONG are in the environment:
    `list --lines --json`, and what `values.py compare` has written. ARGUMENTS
    may have those of the program
"""
import json
import os

import gdb

STOPS = {}


def value_of(name):
    value = gdb.parse_and_eval(name)
    kind = value.type.strip_typedefs()
    if value.is_optimized_out:
        return None
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    if kind.code == gdb.TYPE_CODE_PTR and \
       kind.target().unqualified().sizeof == 1:
        return value.string()
    return int(value)


class Stop(gdb.Breakpoint):
    def __init__(self, address, line, names):
        super().__init__(f"*{address:#x}", internal=True)
        self.line, self.names = line, names

    def stop(self):
        values = {}
        for name in self.names:
            try:
                values[name] = value_of(name)
            except gdb.error:
                values[name] = None
        STOPS.setdefault(self.line, []).append(values)
        return False


def near(ours, theirs):
    if not isinstance(theirs, float) or isinstance(ours, str):
        return ours == theirs
    return abs(ours - theirs) <= 1e-6 * abs(theirs)


def main():
    with open(os.environ["WRONG"]) as file:
        wrong = json.load(file)
    with open(os.environ["LIST"]) as file:
        rows = json.load(file)
    names = {}
    for line, _, _, name, _ in wrong:
        names.setdefault(line, set()).add(name)
    gdb.execute("set confirm off")
    gdb.execute("set args " + os.environ.get("ARGUMENTS", ">/dev/null"))
    gdb.execute("starti", to_string=True)
    base = min(int(line.split()[0], 16) for line in
               gdb.execute("info proc mappings", to_string=True).split("\n")
               if line.endswith(gdb.current_progspace().filename))
    for row in rows:
        line = int(row["rule"].rsplit(":", 1)[1])
        for address in row["addresses"] if line in names else ():
            Stop(base + int(address, 16), line, names[line])
    gdb.execute("continue", to_string=True)
    other = 0
    for line, events, i, name, value in wrong:
        shown = [stop[name] for stop in STOPS.get(line, [])]
        if len(shown) == events:
            shown = shown[i:i + 1]
        if not any(near(value, one) for one in shown):
            other += 1
            print(f"line {line}, {name}: {value}, and gdb shows {shown}")
    print(f"{len(wrong)} wrong, {other} otherwise than gdb")


main()
