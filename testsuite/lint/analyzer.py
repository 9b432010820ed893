# SPDX-License-Identifier: LGPL-2.1-or-later
"""What gcc -fanalyzer reports.

A file without a report is remembered by what it was preprocessed to, and not
analyzed again until that changes.

Usage: analyzer.py CC PUBLIC CACHE FILE..., where PUBLIC is the folder of the
headers for programs: prints a line "FILE:LINE: FUNCTION: fact" a report.
"""
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DHAVE_ZYDIS=1", "-O2", "-fexceptions",
         "-I."] + ["-D%s=\"x\"" % name for name in (
             "PACKAGE_VERSION", "TAFFRAIL_LIBDIR", "TAFFRAIL_LIB_BESIDE",
             "TAFFRAIL_DATADIR", "TAFFRAIL_DATA_BESIDE")]
ANALYZER = ["-fanalyzer", "-fdiagnostics-plain-output",
            "-fanalyzer-verbosity=0", "-c", "-o", "/dev/null"]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def reports(text):
    function = "?"
    for line in text.splitlines():
        match = re.match(r"\S+: In function '(\S+)':", line)
        if match:
            function = match.group(1)
        match = re.match(r"(\S+:\d+):\d+: (?:warning|error): (.*)", line)
        if match:
            yield "%s: %s: %s" % (match.group(1), function, match.group(2))


def analyze(command, cache, version, source):
    text = run(command + ["-E", "-P", source]).stdout
    key = os.path.join(cache, hashlib.sha256(version + text).hexdigest())
    if text and os.path.exists(key):
        return []
    done = run(command + ANALYZER + [source])
    found = list(reports(done.stderr.decode(errors="replace")))
    if done.returncode and not found:
        found.append("%s:1: not analyzed" % source)
    if not found:
        open(key, "w", encoding="utf-8").close()
    return found


def main(cc, public, cache, sources):
    command = cc.split() + FLAGS + ["-I" + public]
    version = (run(cc.split() + ["--version"]).stdout +
               " ".join(FLAGS + ANALYZER).encode())
    os.makedirs(cache, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(
                lambda source: analyze(command, cache, version, source),
                sources):
            for line in found:
                print(line)


main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
