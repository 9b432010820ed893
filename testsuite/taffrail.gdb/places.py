# SPDX-License-Identifier: LGPL-2.1-or-later
"""places.py PROGRAM: frames of markers in inlined, generic and recursive
functions, on stacks of all kinds; memory at the end of what can be read. One
line "PASS: NAME" or "FAIL: NAME" a check."""
import sys

from rsp import Program, check, check_equal, register

PAGE = 4096
program = Program(sys.argv[1])
stub = program.connect()
markers = stub.markers()
DEEP = markers['app/deep'][0]
BORDER, OWN, STACK = (program.words[w] for w in ('border', 'own', 'stack'))


def run(points):
    """Traces one pass; the frames: tracepoint, registers, memory, fields."""
    stub.must('QTinit', 'QTBuffer:size:4000000')
    for number, (address, actions) in enumerate(points, 1):
        got = stub.point(number, address, *actions)
        if got != b'OK':
            check('a tracepoint', False, (got, actions))
    stub.must('QTStart')
    program.ask('once')
    stub.must('QTStop')
    frames = []
    for n, (point, blocks) in enumerate(stub.saved()):
        block = [b[1] for b in blocks if b[0] == 'R']
        frames.append((point, block[0] if block else None,
                       [b[1:] for b in blocks if b[0] == 'M'],
                       stub.fields(n)))
    return frames


def found(memory, address, n):
    for start, data in memory:
        if start <= address and address + n <= start + len(data):
            return data[address - start:address - start + n]
    return None


def sites():
    names, points = [], []
    for name in sorted(markers):
        for address in markers[name]:
            names.append(name)
            points.append((address, ('R03', 'L', 'M7,0,200')))
    check('inlined: a site a copy', 3 <= names.count('app/inlined') <= 5)
    check_equal('a template: a site a type', names.count('app/typed'), 3)
    frames = run(points)
    for name, want in (
            ('app/inlined', [0, 1, 2, 10, 20]),
            ('app/typed', [8, 1, 4]),
            ('app/deep', list(range(20, -1, -1)) +
             list(range(1020, 999, -1)) + list(range(3020, 2999, -1)) +
             list(range(2020, 1999, -1)) + list(range(4020, 3999, -1)))):
        mine = [f for f in frames if names[f[0] - 1] == name]
        values = [int(f[3].get('value', f[3].get('size'))) for f in mine]
        check_equal(name + ': all hits', sorted(values), sorted(want))
        check_equal(name + ": the frames have the marker's name",
                    {f[3].get('marker') for f in mine}, {name})
        check(name + ': at their tracepoint', all(
            points[f[0] - 1][0] == register(f[1], 16) for f in mine))
        if name == 'app/typed':
            continue
        wrong = [(value, f[3]['cell']) for value, f in zip(values, mine)
                 if (found(f[2], int(f[3]['cell'], 0), 8) or b'') !=
                 value.to_bytes(8, 'little')]
        check(name + ': the local is that of its frame', not wrong, wrong[:3])


def stacks():
    frames = run([(DEEP, ('R03', 'L', 'M7,0,4000'))])
    ends = {}
    for _, block, memory, fields in frames:
        start, size = register(block, 7), 0
        for at, data in memory:
            if at == start + size:
                size += len(data)
        ends.setdefault(int(fields['value']) // 1000, set()).add(
            (start + size) if size < 0x4000 else 'whole')
    check_equal('a stack of a coroutine is read to its end', ends[1] | ends[2],
                {STACK + (64 << 10)})
    check_equal('so is that of a thread with a stack of its own',
                len(ends[4]), 1)
    check('and neither beyond', 'whole' not in ends[4], ends)


def borders():
    def memory(*actions):
        frames = run([(DEEP, actions)])
        return b''.join(data for _, data in frames[0][2])

    check_equal('up to the end', memory('M-1,%x,64' % BORDER), b'x' * 100)
    check_equal('over the end', memory('M-1,%x,200' % BORDER), b'x' * 100)
    check_equal('over two pages and the end',
                memory('M-1,%x,2000' % (BORDER - PAGE)), b'x' * (PAGE + 100))
    check_equal('beyond the end', memory('M-1,%x,8' % (BORDER + 100)), b'')
    check_equal('at address 0', memory('M-1,0,10'), b'')
    check_equal('around the highest address',
                memory('M-1,fffffffffffffff0,20'), b'')
    code = '25%016x22c82f27' % BORDER
    check_equal('a string without an end',
                memory('X%x,%s' % (len(code) // 2, code)), b'x' * 100)
    # pages of the program's own, which are read by loads elsewhere
    check_equal("the program's data", memory('M-1,%x,2000' % OWN),
                b'o' * 2 * PAGE)
    check_equal('up to a page that the program has forbidden itself',
                memory('M-1,%x,3000' % OWN), b'o' * 2 * PAGE)
    check_equal('nothing of that page', memory('M-1,%x,8' % (OWN + 2 * PAGE)),
                b'')
    code = '25%016x1a27' % (OWN + 2 * PAGE)
    run([(DEEP, ('L',))])
    stub.must('QTinit')
    stub.point(1, DEEP, 'L', condition=code)
    stub.must('QTStart')
    program.ask('once')
    check_equal('a condition on that page does not hold', stub.hits(1, DEEP),
                0)
    stub.must('QTStop')


def main():
    for part in (sites, stacks, borders):
        part()
    stub.close()
    check_equal('the program ends as it does', program.end(), 0)


main()
