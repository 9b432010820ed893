#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs.py PAGE... <FILES: the files that pages name are in the list FILES.

A name is in backquotes, by its end of the path: `ring.c`, `reader/ring.c`. In a
row of a table, a name without a folder is in the folder of the last name before
it that has one, or in any. A * stands for any characters, and NAME or another
word in capitals for a name that the reader chooses.

Prints a line "PAGE:LINE: no file NAME" for each that is not there.
"""
import fnmatch
import re
import sys

NAME = re.compile(r"`([\w*][\w/.*-]*\."
                  r"(?:[chS]|cc|def|py|sh|exp|mk|am|ac|t|js|css))`")
CHOSEN = re.compile(r"\b[A-Z]{2,}\b")


def tails(paths):
    """Returns each end of each path, without the folders before it."""
    found = set()
    for path in paths:
        parts = path.split("/")
        found.update("/".join(parts[i:]) for i in range(len(parts)))
    return found


def there(name, known):
    return name in known or \
        "*" in name and any(fnmatch.fnmatch(path, name) for path in known)


def missing(line, known):
    """Yields the names in a line that no file has."""
    folder = ""
    for match in NAME.finditer(line):
        name = match.group(1)
        if CHOSEN.search(name):
            continue
        if "/" in name:
            folder = name.rpartition("/")[0] + "/"
        if not there(name, known) or line.startswith("|") and \
                "/" not in name and not there(folder + name, known):
            yield name


def main():
    known = tails(sys.stdin.read().split())
    for page in sys.argv[1:]:
        with open(page, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                for name in missing(line, known):
                    print(f"{page}:{number}: no file {name}")


if __name__ == "__main__":
    main()
