# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints compile_commands.json, which clangd and other tools read.

Asks make what it would run if every source file were new (make -n -W FILE),
and compiles nothing. A file that is compiled twice, for the agent and for the
command, has two entries.

Usage: commands.py MAKE SRCDIR TARGET..., in a build folder.
"""
import json
import os
import re
import subprocess
import sys

COMPILATION = re.compile(
    r"^(?:depbase=\S+ *)?(?P<flags>\S.*?)(?: -MT \S+ -MD -MP -MF \S+)? -c "
    r"-o (?P<object>\S+) (?:`test -f '[^']*' \|\| echo '(?P<folder>[^']*)'`)?"
    r"(?P<file>\S+)")


def source_files(top):
    for where, folders, files in os.walk(top):
        folders[:] = [f for f in folders
                      if not f.startswith((".", "build", "taffrail."))]
        for name in files:
            if name.endswith((".c", ".S")):
                yield os.path.normpath(os.path.join(where, name))


def entry(line):
    found = COMPILATION.match(line)
    if not found:
        return None
    file = found["file"]
    if found["folder"] and not os.path.exists(file):
        file = found["folder"] + file
    return {"directory": os.getcwd(), "file": file, "output": found["object"],
            "command": f"{found['flags']} -c -o {found['object']} {file}"}


def main(make, top, *targets):
    new = [word for file in source_files(top) for word in ("-W", file)]
    said = subprocess.run(
        make.split() + ["-n", "V=1", "--no-print-directory"] + new +
        list(targets), check=True, stdout=subprocess.PIPE, text=True).stdout
    entries = [e for e in map(entry, said.splitlines()) if e]
    json.dump(entries, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
