# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes for the headers, each of which the generator must find."""
import os
import re
import shutil
import sys

# name: file, pattern, replacement
FAULTS = {
    "sign": ("marker-c.h", r"!(\(\(__typeof__\(__builtin_choose_expr)", r"\1"),
    "twice": ("marker-shown-c.h",
              r"(OF1_\(name, \.\.\.\)[^,]*,[^,]*,) __VA_ARGS__\)",
              r"\1 (void)(__VA_ARGS__), __VA_ARGS__)"),
    "offset": ("marker-hit-cxx.h", r"(memcpy\(to_\.bytes_ \+) (O_),",
               r"\1 (\2 & ~1u),"),
    "base": ("marker.h", r"e, TAFFRAIL_HOW_OCT, ", "e, TAFFRAIL_HOW_HEX, "),
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
        # Status 1 would say that the generator found the mistake
        print("generate: %s has %d places for the fault %s, not 1: mend its "
              "pattern in faults.py" % (file, count, name), file=sys.stderr)
        sys.exit(2)
    with open(path, "w") as stream:
        stream.write(text)
    return copy
