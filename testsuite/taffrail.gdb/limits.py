# SPDX-License-Identifier: LGPL-2.1-or-later
"""limits.py PROGRAM: trace runs at their limits, packet by packet. One line
"PASS: NAME" or "FAIL: NAME" a check."""
import os
import re
import sys

from rsp import Program, check, check_equal

THREADS, EACH = 4, 20000
program = Program(sys.argv[1])
stub = program.connect()
markers = stub.markers()
HIT = markers['app/hit'][0]
FIRST, SECOND = markers['app/first'][0], markers['app/second'][0]
TOTAL, TEXT = program.words['total'], program.words['text']


def begin(size='-1', circular=0):
    stub.must('QTinit', 'QTBuffer:size:' + size,
              'QTBuffer:circular:%d' % circular)


def run(*lines):
    """A run over what is defined; returns the status at its end."""
    stub.must('QTStart')
    for line in lines:
        program.ask(line)
    before = stub.status()
    stub.must('QTStop')
    after = stub.status()
    check('a run that ended is the same when it is stopped',
          before['run'] or (before['why'], before['stoptime'],
                            before['tframes']) ==
          (after['why'], after['stoptime'], after['tframes']),
          (before, after))
    return after


def buffers():
    for size in ('1', '10000', '100000'):
        begin(size, 1)
        stub.point(1, HIT, 'L')
        status = run(str(EACH))
        name = 'circular, 0x%s bytes' % size
        check_equal(name + ': all are created', status['tcreated'],
                    THREADS * EACH)
        check_equal(name + ': hits', stub.hits(1, HIT), THREADS * EACH)
        check(name + ': some are held',
              0 < status['tframes'] < status['tcreated'], status)
        check_equal(name + ': and as many are there', len(stub.saved()),
                    status['tframes'])
        check(name + ': free and size',
              0 <= status['tfree'] < status['tsize'], status)
        check_equal(name + ': the reason', status['why'], 'tstop::0')
        last = stub.fields(status['tframes'] - 1)
        check(name + ': the last frame is of the end',
              int(last['n']) > EACH / 2, last)

    begin('1')
    stub.point(1, HIT, 'L')
    status = run(str(EACH))
    check_equal('full: the reason', status['why'], 'tfull:0')
    check_equal('full: hits', stub.hits(1, HIT), THREADS * EACH)
    check('full: what was created is held',
          0 < status['tcreated'] == status['tframes'] == len(stub.saved()),
          status)
    check_equal('full: the first frame is of the beginning',
                stub.fields(0)['n'], '0')

    begin('1')
    stub.point(1, HIT, 'L')
    stub.must('QTStart')
    program.ask(str(EACH))
    for _ in range(3):  # turns of the service thread, not gdb's
        program.connect().close()
    program.ask(str(EACH))
    stub.must('QTStop')
    check_equal('full: hits count on until gdb asks', stub.hits(1, HIT),
                2 * THREADS * EACH)

    least = buffer_sizes('1')[1]
    check('the least: a page a sub-buffer', least % 32768 == 0 and
          least // 32768 <= possible_cpus(), least)
    for want in (32768, 65536, 100000, 262144, 8 << 20, 16 << 20, 32 << 20):
        told, got = buffer_sizes('%x' % want)
        floor = max(want, least)
        check('a buffer is as large as it was asked for, or less than twice '
              'that: %d' % want, floor <= got < 2 * floor, (floor, got))
        check_equal('and its size is told before: %d' % want, told, got)


def possible_cpus():
    with open('/sys/devices/system/cpu/possible') as possible:
        return int(re.split('[-,]', possible.read())[-1]) + 1


def buffer_sizes(size):
    """As it is told before a run, and in one that collects nothing."""
    begin(size)
    told = stub.status()
    stub.must('QTStart')
    found = stub.status()
    stub.must('QTStop')
    check('nothing is held of 0x%s bytes' % size,
          told['tfree'] == told['tsize'] and
          0 <= found['tsize'] - found['tfree'] < found['tsize'] // 8,
          (told, found))
    return told['tsize'], found['tsize']


def passes():
    """Others go on hitting while the last is counted and the run ends."""
    wrong, others = [], []
    for i in range(300):
        wanted = 1 + i * 7
        begin('100000', 1)
        stub.point(1, HIT, 'L', passes=wanted)
        stub.point(2, HIT, 'R03')
        stub.must('QTStart')
        program.say(str(wanted))
        while stub.status()['run']:
            pass
        status = stub.status()
        mine = stub.hits(1, HIT)
        rest = stub.hits(2, HIT)
        if (mine != wanted or status['why'] != 'tpasscount:1' or
                status['tcreated'] != mine + rest):
            wrong.append((wanted, mine, rest, status))
        program.line()
        if (mine, rest) != (stub.hits(1, HIT), stub.hits(2, HIT)):
            others.append(wanted)
    check('a pass count ends its run, with exactly as many frames', not wrong,
          wrong[:3])
    check('nothing is counted after it', not others, others)

    begin()
    stub.point(1, HIT, 'L', passes=777)
    status = run(str(EACH))
    check_equal('80000 hits, a pass count: the frames',
                [p for p, _ in stub.saved()].count(1), 777)


def stops():
    wrong = []
    for i in range(100):
        begin('100000', 1)
        stub.point(1, HIT, 'R03', 'M-1,%x,8' % TOTAL)
        stub.point(2, HIT, 'L')
        stub.must('QTStart')
        program.say(str(EACH))
        while stub.status()['tcreated'] < i * 50:
            pass
        stub.must('QTStop')
        counts = stub.hits(1, HIT), stub.hits(2, HIT)
        created = stub.status()['tcreated']
        program.line()
        if sum(counts) != created or stub.status()['tcreated'] != created or \
                counts != (stub.hits(1, HIT), stub.hits(2, HIT)):
            wrong.append((counts, created))
    check('tstop while threads hit: each hit has its frame', not wrong,
          wrong[:3])


def crowds():
    begin()
    answers = {stub.point(n, HIT, 'L') for n in range(1, 257)}
    check_equal('256 tracepoints at a marker are defined', answers, {b'OK'})
    status = run('20')
    check_equal('and each has its frames', status['tcreated'],
                256 * 20 * THREADS)
    check_equal('the last one, too', stub.hits(256, HIT), 20 * THREADS)

    begin()
    places = [HIT] * 64 + [FIRST] * 64 + [SECOND] * 64
    answers = [stub.point(n + 1, places[n % 192], 'L', condition='220027')
               for n in range(257)]
    check_equal('256 tracepoints are defined', set(answers[:256]), {b'OK'})
    check_equal('one more is refused', answers[256],
                b'E.tracepoint 257: too many tracepoints: '
                b'there are 256 already')

    begin()
    stub.point(1, HIT, 'L')
    stub.must('QTStart')
    added = [stub.point(2 + n, HIT, 'L') for n in range(254)]
    check_equal('in a run: 255 at a marker', added.count(b'OK'), 254)
    refused = [stub.point(500 + n, HIT + 1, 'L') for n in range(300)]
    check('in a run: inside an instruction, with the number',
          refused[7].startswith(b'E.tracepoint 507: another probe is'),
          refused[7])
    check_equal('refused ones take no room from others',
                stub.point(400, FIRST, 'L'), b'OK')
    got = stub.point(401, FIRST, 'L')
    check('in a run: one more is refused',
          got.startswith(b'E.tracepoint 401: too many tracepoints'), got)
    program.ask('5')
    program.ask('-5')
    stub.must('QTStop')
    check_equal('those there count on', stub.hits(255, HIT), 5 * THREADS)
    check_equal('the added one, too', stub.hits(400, FIRST), 5)


def switching():
    begin()
    stub.point(1, HIT, 'L')
    stub.point(2, HIT, 'L', enabled=False)
    stub.must('QTStart')
    program.ask('10')
    stub.must('QTEnable:2:%x' % HIT, 'QTDisable:1:%x' % HIT)
    program.ask('5')
    check_equal('added while the trace runs, without actions',
                stub.point(3, HIT), b'OK')
    check_equal('added with actions', stub.point(4, HIT, 'R03', 'L'), b'OK')
    got = stub.ask('QTEnable:9:%x' % HIT)
    check('enable of none is refused', got.startswith(b'E.'), got)
    program.ask('3')
    stub.must('QTStop')
    counts = [stub.hits(n, HIT) // THREADS for n in (1, 2, 3, 4)]
    check_equal('enabled and disabled while it runs', counts, [10, 8, 3, 3])
    stub.find('ffffffff')
    number = stub.find('tdp:3')
    check('one without actions collects the fields',
          number and 'n' in stub.fields(number[0]), number)


def expressions():
    cases = {
        'a division by zero': '220522000527',
        'a division by zero, unsigned': '220522000627',
        'a remainder by zero': '220522000727',
        'the least number by -1': '258000000000000000' +
                                  '25ffffffffffffffff' + '05' + '29' +
                                  '220027',
        'a bad pointer': '22081a27',
        'the highest address': '25ffffffffffffffff1a27',
        'no canonical address': '2580000000000000001a27',
        'a goto that goes back for ever': '21000027',
        'a loop with work in it': '22012922052921000027',
    }
    for name, code in cases.items():
        begin()
        got = stub.point(1, HIT, 'L', condition=code)
        if got != b'OK':
            check(name + ': refused with a text', got.startswith(b'E.'), got)
            continue
        stub.point(2, HIT, 'L')
        status = run('50')
        check_equal(name + ': does not hold', stub.hits(1, HIT), 0)
        check_equal(name + ': others go on', stub.hits(2, HIT), 50 * THREADS)
        # the least number divided by -1 is the least number again
        check_equal(name + ': is counted', status['notes'],
                    '' if name == 'the least number by -1' else
                    '(conditions failed: %d)' % (50 * THREADS))
        check_equal(name + ': the run goes on', status['why'], 'tstop::0')
    for name, code in cases.items():
        begin()
        text = 'X%x,%s' % (len(code) // 2, code)
        if stub.point(1, HIT, text, 'L') != b'OK':
            continue
        run('50')
        check_equal(name + ', in an action: the hits', stub.hits(1, HIT),
                    50 * THREADS)
        check(name + ', in an action: the other actions',
              'n' in stub.fields(0), stub.fields(0))
    for action in ('SR03', 'SX1,27', 'S'):
        begin()
        got = stub.point(1, HIT, action)
        check('while-stepping (%s) is refused' % action,
              got.startswith(b'E.tracepoint 1: while-stepping'), got)


def variables():
    begin()
    stub.must('QTDV:1:0:1:' + b'trace_timestamp'.hex(),
              'QTDV:5:fffffffffffffff6:0:' + b'count'.hex(),
              'QTDV:7f:11:0:' + b'last'.hex())
    # teval $count = $count + 1; collect $count, $trace_timestamp, $last
    got = stub.point(2, FIRST, 'Xb,2c00052201022d00052927',
                     'X4,2e000527', 'X4,2e000127', 'X4,2e007f27')
    check_equal('a variable that counts', got, b'OK')
    check_equal('one too many', stub.ask('QTDV:80:0:0:61')[:2], b'E.')
    status = run('-20')
    check_equal('a variable after the run', stub.ask('qTV:5'), b'Va')
    check_equal('one that nobody has set', stub.ask('qTV:7f'), b'V11')
    check_equal('one that there is not', stub.ask('qTV:6'), b'U')
    seen, times = [], []
    while stub.find('tdp:2'):
        seen.append(stub.ask('qTV:5'))
        times.append(int(stub.ask('qTV:1')[1:], 16))
        last = stub.ask('qTV:7f')
    check_equal('another one in a frame', last, b'V11')
    stub.find('ffffffff')
    check_equal('what it was in each frame', seen,
                [b'V%x' % (n & (1 << 64) - 1) for n in range(-9, 11)])
    check('time goes on', times == sorted(times) and
          status['starttime'] <= times[0] and times[-1] <= status['stoptime'],
          (status, times))


def strings():
    # the address, its length at most, tracenz
    code = '25%016x' % TEXT + '23%04x'
    for limit in (1, 200, 1400, 65535):
        begin()
        full = code % limit + '2f27'
        got = stub.point(1, FIRST, 'X%x,%s' % (len(full) // 2, full))
        check_equal('a string of %d is defined' % limit, got, b'OK')
        run('-3')
        frames = stub.saved()
        got = frames[0][1][0][2] if frames and frames[0][1] else b''
        want = bytes(97 + i % 26 for i in range(limit))
        check('collect/s%d of a longer string' % limit,
              want.startswith(got) and
              len(got) >= min(limit, 16 << 10), len(got))
    begin('4000000')
    stub.point(1, SECOND, 'L', 'R03', 'M-1,%x,fff0' % TEXT)
    run('-3')
    frames = stub.saved()
    check_equal('a field that is longer than a frame', len(frames), 3)
    check('and what had no room is left out',
          stub.fields(0)['n'] == '0' and stub.fields(2)['n'] == '2')
    begin('4000000')
    stub.point(1, FIRST, 'R03', 'M-1,%x,fa00' % TEXT)
    run('-3')
    got = [b[2] for b in stub.saved()[2][1] if b[0] == 'M']
    check_equal('64,000 bytes of memory', b''.join(got),
                bytes(97 + i % 26 for i in range(64000)))


def notes():
    begin()
    stub.must('QTNotes:user:%s;notes:%s;' % (b'me'.hex(), b'a note'.hex()))
    stub.point(1, FIRST, 'L')
    stub.must('QTStart')
    status = stub.status()
    check_equal('the user', status['username'], 'me')
    check_equal('the note', status['notes'], 'a note')
    stub.must('QTStop', 'QTNotes:tstop:%s;' % b'enough'.hex())
    check_equal('the note of the end', stub.status()['why'],
                'tstop:%s:0' % b'enough'.hex())
    stub.must('QTNotes:user:;notes:;tstop:;')
    check_equal('no notes', stub.status()['notes'], '')


def left_out():
    """What gdb has no words for stands behind the user's notes."""
    cpu = max(os.sched_getaffinity(program.pid))
    os.sched_setaffinity(program.pid, {cpu})	# of its main thread
    for note in ('a note', '', 'n' * 127):
        begin('1')
        stub.must('QTNotes:notes:%s;' % note.encode().hex())
        stub.point(1, FIRST, 'L')
        status = run('-%d' % EACH)
        facts = "(CPU %d's buffer was full; frames lost: %d)" % (
            cpu, EACH - status['tcreated'])
        want = (note[:126 - len(facts)] + ' ' + facts).strip()
        check_equal('full: which buffer, behind %d characters' % len(note),
                    status['notes'], want)
    stub.must('QTNotes:notes:;')

    begin('1')
    stub.point(1, HIT, 'L')
    check('full: several buffers, or the only one',
          re.fullmatch(r"\(CPU \d+'s buffer( and \d+ more were| was) full; "
                       r"frames lost: \d+\)", run(str(EACH))['notes']))
    begin('1', 1)
    stub.point(1, FIRST, 'M-1,%x,fa00' % TEXT)
    stub.point(2, SECOND, 'R03')
    check_equal('frames that are cut', run('-3')['notes'], '(frames cut: 3)')
    begin('1', 1)
    stub.point(1, FIRST, 'R03', 'M-1,%x,2000' % TEXT)
    stub.point(2, SECOND, 'R03', 'M-1,%x,800' % TEXT)
    check_equal('a small buffer cuts more', run('-3')['notes'],
                '(frames cut: 3)')
    kept = {p: [len(b[2]) for b in bs if b[0] == 'M'] for p, bs in
            stub.saved()}
    check('but for what fits', kept[2] == [0x800] and
          0x800 < sum(kept[1]) < 0x2000, kept)
    begin('1', 1)
    stub.point(2, SECOND, 'M-1,%x,10' % TEXT)
    check_equal('nothing is left out', run('-3')['notes'], '')


def huge():
    for size in ('ffffffffffffffff', '7fffffffffffffff'):
        begin(size)
        stub.point(1, FIRST, 'L')
        got = stub.ask('QTStart')
        check('a buffer larger than there is: a text, or less of it',
              got == b'OK' or got.startswith(b'E.no room'), got)
    begin()


def rounds():
    for _ in range(50):
        begin()
        stub.point(1, HIT, 'R03', 'M7,0,1000', 'L')
        stub.must('QTStart')
        program.ask('3')
        stub.must('QTStop')
        stub.saved()


def main():
    for part in (buffers, passes, stops, crowds, switching, expressions,
                 variables, strings, notes, left_out, huge):
        part()
    rounds()
    resources = program.resources()
    rounds()
    after = program.resources()
    check('50 more runs leave nothing open or mapped',
          after[0] <= resources[0] and after[1] <= resources[1] + 2,
          (resources, after))
    stub.close()
    check_equal('the program ends as it does', program.end(), 0)


main()
