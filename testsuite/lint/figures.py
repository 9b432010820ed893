#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of the code: size, comments, static functions, words.

figures.py                prints a row a folder of the product and one of all
figures.py FOLDER...      the same for these
figures.py limits FILE    prints a line for each figure of the whole product
                          that is worse than FILE says, and nothing else

code      lines that are neither blank nor comment
comment   lines of comment over lines of code
function  lines of a function: median, 90 and 99 of a hundred, the longest
once      static functions whose name stands twice in their file: one caller
short     static functions whose name has six letters or fewer
what its  of 1,000 words of comment
field     files with a `case FIELD_` or `case TAFFRAIL_T_`: a new type of
          field is looked for there

What must stay true: a function's body is between "{" and "}" in the first
column, as lint's format rule wants it.
"""
import collections
import os
import re
import subprocess
import sys

FOLDERS = ("agent", "base", "bindings", "buffers", "command", "control",
           "gdbstub", "include", "callbacks", "traces", "tracepoints")
NAME = re.compile(r"(\w+)\(")
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
TYPE_CASE = re.compile(r"\bcase (?:FIELD|TAFFRAIL_T)_")


def sources(folders):
    """Returns the C files of folders, by git's list where there is one."""
    try:
        names = subprocess.run(["git", "ls-files"] + list(folders), text=True,
                               check=True, capture_output=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.join(path, name) for folder in folders
                 for path, _, files in os.walk(folder) for name in files]
    return sorted(name for name in names if name.endswith((".c", ".h")) and
                  os.path.isfile(name))


class Figures:
    """Counts over files."""

    def __init__(self):
        self.code = self.comment = self.words = self.what = self.its = 0
        self.once = self.short = self.static = self.field = 0
        self.lengths = []

    def lines(self, text):
        """Counts lines of code and of comment."""
        inside = False
        for line in text.split("\n"):
            line = line.strip()
            if inside:
                self.comment += 1
                inside = "*/" not in line
            elif line.startswith("//"):
                self.comment += 1
            elif line.startswith("/*"):
                self.comment += 1
                inside = "*/" not in line
            elif line:
                self.code += 1
                inside = "/*" in line and "*/" not in line.split("/*", 1)[1]

    def functions(self, text):
        """Counts functions, and the static ones by callers and name."""
        lines = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"),
                            text).split("\n")
        words = collections.Counter(re.findall(r"\w+", text))
        for number, line in enumerate(lines):
            if line != "{":
                continue
            first = number
            while first and lines[first - 1].strip() and \
                    not lines[first - 1].startswith(("#", "}")):
                first -= 1
            head = " ".join(lines[first:number])
            match = NAME.search(head)
            if not match or head.startswith(("struct", "enum", "union")) \
                    and "=" in head:
                continue
            end = lines.index("}", number) if "}" in lines[number:] else first
            self.lengths.append(end - first + 1)
            if "static" not in head.split("(")[0].split():
                continue
            name = match.group(1)
            self.static += 1
            self.short += len(name) <= 6
            self.once += words[name] == 2

    def comments(self, text):
        """Counts words of comment."""
        for match in COMMENT.finditer(text):
            if "SPDX" in match.group(1):
                continue
            words = re.findall(r"[a-z']+", match.group(1).lower())
            self.words += len(words)
            self.what += words.count("what")
            self.its += words.count("its")

    def read(self, name):
        """Counts a file."""
        with open(name, errors="replace") as file:
            text = file.read()
        self.lines(text)
        self.functions(text)
        self.comments(text)
        self.field += bool(TYPE_CASE.search(text))

    def values(self):
        """Returns the figures by name."""
        lengths = sorted(self.lengths) or [0]

        def rank(share):
            return lengths[min(len(lengths) - 1, int(share * len(lengths)))]

        return {"code": self.code,
                "comment": self.comment / max(1, self.code),
                "function": "%d/%d/%d/%d" % (rank(.5), rank(.9), rank(.99),
                                             lengths[-1]),
                "static": self.static,
                "once": 100 * self.once / max(1, self.static),
                "short": 100 * self.short / max(1, self.static),
                "what": 1000 * self.what / max(1, self.words),
                "its": 1000 * self.its / max(1, self.words),
                "field": self.field}


def measure(folders):
    """Returns the figures of all files of folders."""
    figures = Figures()
    for name in sources(folders):
        figures.read(name)
    return figures.values()


def table(folders):
    """Prints a row a folder."""
    print("%-12s %7s %8s %14s %7s %6s %6s %6s %6s %6s" %
          ("", "code", "comment", "function", "static", "once %", "short%",
           "what", "its", "field"))
    rows = [(folder, measure([folder])) for folder in folders]
    if len(folders) > 1:
        rows.append(("all", measure(folders)))
    for name, row in rows:
        print("%-12s %7d %8.2f %14s %7d %6.1f %6.1f %6.1f %6.1f %6d" %
              (name, row["code"], row["comment"], row["function"],
               row["static"], row["once"], row["short"], row["what"],
               row["its"], row["field"]))


def limits(path):
    """Prints what is worse than the rows NAME most|least LIMIT of a file."""
    figures = measure(FOLDERS)
    with open(path) as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            name, kind, limit = words[0], words[1], float(words[2])
            if figures[name] > limit if kind == "most" else \
                    figures[name] < limit:
                print("%s:%d: %s is %.2f" % (path, number, name,
                                             figures[name]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["limits"]:
        limits(sys.argv[2])
    else:
        table(sys.argv[1:] or FOLDERS)
