# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the code as .clang-format says?

Compares each file with what clang-format makes of it: the blanks between two
words, where statements and braces begin, and how deep they are indented. Free
are the column of a comment or a macro's value, and where a long expression or
a table breaks: no release of clang-format decides that as a reader would, and
two of them decide differently.

Usage: format.py TOOL FILE...: prints a line "FILE:LINE: fact" a violation.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOKEN = re.compile(r"""
    (?P<gap>(?:\s|\\\n)*)
    (?P<text>/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
      | \.?\d(?:[eEpP][+-]|[\w.])* | \w+ | \.\.\. | <<= | >>= | -> | \+\+ | --
      | << | >> | [-+*/%&|^=!<>]= | && | \|\| | \#\# | :: | .)
    """, re.X | re.S)
HEADS = ("if", "for", "while", "switch")
FILES_A_RUN = 40


class Token:
    def __init__(self, gap, text, line):
        self.gap, self.text, self.line = gap, text, line
        self.breaks = "\n" in gap
        self.comment = text.startswith(("/*", "//"))
        self.column = len(gap.rsplit("\n", 1)[-1].expandtabs(8))
        self.same = re.sub(r"\s+", " ", text) if self.comment else text


def tokens(text):
    found, line, at = [], 1, 0
    while True:
        match = TOKEN.match(text, at)
        if not match:
            return found
        gap, word = match.group("gap"), match.group("text")
        line += gap.count("\n")
        found.append(Token(gap, word, line))
        line += word.count("\n")
        at = match.end()


class Place:
    """Where in a file a token stands, told by those before it."""

    def __init__(self):
        self.braces = []        # "table" or "block"
        self.parens = 0
        self.statement = []     # its words so far
        self.last = None
        self.directive = False

    def begins(self):
        return not self.parens and not self.statement and \
            "table" not in self.braces

    def before(self, token):
        if token.breaks and not token.gap.rstrip(" \t").endswith("\\\n"):
            if self.directive:
                self.statement, self.parens = [], 0
            self.directive = token.text == "#"
            if self.directive:
                self.statement, self.parens = [], 0

    def after(self, token):
        text = token.text
        if token.comment:
            return
        if text == "{":
            table = self.parens or self.braces[-1:] == ["table"] or \
                not token.gap or self.last in ("=", ",", "return") or \
                "enum" in self.statement
            self.braces.append("table" if table else "block")
        elif text == "}" and self.braces:
            if self.braces.pop() == "block":
                self.statement = ["}"]
        self.parens = max(0, self.parens + (text in "([") - (text in ")]"))
        self.last = text
        if "table" in self.braces or self.directive:
            return
        if self.parens == 0 and (
                text in ";{" or text in ("else", "do") or
                text == ")" and self.statement[:1] and
                self.statement[0] in HEADS or
                text == ":" and self.label()):
            self.statement = []
        elif text != "}":
            if self.statement == ["}"]:
                self.statement = []
            self.statement.append(text)

    def label(self):
        return self.statement[:1] in (["case"], ["default"]) or \
            len(self.statement) == 1


def must_break(place, last, token):
    """Between these two a line ends, or does not, as clang-format says."""
    if place.directive or place.parens or "table" in place.braces or \
            token.comment or last.comment:
        return False
    ended = place.begins() or place.statement == ["}"]
    return ended or token.text in "{}"


def guessed(last, token):
    """Is this blank one that clang-format guesses, as it does not know types?"""
    return last.text in ("*", "&") or \
        last.text == ")" and not re.match(r"[\w{]", token.text) or \
        token.text == "(" and bool(token.gap) and last.text not in HEADS


def compare(have, want):
    """(token, wanted token, fact) of each place that differs."""
    place, last = Place(), None
    for token, wish in zip(have, want):
        if token.same != wish.same:
            yield token, wish, "another order of words"
            return
        place.before(wish)
        if last:
            if token.breaks != wish.breaks:
                if must_break(place, last, wish):
                    yield token, wish, "the line ends " + (
                        "too late" if wish.breaks else "too early")
            elif not token.breaks:
                if not (wish.comment or place.directive or
                        guessed(last, wish)) and \
                        bool(token.gap) != bool(wish.gap):
                    yield token, wish, "a blank is missing" if wish.gap else \
                            "a blank too many"
            elif token.column != wish.column and (
                    place.begins() or place.statement == ["}"]) and \
                    not place.directive:
                yield token, wish, "not in column %d" % wish.column
        place.after(wish)
        last = wish


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(path, want):
    return ["%s:%d: before \"%s\": %s" % (
        path, token.line, token.text.split("\n")[0][:40], fact)
            for token, wish, fact in compare(tokens(read(path)), tokens(want))]


def formatted(tool, paths):
    """What the tool makes of each. It starts slowly: some files a run."""
    with tempfile.TemporaryDirectory() as top:
        copies = [os.path.join(top, path) for path in paths]
        for path, copy in zip(paths, copies):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(path, copy)
        subprocess.run([tool, "--style=file:.clang-format", "-i"] + copies,
                       check=True)
        return [read(copy) for copy in copies]


def main(tool, paths):
    for start in range(0, len(paths), FILES_A_RUN):
        some = paths[start:start + FILES_A_RUN]
        for path, want in zip(some, formatted(tool, some)):
            for line in check(path, want):
                print(line)


main(sys.argv[1], sys.argv[2:])
