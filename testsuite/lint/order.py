# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pairs of ordered accesses: base/order.def against the code.

An access names its pair's tag: load_acquire(p, TAG), store_release(p, v, TAG),
and ACQUIRE(TAG), RELEASE(TAG), ACQ_REL(TAG) or SEQ_CST(TAG) as the order of an
__atomic_ function. Assembly, and code that uses the headers for programs alone
(BARE), names it in a comment, "order: TAG acquire", "release" or "both".

    order.py check FILE...  accesses without a tag, tags without a row, rows
                            without an access, tags with one side whose row does
                            not say why, models that are not there
    order.py page           prints docs/memory-order.md

Prints a line "FILE:LINE: fact" a violation.
"""
import collections
import itertools
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE = "base/order.def"
HOME = "base/base.h"
MODELS = "testsuite/models"
# these name tags in comments: they use the headers for programs alone
BARE = ("callbacks/shipped/", "tracepoints/providers/", "include/")
COMMENT_LINES = 5       # from such a comment to the end of its access
# the first word of a side that has no access here
ELSEWHERE = ("kernel:", "gdbserver:", "program:", "liburcu:", "address:")

ROW = re.compile(r"^ORDER\((\w+),((?:\s*\"(?:\\.|[^\"\\])*\",?)+)\)$", re.M)
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
SECTION = re.compile(r"^/\* (.*) \*/$")
NAMED = {"load_acquire": (2, "acquire"), "store_release": (3, "release")}
CALL = re.compile(r"\b(load_acquire|store_release)\s*\(")
ORDERED = re.compile(r"\b(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\s*\(\s*(\w*)")
FUNCTION = re.compile(r"\b__atomic_(\w+)\s*\(")
UNTAGGED = re.compile(r"\b__ATOMIC_(?:ACQUIRE|RELEASE|ACQ_REL|SEQ_CST|CONSUME)"
                      r"\b|\b__sync_\w+|\bmemory_order_\w+|"
                      r"\batomic_(?:thread|signal)_fence\s*\(")
SAID = re.compile(r"\border: (\w+) (acquire|release|both)\b")
TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|"
                   r"'(?:\\.|[^'\\\n])*'", re.S)
TAG = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")

Row = collections.namedtuple(
    "Row", "tag word release acquire without models line section")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def table(text):
    """The rows of order.def."""
    sections = [(match.start(), match.group(1)) for match in
                re.finditer(SECTION.pattern, text, re.M)]
    for match in ROW.finditer(text):
        columns = STRING.findall(match.group(2))
        if len(columns) != 5:
            continue
        section = [name for at, name in sections if at < match.start()][-1]
        yield Row(match.group(1), *columns, line_at(text, match.start()),
                  section)


def line_at(text, at):
    return text.count("\n", 0, at) + 1


def code_of(text):
    """The text with blanks for comments and strings; lines stay."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def arguments(text, at):
    """What stands between the parenthesis at `at` and the one that closes it,
    split at commas."""
    depth, start, found = 0, at + 1, []
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if not depth:
                return found + [text[start:i].strip()]
        elif text[i] == "," and depth == 1:
            found.append(text[start:i].strip())
            start = i + 1
    return found


def sides(function, order):
    """Which sides of a pair an __atomic_ function is."""
    if order in ("ACQUIRE", "RELEASE"):
        return [order.lower()]
    if function.startswith("load"):
        return ["acquire"]
    if function.startswith("store"):
        return ["release"]
    return ["acquire", "release"]


