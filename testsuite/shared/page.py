#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""page.py PAGE PLACE [SECTION...]: runs the commands of a page, as it has them.

A section begins with "## " or "### ". Its commands are lines "    $ COMMAND", which
"    > MORE" continues; they run in one shell, in a new directory below PLACE. A
block in fences whose first line names a file in a comment becomes that file.
Lines below a command are what it must print: numbers and white space may
differ, and "..." at the end of a line, or alone, stands for anything. A command
without such lines may print anything.

What comes before the first section runs at the begin of each, and its files are
there. Each command must end with 0. "<!-- needs WORD... -->" names commands that a section needs;
"systemd" is a machine that systemd runs, "namespaces" the right to make them.
"<!-- before COMMAND -->" runs before a section's commands, and "<!-- after
COMMAND -->" behind them.

Sections run side by side, each with a runtime directory of its own, beside that
which TAFFRAIL_DIR names. Prints "PASS: FACT", "FAIL: FACT" or "UNSUPPORTED: FACT" for each command, and
"# LINE" for the last lines that a failed one printed. The shell has SRC, PATH and all else from
this program's environment.
"""
import concurrent.futures
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import time

COMMAND_S = 120
PRINTED_LINES = 30
SECTIONS = 4
FENCE = re.compile(r"^```\w+$")
NAMED = re.compile(r"^(?:#|//|/\*)\s*(\S+\.\w+)(?:\s*\*/)?$")
NEEDS = re.compile(r"^<!-- needs ([\w. -]+?) -->$")
HOOK = re.compile(r"^<!-- (before|after) (.+?) -->$")
NUMBER = re.compile(r"0x[0-9A-Fa-f]+|\d[\d.,:]*(?: (?:[num]?s|min)\b)?")


class Section:
    """What a page says below one heading."""

    def __init__(self, title):
        self.title = title
        self.files = {}
        self.steps = []
        self.needs = []
        self.hooks = {"before": [], "after": []}


def sections_read(path):
    """Returns the sections of a page; the first is what comes before any."""
    section = Section("")
    sections = [section]
    fenced = None
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if fenced is not None:
            if line != "```":
                fenced.append(line)
                continue
            named = fenced and NAMED.match(fenced[0])
            if named:
                section.files[named.group(1)] = "\n".join(fenced) + "\n"
            fenced = None
        elif FENCE.match(line):
            fenced = []
        elif HOOK.match(line):
            hook = HOOK.match(line)
            section.hooks[hook.group(1)].append([hook.group(2), []])
        elif line.startswith(("## ", "### ")):
            section = Section(line.lstrip("# "))
            sections.append(section)
        elif NEEDS.match(line):
            section.needs += NEEDS.match(line).group(1).split()
        elif line.startswith("    $ "):
            section.steps.append([line[6:], []])
        elif line.startswith("    > ") and section.steps:
            section.steps[-1][0] += "\n" + line[6:]
        elif line.startswith("    ") and section.steps:
            section.steps[-1][1].append(line[4:])
    return sections


def line_pattern(line):
    """Returns the regular expression of a line, but for numbers."""
    text = NUMBER.sub("\0", " ".join(line.split()))
    text = re.escape(text).replace(
        "\0", r"[\w.,:]+(?:\s(?:[num]?s|min)\b)?")
    return text.replace(r"\.\.\.", ".*").replace(r"\ ", r"\s+")


def output_fits(shown, printed):
    """Holds what a command printed against what the page shows."""
    pattern = ""
    for line in shown:
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else \
            r"\s*" + line_pattern(line) + r"\s*\n"
    return re.fullmatch(pattern, printed) is not None


def need_there(word):
    if word == "systemd":
        return os.path.isdir("/run/systemd/system")
    if word == "namespaces":
        return not subprocess.run(["unshare", "-m", "-p", "-f", "true"],
                                  stderr=subprocess.DEVNULL,
                                  check=False).returncode
    return shutil.which(word) is not None


class Shell:
    """A shell that runs one command after another."""

    def __init__(self, place, environment):
        self.process = subprocess.Popen(
            ["bash"], cwd=place, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.mark = f"--{os.getpid()}-{id(self)}-"
        self.turn = 0

    def run(self, command):
        """Returns a command's status, or None if it did not end, and output."""
        self.turn += 1
        mark = f"{self.mark}{self.turn} "
        self.process.stdin.write(
            f"{command}\nprintf '\\n%s%d\\n' '{mark}' $?\n".encode())
        self.process.stdin.flush()
        out = self.process.stdout.fileno()
        found = re.compile(rb"\n" + re.escape(mark.encode()) + rb"(\d+)\n")
        printed = b""
        end = time.monotonic() + COMMAND_S
        while not found.search(printed):
            left = end - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                return None, printed.decode(errors="replace")
            part = os.read(out, 65536)
            if not part:
                return None, printed.decode(errors="replace")
            printed += part
        match = found.search(printed)
        return int(match.group(1)), \
            printed[:match.start()].decode(errors="replace")

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def section_run(section, first, place):
    """Runs a section in a directory. Returns the lines to print."""
    lacks = [word for word in section.needs if not need_there(word)]
    if lacks:
        return [f"UNSUPPORTED: {section.title}: needs {' and '.join(lacks)}"]
    place.mkdir(parents=True)
    for name, text in {**first.files, **section.files}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    runtime = pathlib.Path(f"{os.environ['TAFFRAIL_DIR']}-{place.name}")
    runtime.mkdir(mode=0o700)
    shell = Shell(place, {**os.environ, "TAFFRAIL_DIR": str(runtime)})
    lines = []
    for command, shown in (first.steps + section.hooks["before"] +
                           section.steps + section.hooks["after"]):
        status, printed = shell.run(command)
        fact = f"{section.title}: {' '.join(command.split())}"
        if status == 0 and (not shown or output_fits(shown, printed + "\n")):
            lines.append(f"PASS: {fact}")
            continue
        lines.append(f"FAIL: {fact}")
        lines.append("# did not end" if status is None else
                     f"# ended with {status}")
        lines += [f"# {line}" for line in
                  printed.splitlines()[-PRINTED_LINES:]]
        if status is None:
            break
    shell.end()
    shutil.rmtree(runtime)
    return lines


def main():
    page, place, *titles = sys.argv[1:]
    first, *sections = sections_read(page)
    wanted = [(number, section) for number, section in enumerate(sections, 1)
              if section.steps and (not titles or section.title in titles)]
    good = True
    # they wait more than they work
    with concurrent.futures.ThreadPoolExecutor(SECTIONS) as pool:
        for lines in pool.map(lambda one: section_run(
                one[1], first, pathlib.Path(place) / str(one[0])),
                wanted):
            print("\n".join(lines))
            good &= not any(line.startswith("FAIL") for line in lines)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
