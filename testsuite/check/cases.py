# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a file of cases and prints a result of each, for taffrail_relay.
testsuite/README has the format.

    cases.py FILE WORK

What must stay true:
 - a group has a work directory, a runtime directory and processes of its own:
   groups run at the same time, the cases of a group one after the other;
 - results are printed in the order of the file;
 - a group's processes have ended when its results are printed.
"""
import concurrent.futures
import ctypes
import fnmatch
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WANTED = {"status", "stdout", "stderr", "says", "no stdout", "no stderr",
          "whole stdout", "whole stderr"}
CASE_KEYS = WANTED | {"run", "stdin", "env"}
GROUP_KEYS = WANTED | {"need", "env", "before", "wrap", "beside"}
# keys that may stand more than once
LISTS = {"need", "env", "stdout", "stderr", "says", "no stdout", "no stderr"}
# Of one case
SECONDS = 120
SHOWN_BYTES = 4000
PR_SET_CHILD_SUBREAPER = 36
# Groups wait more than they work.
GROUPS_PER_CPU = 3


class Mistake(Exception):
    """A line of the file is not of the format."""


class Part(dict):
    """The keys of a group, or of a case, with their values."""

    def __init__(self, title, is_row=False, **values):
        super().__init__(values)
        self.title = title
        self.is_row = is_row
        self.cases = []
        self.files = {}

    def put(self, number, key, value):
        if key in LISTS:
            self.setdefault(key, []).append(value.rstrip("\n"))
        elif key in self:
            raise Mistake("%d: a second %s" % (number, key))
        else:
            self[key] = value

    def variables(self):
        return dict(pair.split("=", 1) for pair in self.get("env", []))


def read_entries(path):
    """(line number, key, value) of each entry; a value that does not stand
    behind the colon is the lines below it that begin with a tab."""
    lines = read_text(path).split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.strip() or line.startswith("#"):
            continue
        match = re.match(r"(\w[^:]*):(?:\s+(.*))?$", line)
        if not match:
            raise Mistake("%d: no KEY: VALUE" % number)
        at, (key, value) = number, match.groups()
        if not value:
            block = []
            while number < len(lines) and re.match(r"[\t#]|$", lines[number]):
                if not lines[number].startswith("#"):
                    block.append(lines[number][1:])
                number += 1
            value = "\n".join(block).rstrip("\n")
            value += "\n" if value else ""
        yield at, key, value


def split_groups(path):
    """Yields the entries of each group, the title's first. The group that
    stands before all has no title. A group with "for: NAME WORD..." comes once
    for each word, with the word for {NAME}."""
    groups = [[(0, "group", "")]]
    for entry in read_entries(path):
        if entry[1] == "group":
            groups.append([])
        groups[-1].append(entry)
    for group in groups:
        loops = [value for _, key, value in group if key == "for"]
        name, *words = shlex.split(loops[0]) if loops else (" ", "")
        for word in words:
            yield [(number, key, value.replace("{%s}" % name, word))
                   for number, key, value in group if key != "for"]


def read_groups(path):
    groups = []
    rows = {}
    for entries in split_groups(path):
        group = part = Part(entries[0][2])
        groups.append(group)
        for number, key, value in entries[1:]:
            word, _, name = key.partition(" ")
            if key == "case":
                part = Part(value)
                group.cases.append(part)
            elif word == "rows":
                rows[name] = [line.split(None, 1)
                              for line in value.splitlines()]
            elif word == "expect":
                group.cases += expect_rows(number, rows.get(name), value)
            elif key == "cases":
                group.cases += read_cases(number, value)
            elif word == "file" and part is not group:
                part.files[name] = value
            elif key in (GROUP_KEYS if part is group else CASE_KEYS):
                part.put(number, key, value)
            elif key != "compile":
                raise Mistake("%d: no such key here: %s" % (number, key))
        for case in group.cases:
            if "run" not in case:
                raise Mistake("0: the case '%s' runs nothing" % case.title)
    titles = [(group.title, case.title)
              for group in groups for case in group.cases]
    for title in set(titles):
        if titles.count(title) > 1:
            raise Mistake("0: two cases are '%s: %s'" % title)
    return groups


def expect_rows(number, rows, table):
    """Yields the cases of a list of commands. The last line of the table that
    matches the name of a row has its status and what it says."""
    lines = [line.split(None, 2) for line in table.splitlines()]
    unused = set(range(len(lines)))
    for name, command in rows or ():
        found = [i for i, line in enumerate(lines) if any(
            fnmatch.fnmatchcase(name, glob) for glob in line[0].split("|"))]
        if not found:
            raise Mistake("%d: nothing is expected of %s" % (number, name))
        unused.difference_update(found)
        _, status, *says = lines[found[-1]]
        if status != "-":
            yield Part(name, True, run=command, status=status, says=says)
    if unused:
        raise Mistake("%d: no row is %s" % (number, lines[min(unused)][0]))


def read_cases(number, text):
    """Returns the cases of a list: STATUS COMMAND, and below it, behind a tab,
    what the command says."""
    cases = []
    for line in filter(None, text.splitlines()):
        if line.startswith("\t") and cases:
            cases[-1].put(number, "says", line[1:])
        else:
            status, command = line.split(None, 1)
            cases.append(Part(command, True, run=command, status=status))
    return cases


class Bed:
    """Where the cases of one group run."""

    def __init__(self, group, number, work, env):
        self.group = group
        self.work = work
        self.runtime = os.environ["TAFFRAIL_DIR"]
        if number:
            name = "%d-%s" % (number, re.sub(r"\W+", "-", group.title))
            self.work = os.path.join(work, name)
            self.runtime += "-%d" % number
        self.env = dict(env, TAFFRAIL_DIR=self.runtime)
        self.begun = False
        self.shells = set()
        self.numbers = itertools.count()

    def run_cases(self):
        """Returns the lines of the results."""
        for path in (self.work, self.runtime):
            os.makedirs(path, 0o700, exist_ok=True)
        beside, rest = [], self.group.cases
        if "beside" in self.group:
            beside = [case for case in rest if case.is_row]
            rest = [case for case in rest if not case.is_row]
        try:
            lines = self.begin()
            if self.begun:
                with concurrent.futures.ThreadPoolExecutor(
                        len(beside) or 1) as pool:
                    lines += sum(pool.map(self.run_case, beside), [])
                lines += sum(map(self.run_case, rest), [])
            return lines
        finally:
            self.end_processes()
            shutil.rmtree(self.runtime, ignore_errors=True)

    def begin(self):
        """Runs what stands before the cases. Returns a result if they cannot
        run."""
        for need in self.group.get("need", []):
            if self.run_shell(need, {})[0] != 0:
                return ["UNSUPPORTED: %s: this fails: %s" % (
                    self.group.title or "all", need)]
        self.env.update(self.group.variables())
        if "before" in self.group:
            names = os.path.join(self.work, ".env")
            script = "set -e -a\n%s\nenv -0 >%s\n" % (self.group["before"],
                                                     names)
            result = self.run_shell(script, {})
            if result[0] != 0:
                return self.result("begins", script, result, ["status not 0"])
            self.env = dict(pair.split("=", 1)
                            for pair in read_text(names).split("\0") if pair)
        self.begun = True
        return []

    def run_case(self, case):
        for name, text in case.files.items():
            path = os.path.join(self.work, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        script = case["run"].rstrip("\n")
        if case.is_row:
            wrap = self.group.get("wrap", "{}")
            script = wrap.replace("{name}", case.title).replace("{}", script)
        result = self.run_shell(script, case.variables(), case.get("stdin", ""))
        return self.result(case.title, script, result,
                           list(self.faults(case, *result)))

    def faults(self, case, status, stdout, stderr):
        """Yields what is not as the case, or else its group, wants it."""
        case = {**self.group, **case}
        wanted = case.get("status", "0").split("/")
        if str(status) not in wanted:
            yield "status %s, not %s" % (status, " or ".join(wanted))
        for name, text in (("stdout", stdout), ("stderr", stderr)):
            for pattern in case.get(name, []):
                if not self.matches(pattern, text):
                    yield "%s has no %s" % (name, pattern)
            for pattern in case.get("no " + name, []):
                if self.matches(pattern, text):
                    yield "%s has %s" % (name, pattern)
            whole = case.get("whole " + name, text).rstrip("\n")
            if whole != text.rstrip("\n"):
                yield "%s is not %s" % (name, whole)
        # of 0/1, only 1 says it
        if str(status) in wanted[:-1]:
            return
        word = re.search(r"\btaffrail (\w+)", case["run"])
        begin = "taffrail: " + (word.group(1) + ": " if word else "")
        said = [line[len(begin):] for line in stderr.split("\n")
                if line.startswith(begin)]
        for pattern in case.get("says", []):
            if not any(self.matches(pattern, text) for text in said):
                yield "stderr does not say: %s%s" % (begin, pattern)

    def matches(self, pattern, text):
        """In the pattern, {NAME} is the value of a variable."""
        pattern = re.sub(r"\{([A-Za-z_]\w*)\}", lambda match: re.escape(
            self.env.get(match.group(1), match.group(0))), pattern)
        return re.search(pattern, text, re.M)

    def run_shell(self, script, variables, text=""):
        """Returns exit status, stdout and stderr; the status is "late" if it
        did not end in time."""
        stem = os.path.join(self.work, ".%d." % next(self.numbers))
        with open(stem + "in", "w", encoding="utf-8") as file:
            file.write(text)
        # files, not pipes: what stays in the background has them open
        with open(stem + "in", "rb") as stdin, \
                open(stem + "out", "wb") as stdout, \
                open(stem + "err", "wb") as stderr:
            shell = subprocess.Popen(
                ["bash", "-c", ". %s/cases.sh\n%s" % (HERE, script)],
                stdin=stdin, stdout=stdout, stderr=stderr, cwd=self.work,
                env=dict(self.env, **variables), start_new_session=True)
        try:
            status = shell.wait(SECONDS)
            status = 128 - status if status < 0 else status
        except subprocess.TimeoutExpired:
            status = "late"
            signal_group(shell.pid, signal.SIGKILL)
            shell.wait()
        if signal_group(shell.pid, 0):
            self.shells.add(shell.pid)
        return (status, read_text(stem + "out"), read_text(stem + "err"))

    def end_processes(self):
        for group in self.shells:
            signal_group(group, signal.SIGKILL)
            try:
                while os.waitpid(-group, 0):
                    pass
            except ChildProcessError:
                pass

    def result(self, title, script, result, wrong):
        """Returns the lines of a result."""
        title = ": ".join(word for word in (self.group.title, title) if word)
        if not wrong:
            return ["PASS: " + title]
        shown = ["run: " + script] + wrong + [
            "%s: %s" % (name, text[:SHOWN_BYTES].rstrip("\n"))
            for name, text in zip(("stdout", "stderr"), result[1:])]
        return ["FAIL: " + title] + [
            "\t" + line for text in shown for line in text.split("\n")]


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def signal_group(group, number):
    """Returns False if the group has no process."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def main(path, work):
    try:
        groups = read_groups(path)
    except Mistake as mistake:
        print("FAIL: the file is of the format\n\t%s:%s" % (path, mistake))
        return
    # what a shell leaves becomes a child of this program, which waits for it
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    # the others see what the first group has made, and its variables
    first = Bed(groups[0], 0, work, dict(
        os.environ, CASES=work,
        SOURCE=os.path.dirname(os.path.abspath(path))))
    print("\n".join(first.run_cases()), flush=True)
    if not first.begun:
        return
    beds = [Bed(group, number, work, first.env)
            for number, group in enumerate(groups[1:], 1)]
    with concurrent.futures.ThreadPoolExecutor(
            GROUPS_PER_CPU * os.cpu_count()) as pool:
        for lines in pool.map(Bed.run_cases, beds):
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
