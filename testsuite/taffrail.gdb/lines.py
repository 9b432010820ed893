# SPDX-License-Identifier: LGPL-2.1-or-later
"""For gdb: tracepoints at all lines of a generated program (values.py), and
their frames as values.py compares them.

lines_trace RULES GO TIMES DONE
                            defines and starts: a line of RULES is
                            "FILE:LINE(EXPRESSION, ...)"; writes TIMES to the
                            file GO, and waits until the file DONE has "done"
lines_frames EVENTS.json    writes the values of each frame, a line each
"""
import json
import re

import gdb

points = {}  # number of the tracepoint -> line, expressions


def lines_trace(rules, go, times, done):
    with open("trace.gdb", "w") as commands:
        for rule in open(rules):
            where, _, rest = rule.rstrip(")\n").partition("(")
            points[len(points) + 1] = (int(where.split(":")[1]),
                                       rest.split(", "))
            # a char pointer with its string
            commands.write("trace %s\nactions\ncollect/s %s\nend\n" % (
                where, rest))
    gdb.execute("source trace.gdb", to_string=True)
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


def plain(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        if kind.target().sizeof == 1:
            return value.string()
        return "%#x" % int(value) if int(value) else "0x0"
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    return int(value)


def lines_frames(path):
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
                    fields[name] = "%s: %s" % (expression, error)
            if gdb.selected_frame().find_sal().line != line:
                fields = {"line": gdb.selected_frame().find_sal().line}
            events.write(json.dumps({"event": "line:gen.c:%d" % line,
                                     "fields": fields}) + "\n")
            gdb.execute("tfind", to_string=True)
