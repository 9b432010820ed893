# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions that return a truth as int.

truth.py FILE...   prints a line for each function that returns `int` though
                   each value is a truth: 0, 1, a comparison, an && or ||, or a
                   negation

A function that is passed on by a pointer is left out: the pointer's type decides.
So is one that only returns 0, and one with a value of another form, such as the
result of a call.

What must stay true: a function's body is between "{" and "}" in the first
column, as lint's format rule wants it.
"""
import collections
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
HEAD = re.compile(r"^(?:[\w()]+[ \n])*?int[ \n](\w+)\([^;{}]*\)\n\{\n(.*?)^\}",
                  re.M | re.S)
RETURN = re.compile(r"\breturn\b([^;]*);")
TRUTH = re.compile(r"&&|\|\||[=!]=|(?<![<>-])[<>](?![<>])=?")


def outside(text):
    """Returns the text without anything in parentheses or brackets."""
    while True:
        shorter = re.sub(r"\([^()]*\)|\[[^][]*\]", " ", text)
        if shorter == text:
            return text
        text = shorter


def is_truth(value):
    """Tells whether the text of an expression is a truth."""
    value = outside(value).strip()
    if "?" in value:
        return all(is_truth(part) for part in
                   value.split("?", 1)[1].split(":", 1))
    return value in ("0", "1") or value.startswith("!") or \
        bool(TRUTH.search(value)) and "=" not in re.sub("[=!<>]=", "", value)


def truths(text):
    """Yields place and name of each function that returns truths only."""
    for match in HEAD.finditer(text):
        values = [value.strip() for value in RETURN.findall(match.group(2))]
        if values and set(values) != {"0"} and all(map(is_truth, values)):
            yield text.count("\n", 0, match.start(1)) + 1, match.group(1)


def main(names):
    found, passed = [], collections.Counter()
    for name in names:
        with open(name, encoding="utf-8") as file:
            text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"),
                               file.read())
        passed.update(set(re.findall(r"\b(\w+)\b(?!\()", text)))
        found += [(name, *place) for place in truths(text)]
    for name, line, function in found:
        if not passed[function]:
            print("%s:%d: %s() returns a truth as int" % (name, line,
                                                          function))


if __name__ == "__main__":
    main(sys.argv[1:])
