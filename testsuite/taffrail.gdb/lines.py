# SPDX-License-Identifier: LGPL-2.1-or-later
"""For gdb: tracepoints at all lines of a generated program (values.py), and
their frames as values.py compares them.

lines_trace RULES GO TIMES DONE
                            defines and starts: a line of RULES is
                            "FILE:LINE(EXPRESSION, ...)"; writes TIMES to the
                            file GO, and waits until the file DONE has "done"
lines_frames EVENTS.json [PLACES.json]
                            writes the values of each frame, a line each; with
                            PLACES for optimised programs: values that are not
                            there are left out and counted, and PLACES gets the
                            addresses, as `list --lines --json` has them
"""
import json
import re

import gdb

points = {}  # number of the tracepoint -> line, expressions


def commands(text):
    with open("trace.gdb", "w") as file:
        file.write(text)
    gdb.execute("source trace.gdb", to_string=True)


def point_define(where, expressions):
    """Makes a tracepoint that collects all expressions, or those that gdb can
    collect at each of its places."""
    # a char pointer with its string
    every = "".join("collect/s %s\n" % e for e in expressions)
    gdb.execute("trace " + where, to_string=True)
    try:
        commands("actions\ncollect $args, $locals\n%send\n" % every)
        return expressions
    except gdb.error:
        pass
    had = []
    for expression in expressions:
        try:
            commands("actions\ncollect/s %s\nend\n" % expression)
            had.append(expression)
        except gdb.error:
            pass
    every = "".join("collect/s %s\n" % e for e in had)
    commands("actions\ncollect $args, $locals\n%send\n" % every)
    return had


def lines_trace(rules, go, times, done):
    for rule in open(rules):
        where, _, rest = rule.rstrip(")\n").partition("(")
        points[len(points) + 1] = (int(where.split(":")[1]),
                                   point_define(where, rest.split(", ")))
    while True:
        try:
            gdb.execute("tstart")
            break
        except gdb.error as error:
            # a line that cannot have one is named, and the others can
            number = re.search(r"\.tracepoint (\d+): its code ends|"
                               r"\.tracepoint (\d+): .*leads", str(error))
            if not number:
                raise
            number = int(number.group(1) or number.group(2))
            del points[number]
            gdb.execute("delete %d" % number)
            print("refused: %s" % error)
    with open(go, "w") as file:
        file.write("%d\n" % times)
    while "done" not in open(done).read():
        pass
    gdb.execute("tstop")
    gdb.execute("tstatus")


def module_base():
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
        name = gdb.current_progspace().filename
        return min(int(line.split("-")[0], 16) for line in maps
                   if line.rstrip("\n").endswith(name))


def plain(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        if kind.target().sizeof == 1:
            return value.string()
        return "%#x" % int(value) if int(value) else "0x0"
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    return int(value)


def lines_frames(path, optimised=None):
    base, places, lacking = module_base(), {}, 0
    with open(path, "w") as events:
        gdb.execute("tfind start", to_string=True)
        while int(gdb.convenience_variable("trace_frame")) >= 0:
            line, expressions = points[int(
                gdb.convenience_variable("tracepoint"))]
            fields = {}
            for expression in expressions:
                name = re.split(r"->|\.", expression)[-1]
                if name in fields:
                    name += "_%d" % len(fields)
                try:
                    fields[name] = plain(gdb.parse_and_eval(expression))
                except gdb.error as error:
                    lacking += 1
                    if not optimised:
                        fields[name] = "%s: %s" % (expression, error)
            if gdb.selected_frame().find_sal().line != line:
                fields = {"line": gdb.selected_frame().find_sal().line}
            places.setdefault(line, set()).add(
                "%#x" % (gdb.selected_frame().pc() - base))
            events.write(json.dumps({"event": "line:gen.c:%d" % line,
                                     "fields": fields}) + "\n")
            gdb.execute("tfind", to_string=True)
    print("%d values are not there" % lacking)
    if optimised:
        with open(optimised, "w") as file:
            json.dump([{"rule": "gen.c:%d" % line, "addresses": list(where)}
                       for line, where in places.items()], file)
