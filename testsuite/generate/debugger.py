# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program once more, with tracepoints of gdb at its markers: the text of
$_sdata in each frame is what the generator knows."""
import os
import re
import subprocess
import time

import reader
import values as v

# Markers that run before main() or after it are not collected.
SCRIPT = r"""
import gdb, time
numbers = {}
for id in %(ids)r:
    before = int(gdb.convenience_variable("tpnum") or 0)
    gdb.execute("strace -m " + id, to_string=True)
    for n in range(before + 1, int(gdb.convenience_variable("tpnum")) + 1):
        numbers[n] = id
gdb.execute("tstart", to_string=True)
with open(%(input)r, "w") as stream:
    stream.write("\n")
for _ in range(6000):
    with open(%(output)r) as stream:
        if "done" in stream.read().split("\n"):
            break
    time.sleep(0.01)
gdb.execute("tstop", to_string=True)
gdb.execute("tfind start", to_string=True)
while int(gdb.convenience_variable("trace_frame")) >= 0:
    number = int(gdb.convenience_variable("tracepoint"))
    data = gdb.parse_and_eval("$_sdata")
    text = ""               # of a marker without arguments
    if data.type.code != gdb.TYPE_CODE_VOID:
        text = data.string("latin-1", length=data.type.sizeof)
    print("frame %%s %%s" %% (numbers[number], text.encode("latin-1").hex()))
    gdb.execute("tfind", to_string=True)
print("end of frames")
"""


def start(work, program, files):
    os.mkfifo(files["input"])
    out = open(files["output"], "wb")
    environment = dict(work.environment, LD_PRELOAD=work.agent)
    # Opened for both, so neither side waits for the other.
    end = os.open(files["input"], os.O_RDWR)
    child = subprocess.Popen([work.path(program), "wait"], stdin=end,
                             stdout=out, stderr=out, cwd=work.top,
                             env=environment)
    for _ in range(6000):
        with open(files["output"], "rb") as stream:
            if b"ready" in stream.read().split(b"\n"):
                break
        if child.poll() is not None:
            break
        time.sleep(0.01)
    return child, end


def compare(work, program):
    """Adds what is wrong to work.wrong."""
    files = {"input": work.path(program, ".in"),
             "output": work.path(program, ".gdb-out")}
    markers = [m for m in program.markers if not m.place.early]
    child, end = start(work, program, files)
    script = work.path(program, ".py")
    with open(script, "w") as stream:
        stream.write(SCRIPT % {"ids": [m.id for m in markers], **files})
    result = work.run([work.taffrail, "gdb", "-p", str(child.pid), "--", "-nx",
                       "-batch", "-ex", "source " + script])
    os.write(end, b"\n\n")
    os.close(end)
    try:
        child.wait(60)
    except subprocess.TimeoutExpired:
        child.kill()
        work.fail(program, "with gdb: does not end")
        return
    with open(files["output"], "rb") as stream:
        told = reader.Told(stream.read().decode(errors="replace")).addresses
    frames = {}
    for id, data in re.findall(r"^frame (\S+) ?(\w*)$",
                               result.stdout.decode(), re.M):
        frames.setdefault(id, []).append(bytes.fromhex(data))
    if b"end of frames" not in result.stdout:
        work.fail(program, "gdb: %s\n%s" % (
            result.stdout.decode()[-2000:], result.stderr.decode()[-2000:]))
        return
    for marker in markers:
        for text in wrong(marker, frames.get(marker.id, []), told):
            work.fail(program, "gdb: %s: %s" % (marker.id, text))


def wrong(marker, frames, told):
    if len(frames) != marker.rounds:
        yield "%d frames, not %d" % (len(frames), marker.rounds)
        return
    if marker.format is not None:
        return
    for data, row in zip(frames, marker.rows):
        parts = []
        for (name, _, base), value in zip(marker.fields, row):
            parts += [b", "] * bool(parts) + v.parts_for_gdb(
                name, value, told, base)
        if not matches(data.rstrip(b"\0"), parts):
            yield "%r, not %r" % (data, parts)


def matches(data, parts):
    at = 0
    for part in parts:
        if isinstance(part, float):
            number = re.compile(rb"-?(?:nan|inf|[0-9.]+(?:e[-+]?\d+)?)").match(
                data, at)
            if not number or not same(float(number.group()), part):
                return False
            at = number.end()
        elif data[at:].startswith(part):
            at += len(part)
        else:
            # The agent cuts a long text.
            return data[at:].endswith(b"...") and part.startswith(
                data[at:-3])
    return at == len(data)


def same(got, wanted):
    return (got == wanted and str(got)[0] == str(wanted)[0]
            or got != got and wanted != wanted
            or abs(wanted) < 3.5e38 and abs(got) < 3.5e38
            and v.as_float(got) == wanted == v.as_float(wanted))
