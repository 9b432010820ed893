# SPDX-License-Identifier: LGPL-2.1-or-later
"""Includes that a C file does not need, by include-what-you-use.

An include is needed when the file itself uses a name of that header. The tool
decides; a macro or struct that the header's own text defines and the file uses
keeps the include as well, since the tool prefers libc's header to the kernel's.
Headers may include what they hand on, so only C files are judged.

Usage: includes.py TOOL PUBLIC FILE..., where PUBLIC is the folder of the headers
for programs: prints a line "FILE:LINE: fact" a violation.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FLAGS = ["-Xiwyu", "--no_fwd_decls", "-Xiwyu", "--quoted_includes_first",
         "-x", "c", "-std=gnu11", "-D_GNU_SOURCE", "-DHAVE_ZYDIS=1",
         "-fexceptions", "-I."]
PATHS = ["-D%s=\"x\"" % name for name in (
    "PACKAGE_VERSION", "TAFFRAIL_LIBDIR", "TAFFRAIL_LIB_BESIDE",
    "TAFFRAIL_DATADIR", "TAFFRAIL_DATA_BESIDE")]
# What a header includes and others should take from it alone.
HANDED_ON = {
    "sys/syscall.h": r"\bSYS_",             # <asm/unistd.h>
    "sys/vfs.h": r"\bstatfs\b",             # <sys/statfs.h>
    "asm/ioctls.h": r"\bTC[GS]ETS|\bTIOC",  # <asm-generic/ioctls.h>
    "Zydis/Zydis.h": r"\bZydis",            # its other headers
    "stddef.h": r"\bNULL\b",               # the compiler's own
    "float.h": r"\b(?:FLT|L?DBL)_",        # the compiler's own
}
SYSTEM = ["/usr/include/x86_64-linux-gnu/", "/usr/include/"]


def advice(tool, public, source):
    done = subprocess.run([tool] + FLAGS + PATHS + ["-I" + public, source],
                          stderr=subprocess.PIPE, text=True)
    return source, done.stderr


def needless(text):
    """(file, line, header) of what the tool would remove."""
    path = None
    for line in text.splitlines():
        match = re.match(r"(\S+) should remove these lines:", line)
        if match:
            path = match.group(1)
        elif not line.strip():
            path = None
        match = path and re.match(
            r'- #include ["<]([^">]+)[">]\s+// lines (\d+)', line)
        if match:
            yield path, int(match.group(2)), match.group(1)


def text_of(name, public):
    """A header that chooses a machine's hands its names on."""
    for folder in ["", public + "/"] + SYSTEM:
        if os.path.isfile(folder + name):
            with open(folder + name, encoding="utf-8",
                      errors="replace") as file:
                text = file.read()
            for chosen in re.findall(r'#\s*include "(\S+-x86_64\.h)"', text):
                text += text_of(chosen, public)
            return text
    return ""


def has_name_of(path, header, public):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    if header in HANDED_ON:
        return re.search(HANDED_ON[header], text)
    names = re.findall(r"^\s*#\s*define\s+(\w+)|^struct\s+(\w+)\s*\{",
                       text_of(header, public), re.M)
    return not {name for pair in names for name in pair if name}.isdisjoint(
        re.findall(r"\w+", text))


def main(tool, public, sources):
    found = set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, said in pool.map(
                lambda source: advice(tool, public, source), sources):
            error = re.search(r"^\S+ (?:fatal )?error: (?!.*iwyu).*$", said,
                              re.M)
            if error:
                found.add("%s:1: not read: %s" % (source, error.group()))
            for path, line, header in needless(said):
                if path == source and not has_name_of(path, header, public):
                    found.add("%s:%d: needs nothing of %s" % (path, line,
                                                              header))
    for line in sorted(found):
        print(line)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
