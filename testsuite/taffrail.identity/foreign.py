# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts other objects in the place of files of the runtime directory.

    foreign.py programs PROGRAM    a result for each file and kind of object,
                                   which is there when the program starts
    foreign.py commands COMMAND KEPT FIRST
                                   the same for commands, beside files that two
                                   processes left in KEPT, the first in FIRST
    foreign.py put STEM            makes an object of each kind: STEM.0, STEM.1
    foreign.py look                prints what the targets of symlinks are

The work directory is the current one; TAFFRAIL_DIR has a directory a row. Rows
are made side by side.
"""
import functools
import glob
import multiprocessing
import os
import shutil
import socket
import stat
import subprocess
import sys

SECONDS = 120
# Names a session of every event.
RULES = "name=rules\nrule=*\nall=1\n"
OTHER = 47124


def bind_socket(path, _):
    # the path of a row may be longer than an address can be
    directory = os.open(os.path.dirname(path), os.O_PATH)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("/proc/self/fd/%d/%s" % (directory, os.path.basename(path)))
    os.close(directory)


def make_fifo_link(path, _):
    if not os.path.exists(path + ".fifo"):
        os.mkfifo(path + ".fifo")
    os.symlink(path + ".fifo", path)


def write_file(path, _, text="", size=0):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
        if size:
            file.truncate(size)


def make_other_file(path, _):
    write_file(path, _, RULES)
    os.chown(path, OTHER, -1)


def make_other_directory(path, _):
    os.mkdir(path)
    os.chown(path, OTHER, -1)


# name: what makes it at a path, given the directory of the symlinks' targets
KINDS = {
    "fifo": lambda path, _: os.mkfifo(path),
    "directory": lambda path, _: os.mkdir(path),
    "symlink": lambda path, targets: os.symlink(targets + "/victim", path),
    "symlink to a directory":
        lambda path, targets: os.symlink(targets + "/victims", path),
    "symlink to a fifo": make_fifo_link,
    "socket": bind_socket,
    "huge file": functools.partial(write_file, size=1 << 40),
    "empty file": write_file,
}
if os.geteuid() == 0:
    KINDS.update({
        "endless device": lambda path, _: os.mknod(
            path, stat.S_IFCHR | 0o644, os.makedev(1, 5)),
        "terminal": lambda path, _: os.mknod(
            path, stat.S_IFCHR | 0o644, os.makedev(5, 0)),
        "another user's file": make_other_file,
        "another user's directory": make_other_directory,
    })


def put_object(path, kind, targets):
    """Replaces a file by an object."""
    if not os.path.isdir(os.path.dirname(path)):
        os.makedirs(os.path.dirname(path))
        os.chmod(os.path.dirname(path), 0o700)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    KINDS[kind](path, targets)


def make_targets(targets):
    """Makes what symlinks name: rules that a process would obey."""
    shutil.rmtree(targets, ignore_errors=True)
    os.makedirs(targets + "/victims")
    write_file(targets + "/victim", None, RULES)
    write_file(targets + "/victims/rules", None, RULES)
    write_file(targets + "/victims/process", None, "x" * 4096)
    for name in ("victim", "victims/rules", "victims/process"):
        os.chmod(os.path.join(targets, name), 0o600)


def look_at_targets(targets):
    lines = []
    for path in sorted(glob.glob(targets + "/**", recursive=True)):
        found = os.lstat(path)
        lines.append("%s %o %d %d" % (path, found.st_mode, found.st_uid,
                                      found.st_size))
        if stat.S_ISREG(found.st_mode):
            with open(path, "rb") as file:
                lines.append(repr(file.read()))
    return "\n".join(lines)


def place_name():
    """The name of this process's directory in the runtime directory."""
    with open("/proc/self/stat", encoding="utf-8") as file:
        start = int(file.read().rpartition(")")[2].split()[19])
    namespace = os.stat("/proc/self/ns/pid").st_ino
    if namespace == 0xeffffffc:
        namespace = 0
    return "%d.%d" % (os.getpid(), start | namespace << 40)


class Row:
    """One object, with a runtime directory and targets of its own."""

    def __init__(self, number, file, kind):
        self.file = file
        self.kind = kind
        self.runtime = os.path.join(os.environ["TAFFRAIL_DIR"], str(number))
        self.targets = os.path.join(os.getcwd(), "targets-%d" % number)
        self.trace = os.path.join(os.getcwd(), "trace-%d" % number)
        self.wrong = []

    def run(self, command, **options):
        """Runs a program to its end; the status is "late" if it has none."""
        env = dict(os.environ, TAFFRAIL_DIR=self.runtime)
        env.update(options.pop("env", {}))
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True,
                env=env, timeout=SECONDS, check=False, text=True, **options)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, "late", "", "")

    def want(self, what, got, wanted):
        if got != wanted:
            self.wrong.append("%s: %s, not %s" % (what, got, wanted))

    def result(self, name):
        shutil.rmtree(self.runtime, ignore_errors=True)
        shutil.rmtree(self.targets, ignore_errors=True)
        lines = ["%s: %s in place of %s: %s" % (
            "FAIL" if self.wrong else "PASS", self.kind,
            self.file.lstrip("/"), name)]
        for text in self.wrong:
            lines += ["\t" + line for line in text.split("\n")]
        return "\n".join(lines)


