#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looks at the numbered rows of docs/guarantees.md.

guarantees.py FILE...    prints a line a fault: a number that two rows have, one
                         that a page or a source FILE names and no row has, a
                         row whose test is not there
"""
import collections
import glob
import re
import sys

PAGE = "docs/guarantees.md"
ROW = re.compile(r"^\| ([GNT]\d+\.\d+) \|", re.M)
CITED = re.compile(r"guarantees\.md[^\n]{0,40}?\b([GNT]\d+\.\d+)\b")
NUMBER = re.compile(r"\b([GNT]\d+\.\d+)\b")
TEST = re.compile(r"`([a-z]+/[a-z0-9-]+)`")


def line(text, at):
    """Returns the number of the line of a place."""
    return text.count("\n", 0, at) + 1


def has_test(name):
    """Returns whether a test, a unit test or a fuzz target has the name."""
    folder, stem = name.split("/")
    return glob.glob("testsuite/taffrail.%s/%s.*" % (folder, stem)) or \
        glob.glob("testsuite/%s/**/%s*" % (folder, stem), recursive=True)


def main(files):
    """Prints the faults."""
    with open(PAGE) as page:
        text = page.read()
    rows = ROW.findall(text)
    for number, count in collections.Counter(rows).items():
        if count > 1:
            print("%s:1: %s stands %d times" % (PAGE, number, count))
    for match in NUMBER.finditer(text):
        if match.group(1) not in rows:
            print("%s:%d: no row %s" % (PAGE, line(text, match.start()),
                                        match.group(1)))
    for match in TEST.finditer(text):
        if not has_test(match.group(1)):
            print("%s:%d: no test %s" % (PAGE, line(text, match.start()),
                                         match.group(1)))
    for name in files:
        with open(name, errors="replace") as file:
            text = file.read()
        for match in CITED.finditer(text):
            if match.group(1) not in rows:
                print("%s:%d: no row %s" % (name, line(text, match.start()),
                                            match.group(1)))


if __name__ == "__main__":
    main(sys.argv[1:])
