# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what all looking commands give for a recording of alike.c, in words
that do not differ between two runs: processes and threads by the order in which
they come, and no times, sizes and places.

    alike.py DIR            of the trace in DIR
    alike.py -s NAME        of the session's buffers
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

WHICH = sys.argv[1:]
RECORDED = len(WHICH) == 1
ADDRESS = re.compile(r"app:at|NAME|in_(alpha|beta|gamma)")


def say(*words, source=True):
    """Returns the output of a command."""
    words = ["taffrail", words[0]] + (WHICH if source else []) + list(words[1:])
    out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    return (out.stdout + out.stderr).decode(errors="replace") + \
        "status %d\n" % out.returncode


def numbers_of(text):
    """Returns a name for each process and thread."""
    names = {}
    for line in text.splitlines():
        event = json.loads(line)
        pid = str(event["pid"])
        tid = str(event["context"]["vtid"])
        names.setdefault(pid, "P%d" % len(names))
        names.setdefault(tid, "T%d" % len(names))
    return names


EVENTS = say("export", "--format", "json")
NAMES = numbers_of(EVENTS.rpartition("status")[0])


def plain(text, ordered=True):
    """Takes out what differs between runs."""
    for path in WHICH:
        text = text.replace(path, "WHICH")
    text = re.sub(r"WHICH/[^\s,\"]+", "TRACE", text)
    text = re.sub(r"[\w-]+@\w+|(alpha|beta|gamma)-\d+-\d+(-\d)?", "TRACE", text)
    text = re.sub(r"(\d{4}-\d\d-\d\dT)?\d\d:\d\d:(?=\d\d\.)", "", text)
    text = re.sub(r"\d+\.\d+|\b0x[0-9a-f]+|\b\d+(?= bytes)", "#", text)
    text = re.sub(r"\b\d{4,}\b", lambda m: NAMES.get(m[0], "#"), text)
    text = re.sub(r"# [nmu]?s\b|\b\d+ [nmu]s\b", "TIME", text)
    lines = [re.sub(r"[ #]+", " ", line) for line in text.splitlines()]
    # a live look names no address of a process whose files have gone
    if not RECORDED:
        lines = [line for line in lines if not ADDRESS.search(line)]
    # bars of a histogram
    lines = [line for line in lines if "|" not in line and line != " ..."]
    return lines if ordered else sorted(lines)


def show(title, text, ordered=True):
    print("==", title)
    print("\n".join(plain(text, ordered)))


def counted(text):
    """Leaves out columns of bytes and shares of a report."""
    return re.sub(r"(?m)^( +\d+ +[0-9.]+% +)(?:[0-9.]+ +)?\d+( +[0-9.]+%)?",
                  r"\1", text)


def main():
    first = next(pid for pid, name in NAMES.items() if name == "P0")
    second = next(tid for tid, name in NAMES.items() if name == "T1")
    show("json", EVENTS)
    show("view", say("view", "--long"))
    show("short", say("view", "--short"))
    for rule in ('* if vpid == ' + first, '* if vtid == ' + second,
                 '* if procname == "gamma"', "beta/*"):
        show("where " + plain(rule)[0], say("view", "--long", "--where", rule))
    show("tail", say("view", "--long", "--tail", "5"))
    show("report", counted(say("report", "--pair", "work:begin,work:end,i")),
         False)
    for by in "vpid", "procname", "vtid", "procname,by":
        show("by " + by, counted(say("report", "--by", by, "--field", "i")),
             False)
    report = json.loads(say("report", "--json").rpartition("status")[0])
    for row in sorted(plain(json.dumps(row)) for row in report["processes"]):
        print("\n".join(re.sub(r'"bytes": \d+', "", line) for line in row))
    with tempfile.TemporaryDirectory() as place:
        say("export", "--format", "csv", "-o", place + "/csv")
        for name in sorted(os.listdir(place + "/csv")):
            if ADDRESS.search(name) and not RECORDED:
                continue
            with open(place + "/csv/" + name, encoding="utf-8") as table:
                show("csv", name + "\n" + table.read())
        say("export", "--format", "sqlite", "-o", place + "/sqlite")
        base = sqlite3.connect(place + "/sqlite")
        tables = [row[0] for row in base.execute(
            "select name from sqlite_master where type in ('table', 'view') "
            "order by name")]
        for table in tables:
            if ADDRESS.search(table) and not RECORDED:
                continue
            which = "select * from \"%s\"" % table
            if table == "traces":
                which = "select host, pid, process, domain from traces"
            elif ":" in table:
                which = "select e.*, t.process, t.pid from \"%s\" e join " \
                    "traces t on t.id = e.trace" % table
            # the number of a trace means nothing outside
            rows = sorted("%s" % ([row[0]] + list(row[2:]),) for row in
                          base.execute(which))
            show("sqlite " + table, "\n".join(rows), False)
        say("export", "--format", "perfetto", "-o", place + "/perfetto")
        with open(place + "/perfetto", "rb") as packets:
            texts = re.findall(rb"[ -~]{4,}", packets.read())
        show("perfetto", "\n".join(text.decode() for text in texts), False)
        say("timeline", "-o", place + "/page.html")
        with open(place + "/page.html", encoding="utf-8") as page:
            show("timeline", "\n".join(re.findall(r"alpha|beta|gamma|work:\w+",
                                                  page.read())), False)
    if not RECORDED:
        last = json.loads(say("top", "--json", "--for", "1").split("\n")[0])
        print("== top", last["processes"], last["ended"])
    else:
        show("verify", re.sub(r" (in|with) .*", "", say("verify")))


main()