def rows_of(files):
    return [(number, file, kind) for number, (file, kind) in enumerate(
        (file, kind) for file in files for kind in KINDS)]


def put_before_program(row):
    """In the process that becomes the program: {p} is its directory."""
    put_object(row.runtime + row.file.replace("{p}", place_name()), row.kind,
               row.targets)
    # with a ring beside it, the agent looks for its session's name
    left = row.runtime + "/1.1/0"
    if os.path.isdir(left) and not os.path.islink(left):
        ring = os.open(left + "/ring.0.1", os.O_WRONLY | os.O_CREAT, 0o600)
        os.close(ring)


def run_program(program, arguments):
    """The agent, while the program starts."""
    row = Row(*arguments)
    os.makedirs(row.runtime, 0o700)
    make_targets(row.targets)
    before = look_at_targets(row.targets)
    result = row.run(
        [program], preexec_fn=lambda: put_before_program(row),
        env={"TAFFRAIL_ENABLE": "app/*", "TAFFRAIL_QUOTA": "256M",
             "TAFFRAIL_JOIN": "rules", "TAFFRAIL_GDB": "on",
             "TAFFRAIL_BUFFER_SIZE": "256K"})
    row.want("the program's status", result.returncode, 7)
    row.want("its output", result.stdout, "done\n")
    row.want("its errors", result.stderr, "")
    row.want("what a symlink names", look_at_targets(row.targets), before)
    row.want("rules that it obeys",
             glob.glob(row.runtime + "/*/*/session.1"), [])
    return row.result("the program")


# The first ones change nothing; each other one begins with files of its own.
COMMANDS = (
    ("list",), ("status",), ("status", "env"),
    ("snapshot", "env", "-o", "TRACE"),
    ("record", "--buffer-size", "256K", "-o", "TRACE", "--", "true"),
    ("start", "later", "--all", "-e", "none/*"), ("destroy", "env"))
CHANGING = ("record", "start", "destroy")


def run_commands(program, kept, first, arguments):
    """Each command ends, beside files that other processes left."""
    row = Row(*arguments)
    make_targets(row.targets)
    before = look_at_targets(row.targets)
    shutil.copytree(kept, row.runtime)
    for command in COMMANDS:
        if command[0] in CHANGING:
            shutil.rmtree(row.runtime)
            shutil.copytree(kept, row.runtime)
        put_object(os.path.join(row.runtime, row.file.replace("{p}", first)),
                   row.kind, row.targets)
        shutil.rmtree(row.trace, ignore_errors=True)
        status = row.run([program] + [
            row.trace if word == "TRACE" else word
            for word in command]).returncode
        if status not in (0, 1, 2):
            row.wrong.append("%s ends with %s" % (" ".join(command), status))
        if command[0] == "snapshot":
            events = row.run([program, "view", row.trace]).stdout.count(
                " app:hit: ")
            if events < 100:
                row.wrong.append("%d events of the other are there" % events)
    row.want("what a symlink names", look_at_targets(row.targets), before)
    shutil.rmtree(row.trace, ignore_errors=True)
    return row.result("the commands")


def print_results(function, files):
    # a program waits now and then, so there are more rows than CPUs
    with multiprocessing.Pool(2 * os.cpu_count()) as pool:
        for text in pool.imap(function, rows_of(files)):
            print(text.replace("{p}", "p"), flush=True)


def main(word, *arguments):
    targets = os.path.join(os.getcwd(), "targets")
    if word == "programs":
        # "sessions/rules" is an object that the agent reads; a directory that a
        # process left comes after
        print_results(functools.partial(run_program, *arguments), (
            "/sessions", "/sessions/rules", "/{p}", "/{p}/0", "/{p}/0/process",
            "/{p}/control.sock", "/{p}/gdb.sock", "/1.1", "/1.1/0",
            "/1.1/0/session.0", "/1.1/0/ring.0.0"))
    elif word == "commands":
        print_results(functools.partial(run_commands, *arguments), (
            "sessions", "sessions/rules", "{p}", "{p}/0", "{p}/0/process",
            "{p}/0/session.0", "{p}/0/ring.0.0", "{p}/control.sock"))
    elif word == "put":
        make_targets(targets)
        for number, kind in enumerate(KINDS):
            put_object("%s.%d" % (arguments[0], number), kind, targets)
    elif word == "look":
        print(look_at_targets(targets))


if __name__ == "__main__":
    main(*sys.argv[1:])
