# SPDX-License-Identifier: LGPL-2.1-or-later
"""handlers.py PROGRAM: frames of markers that signal handlers hit, in the
middle of hits. One line "PASS: NAME" or "FAIL: NAME" a check."""
import sys

from rsp import Program, check, check_equal, register

program = Program(sys.argv[1])
stub = program.connect()
markers = stub.markers()
LOOP, TICK = markers['app/loop'][0], markers['app/tick'][0]
TICK_VALUE = 0x71
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 8000


def run(mode, stack_bytes):
    """Returns what the program counted, and the frames."""
    stub.must('QTinit', 'QTBuffer:size:10000000')
    for number, address in ((1, LOOP), (2, TICK)):
        got = stub.point(number, address, 'Rffff', 'Md,0,8',
                         'M7,0,%x' % stack_bytes, 'L')
        check_equal('mode %s: a tracepoint' % mode, got, b'OK')
    stub.must('QTStart')
    words = program.ask('%s %d' % (mode, ROUNDS)).split()[1:]
    stub.must('QTStop')
    return ({key: int(value) for key, value in
             (word.split('=') for word in words)}, stub.saved())


def fault(point, found):
    """What is wrong with a frame, or None."""
    kinds = ''.join(block[0] for block in found)
    if kinds != 'RMM':
        return kinds
    value, cell, sp = (register(found[0][1], n) for n in (12, 13, 7))
    if (value >> 56 == TICK_VALUE) != (point == 2):
        return 'of another marker', value
    if found[1][1] != cell or int.from_bytes(found[1][2], 'little') != value:
        return 'another cell', value, found[1]
    if found[2][1] != sp:
        return 'another stack', sp, found[2][:2]
    return None


def compare(name, frames):
    """Static data against registers, of some frames."""
    wrong = []
    for n in range(0, len(frames), max(1, len(frames) // 1000)):
        fields = stub.fields(n)
        block = frames[n][1][0][1]
        bytes_wanted = '{%s}' % ', '.join([str(register(block, 12) & 255)] * 96)
        if (int(fields['value']) != register(block, 12) or
                int(fields['where'], 0) != register(block, 13) or
                fields['bytes'] != bytes_wanted):
            wrong.append((n, fields, register(block, 12)))
    check(name + ': $_sdata has what the registers have', not wrong, wrong[:2])


def mode(name, letter, stack_bytes):
    counts, frames = run(letter, stack_bytes)
    wrong = [f for f in (fault(*frame) for frame in frames) if f]
    check(name + ': registers and memory agree', frames and not wrong,
          wrong[:3])
    compare(name, frames)
    points = [point for point, _ in frames]
    status = stub.status()
    check_equal(name + ': nothing is lost', status['why'], 'tstop::0')
    check_equal(name + ': frames of handlers', points.count(2),
                counts['tick'])
    check_equal(name + ': hits of handlers', stub.hits(2, TICK),
                counts['tick'])
    loops = points.count(1)
    check(name + ': frames of what they interrupt',
          counts['loop'] <= loops <= counts['loop'] + counts['left'] and
          loops <= stub.hits(1, LOOP) <= counts['loop'] + counts['left'],
          (loops, stub.hits(1, LOOP), counts))
    check(name + ': handlers ran', counts['tick'] > 20, counts)
    check_equal(name + ': errno is untouched', counts['errno'], 0)
    return counts, {sum(len(b[2]) for b in blocks if b[0] == 'M')
                    for _, blocks in frames}


def main():
    mode('nested', 'n', 128)
    mode('on a stack of their own', 'a', 128)
    counts, _ = mode('left by siglongjmp', 'j', 128)
    check('some were left in the middle', counts['left'] > 20, counts)
    for name, letter in (('large', 'n'), ('large, own stack', 'a'),
                         ('large, left by siglongjmp', 'j'),
                         ('large after that', 'n')):
        _, sizes = mode(name, letter, 0x800)
        check_equal(name + ': all have all their memory', sizes, {8 + 0x800})
    stub.close()
    check_equal('the program ends as it does', program.end(), 0)


main()
