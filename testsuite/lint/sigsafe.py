# SPDX-License-Identifier: LGPL-2.1-or-later
"""What functions marked SIGSAFE reach, by the compiler's own call graph.

They may call, by whatever way: each other, functions of the agent that reach
nothing else, and what sigsafe.allow names ("NAME reason"; "-NAME reason" names
a function of ours that they may not reach). Calls through pointers are not in
the graph: their contracts say SIGSAFE where that is asked for.

Usage: sigsafe.py CC PUBLIC FILE..., where PUBLIC is the folder of the headers
for programs: prints a line "FILE:LINE: fact" a violation.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
# Code that is not optimised has each call, and takes half the time to compile;
# some machine code has not enough registers there.
LEVELS = ["-O0", "-O1"]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-fno-inline",
         "-fno-ipa-icf", "-fno-partial-inlining", "-fno-ipa-sra",
         "-fno-ipa-cp", "-fcallgraph-info", "-fno-stack-protector",
         "-U_FORTIFY_SOURCE", "-w", "-I.",
         '-DPACKAGE_VERSION="0"',
         '-DSIGSAFE=__attribute__((section("sigsafe")))', "-c"]


def compile_one(work, cc, public, source):
    out = os.path.join(work, source.replace("/", "!") + ".o")
    for level in LEVELS:
        done = subprocess.run(cc.split() + FLAGS + [level, "-I" + public, source,
                                                    "-o", out],
                              env={**os.environ, "CCACHE_DISABLE": "1"},
                              stderr=subprocess.PIPE, text=True)
        if not done.returncode:
            break
    if done.returncode:
        return source, None, [], done.stderr.splitlines()[0]
    graph = open(out[:-2] + ".ci", encoding="utf-8").read()
    symbols = subprocess.run(["objdump", "-t", out], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    safe = re.findall(r"^\S+ \S+ +F sigsafe\s+\S+ (?:\.hidden )?(\S+)$",
                      symbols, re.M)
    return source, graph, safe, None


class Calls:
    def __init__(self):
        self.edges = {}     # caller: [(callee, place)]
        self.defined = {}   # function: place
        self.safe = set()

    def add(self, source, graph, safe):
        local = {}
        for title, label, shape in re.findall(
                r'^node: \{ title: "([^"]+)" label: "([^"]*)"( shape)?',
                graph, re.M):
            parts = label.split("\\n")
            if not shape:
                self.defined[title] = parts[1]
                local[parts[0]] = title
        for caller, callee, _, place in re.findall(
                r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"'
                r'( label: "([^"]*)")?', graph, re.M):
            self.edges.setdefault(caller, []).append(
                (callee, place or self.defined.get(caller, source)))
        self.safe.update(local.get(name, name) for name in safe)

    def missing(self):
        """The functions that marked ones reach and no file here defines."""
        todo = list(self.safe)
        seen = set(todo)
        while todo:
            for callee, _ in self.edges.get(todo.pop(), ()):
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        return {word(name) for name in seen if name not in self.defined}


def word(title):
    return re.sub(r"\.(part|constprop|isra|cold)\.?\d*$", "",
                  title.rsplit(":", 1)[-1])


def walk(calls, allowed, denied):
    found = set()
    for root in sorted(calls.safe):
        todo = [(root, (word(root),))]
        seen = {root}
        while todo:
            caller, path = todo.pop()
            for callee, place in calls.edges.get(caller, ()):
                name = word(callee)
                if name == "__indirect_call" or callee in seen:
                    continue
                seen.add(callee)
                if name in denied or (callee not in calls.defined and
                                      name not in allowed):
                    found.add("%s: %s is reached from SIGSAFE code: %s" % (
                        ":".join(place.split(":")[:2]), name,
                        " -> ".join(path)))
                elif callee in calls.defined and callee not in calls.safe:
                    todo.append((callee, path + (name,)))
    return sorted(found)


def read_allowed():
    allowed, denied = set(), set()
    with open(os.path.join(HERE, "sigsafe.allow"), encoding="utf-8") as file:
        for line in file:
            name = line.split()[0] if line.split() else "#"
            if name.startswith("-"):
                denied.add(name[1:])
            elif not name.startswith("#"):
                allowed.add(name)
    return allowed, denied


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def names_marked(text):
    """The functions that a text marks SIGSAFE, and more names: those before a
    parenthesis up to the end of the declaration."""
    names = set()
    for declaration in re.findall(r"\bSIGSAFE\b([^;{]*)", text):
        names.update(re.findall(r"(\w+)\(", declaration))
    return names


def names_defined(text):
    """The functions that a source may define: what begins a line has no blank
    before it."""
    lines = re.findall(r"^[A-Za-z_].*", text, re.M)
    return {name for line in lines for name in re.findall(r"(\w+)\(", line)}


def main(cc, public, sources):
    """Only files that define a marked function, or one that those reach, are
    compiled: less than half. A function of which no file is found counts as one
    that nobody has allowed."""
    calls = Calls()
    allowed, denied = read_allowed()
    places = {}
    wanted = set()
    for source in sources:
        text = read_text(source)
        wanted |= names_marked(text)
        for name in names_defined(text):
            places.setdefault(name, []).append(source)
    for folder in {source.split("/")[0] for source in sources}:
        for path in glob.glob(folder + "/**/*.h", recursive=True):
            wanted |= names_marked(read_text(path))
    left = set(sources)
    with tempfile.TemporaryDirectory() as work, \
            ThreadPoolExecutor(os.cpu_count()) as pool:
        while wanted:
            found = {source for name in wanted
                     for source in places.get(name, ())} & left
            left -= found
            for source, graph, safe, error in pool.map(
                    lambda source: compile_one(work, cc, public, source),
                    sorted(found)):
                if error:
                    print("%s:1: does not compile: %s" % (source, error))
                else:
                    calls.add(source, graph, safe)
            wanted = calls.missing() - allowed if found else set()
    if not calls.safe:
        print("base/base.h:1: no function is SIGSAFE")
    for line in walk(calls, allowed, denied):
        print(line)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
