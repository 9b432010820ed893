# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes for the headers, each of which the generator must find."""
import os
import re
import shutil

# name: file, pattern, replacement
FAULTS = {
    "sign": ("marker-c.h", r"!(\(\(__typeof__\(__builtin_choose_expr)", r"\1"),
    "twice": ("marker.h", r"(TAFFRAIL_WORD_\(#name\),) __VA_ARGS__\)",
              r"\1 (void)(__VA_ARGS__), __VA_ARGS__)"),
    "offset": ("marker-cxx.h", r"(memcpy\(bytes_? \+) (O_?),",
               r"\1 (\2 & ~1u),"),
    "null": ("marker-c.h", r'"\(null\)"', '"null"'),
}


def plant(include, copy, name):
    """Copies the headers, with one mistake; returns the folder."""
    file, right, wrong = FAULTS[name]
    shutil.copytree(include, copy)
    path = os.path.join(copy, "taffrail", file)
    with open(path) as stream:
        text, count = re.subn(right, wrong, stream.read())
    if count != 1:
        raise SystemExit("generate: %s has %d places for fault %s, not 1" % (
            file, count, name))
    with open(path, "w") as stream:
        stream.write(text)
    return copy