class Uses:
    def __init__(self):
        self.found = []
        self.places = collections.defaultdict(lambda: collections.defaultdict(
            list))      # tag: side: places

    def use(self, path, line, tag, names):
        for side in names:
            self.places[tag][side].append("%s:%d" % (path, line))

    def fault(self, path, line, fact):
        self.found.append("%s:%d: %s" % (path, line, fact))

    def file(self, path):
        text = read(path)
        said = collections.defaultdict(list)
        for match in SAID.finditer(text):
            line = line_at(text, match.start())
            tag, side = match.groups()
            said[line].append(tag)
            self.use(path, line, tag, ["acquire", "release"] if side == "both"
                     else [side])
        if not path.endswith(".S") and path != HOME:
            self.code(path, code_of(text), said)

    def code(self, path, text, said):
        for match in CALL.finditer(text):
            count, side = NAMED[match.group(1)]
            line = line_at(text, match.start())
            words = arguments(text, match.end() - 1)
            if len(words) != count or not TAG.match(words[-1]):
                self.fault(path, line, "%s() without a tag" % match.group(1))
            else:
                self.use(path, line, words[-1], [side])
        for match in ORDERED.finditer(text):
            order, tag = match.groups()
            line = line_at(text, match.start())
            calls = list(FUNCTION.finditer(text, 0, match.start()))
            if not TAG.match(tag):
                self.fault(path, line, "%s() without a tag" % order)
            elif not calls:
                self.fault(path, line, "%s(%s) orders nothing" % (order, tag))
            else:
                self.use(path, line, tag, sides(calls[-1].group(1), order))
        for match in UNTAGGED.finditer(text):
            line = line_at(text, match.start())
            if not (path.startswith(BARE) and any(
                    n in said for n in range(line - COMMENT_LINES, line + 1))):
                self.fault(path, line, "an ordered access without a tag: " +
                           match.group())


def check(files):
    uses = Uses()
    rows = list(table(read(TABLE)))
    for number, line in enumerate(read(TABLE).splitlines(), 1):
        if line.startswith("ORDER(") and number not in {row.line for row in
                                                        rows}:
            uses.fault(TABLE, number, "is no row of a tag and five strings")
    for path in files:
        uses.file(path)
    known = set()
    for row in rows:
        if row.tag in known:
            uses.fault(TABLE, row.line, "%s has two rows" % row.tag)
        known.add(row.tag)
        judge(uses, row)
    for tag, places in sorted(uses.places.items()):
        if tag not in known:
            for place in sorted(sum(places.values(), [])):
                uses.found.append("%s: %s has no row in %s" % (place, tag,
                                                               TABLE))
    return sorted(set(uses.found))


def judge(uses, row):
    places = uses.places.get(row.tag, {})
    if not places:
        uses.fault(TABLE, row.line, "no access names %s" % row.tag)
        return
    for side in ("release", "acquire"):
        if not places.get(side) and not getattr(row, side).startswith(
                ELSEWHERE):
            uses.fault(TABLE, row.line, "%s has no access with %s" % (row.tag,
                                                                      side))
    for name in row.models.split():
        if not os.path.isfile("%s/%s.pml" % (MODELS, name)):
            uses.fault(TABLE, row.line, "%s has no model %s" % (row.tag, name))


PAGE = """# Memory order

<!-- testsuite/lint/order.py makes this page of base/order.def: edit that. -->

This page lists the words by which one thread, handler or process tells another
that something is complete, and what would go wrong without the order. It is for
people who change such a word, or port Taffrail to a machine that orders less
than x86-64 does.

Each access names its pair's tag in the call, as in
`load_acquire(&ring->head, RING_HEAD)`. Assembly, and probe libraries, which use
the headers for programs alone, name it in a comment: `order: RING_HEAD release`.
So `grep -rw RING_HEAD` finds both sides. `make lint` refuses an access without a
tag, a tag without a row here, and a tag that has one side only, unless the row
says who the other one is: the kernel, gdbserver, the program, liburcu, or readers
that follow the pointer that is stored ("address").

To add a pair, add a row to `base/order.def`, name the tag on both sides, and
make this page again:

    python3 testsuite/lint/order.py page >docs/memory-order.md

The models are in `testsuite/models` ([buffers.md](buffers.md), "Models").
"""
HEAD = ("| tag | word | who stores with release | who loads with acquire | "
        "without it | model |")


def page():
    lines = [PAGE]
    for section, rows in itertools.groupby(table(read(TABLE)),
                                           lambda row: row.section):
        lines += ["## " + section[0].upper() + section[1:], "", HEAD,
                  "|---|---|---|---|---|---|"]
        for row in rows:
            models = ", ".join("`%s.pml`" % name for name in
                               row.models.split())
            lines.append("| `%s` | %s | %s | %s | %s | %s |" % (
                row.tag, row.word, row.release, row.acquire, row.without,
                models or "none"))
        lines.append("")
    return "\n".join(lines)


def main(command, *files):
    os.chdir(TOP)
    if command == "page":
        sys.stdout.write(page())
    else:
        for line in check(files):
            print(line)


main(*sys.argv[1:])
