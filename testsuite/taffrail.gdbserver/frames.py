# SPDX-License-Identifier: LGPL-2.1-or-later
"""Says what the frames of a trace file hold, whose tracepoints collected
static data:

    frames.py FILE

    tracepoint 2: 80000 frames
    tracepoint 2, thread 0: 0-19999 by 1	(of exact.c's app/hit)
    tracepoint 3: letter = 118, turns = 1	(of others, each)

or "3-9 by 1 or 2" where steps differ. One frame that is not as it should be
ends it."""
import re
import struct
import sys


def blocks(data, registers):
    """What a frame holds: of each block its kind and its bytes."""
    sizes = {"R": lambda d: registers,
             "M": lambda d: 10 + struct.unpack_from("<H", d, 8)[0],
             "V": lambda d: 12,
             "S": lambda d: 2 + struct.unpack_from("<H", d)[0]}
    while data:
        kind, data = chr(data[0]), data[1:]
        n = sizes[kind](data)
        assert n <= len(data)
        yield kind, data[:n]
        data = data[n:]


STATIC_BLOCK_ADDRESS = 0x7461666672000000


def frames(path):
    head, _, data = open(path, "rb").read().partition(b"\n\n")
    registers = int(re.search(rb"^R ([0-9a-f]+)$", head, re.M).group(1), 16)
    at = 0
    while at + 6 <= len(data):
        number, n = struct.unpack_from("<hI", data, at)
        if number == 0:
            break
        at += 6
        assert at + n <= len(data)
        # of several of a kind the first, which the filter's is
        yield number, dict(reversed(list(blocks(data[at:at + n], registers))))
        at += n


def static(held):
    """Its static data: a bare gdbserver's, or the filter's."""
    memory = held.get("M", b"")
    if memory[:8] == struct.pack("<Q", STATIC_BLOCK_ADDRESS):
        return memory[26:]        # behind time and thread
    return held.get("S", b"")[2:]


def main(path):
    counts = {}
    seen = {}
    for number, held in frames(path):
        counts[number] = counts.get(number, 0) + 1
        text = static(held).decode()
        match = re.fullmatch(r"thread = (\d+), i = (\d+)\0", text)
        if match:
            thread, i = map(int, match.groups())
            seen.setdefault((number, thread), []).append(i)
        elif text:
            print("tracepoint %d: %s" % (number, text.rstrip("\0")))
    for number, n in sorted(counts.items()):
        print("tracepoint %d: %d frames" % (number, n))
    for (number, thread), all_i in sorted(seen.items()):
        steps = sorted({b - a for a, b in zip(all_i, all_i[1:])}) or [1]
        print("tracepoint %d, thread %d: %d-%d by %s" % (
            number, thread, all_i[0], all_i[-1],
            " or ".join(map(str, steps))))


main(sys.argv[1])
