#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looks at the messages of commits, as CONTRIBUTING wants them.

commits.py RANGE    prints a line a violation, as in origin/main..HEAD; exit
                    status 1 when there are any

The subject is "module: fact" of at most 60 characters, a body says why. A
`Fixes:` trailer names a commit of the history by 8 digits or more and the subject. A
message that speaks of an error, by a word of MENDS, has such a trailer.
"""
import re
import subprocess
import sys

SUBJECT_MAX = 60
SUBJECT = re.compile(r"[a-z][\w./+-]*(, [a-z][\w./+-]*)*: \S")
FIXES = re.compile(r'Fixes: ([0-9a-f]{8,40}) \("(.*)"\)$')
MENDS = re.compile(r"\b(no longer|mends?|mended|was wrong|crash(es|ed)?|"
                   r"regress(ion|ed)|instead of failing)\b", re.I)


def git(*words):
    """Returns what git prints."""
    return subprocess.run(("git",) + words, text=True, check=True,
                          capture_output=True).stdout


def faults(commit, message):
    """Yields what is wrong with a message."""
    subject, _, body = message.partition("\n")
    lines = body.strip().split("\n")
    if not SUBJECT.match(subject):
        yield "the subject is not \"module: fact\""
    if len(subject) > SUBJECT_MAX:
        yield "the subject has %d characters" % len(subject)
    trailers = [line for line in lines if line.startswith("Fixes:")]
    if not [line for line in lines if line and line not in trailers]:
        yield "no body"
    if MENDS.search(subject) and not trailers:
        yield "mends without a Fixes: trailer"
    for line in trailers:
        match = FIXES.match(line)
        if not match:
            yield "not a Fixes: trailer: %s" % line
            continue
        try:
            git("merge-base", "--is-ancestor", match.group(1), commit)
            found = git("log", "-1", "--format=%s", match.group(1)).strip()
        except subprocess.CalledProcessError:
            yield "%s is not before it" % match.group(1)
            continue
        if found != match.group(2):
            yield "%s has another subject" % match.group(1)


def main(commits):
    """Prints the faults of a range, and returns whether there are any."""
    wrong = False
    for commit in git("rev-list", "--reverse", "--no-merges",
                      commits).split():
        message = git("log", "-1", "--format=%B", commit).strip()
        for fault in faults(commit, message):
            print("%s %s: %s" % (commit[:12], message.split("\n")[0], fault))
            wrong = True
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
