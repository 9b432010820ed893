# SPDX-License-Identifier: LGPL-2.1-or-later
"""reconnect.py DIRECTORY PID FIFO LINE: gdbs that come, go and vanish around
trace runs of limits.c, which runs, reads FIFO, and has said LINE first. One line
"PASS: NAME" or "FAIL: NAME" a check."""
import os
import sys

import rsp
from rsp import check, check_equal

DIRECTORY, PID, FIFO = sys.argv[1], int(sys.argv[2]), sys.argv[3]
PATH = os.path.join(DIRECTORY, 'gdb.sock')
THREADS = 4
TOTAL = dict(w.split('=') for w in sys.argv[4].split()[1:])['total']
hit = None


def connect():
    return rsp.Stub(PATH)


def say(rounds):
    """Has the program hit, when it has done what it was told before."""
    with open(FIFO, 'w') as fifo:
        fifo.write('%d\n' % rounds)


def start(rounds):
    """The same; returns what the total is afterwards."""
    stub = connect()
    before = stub.number(int(TOTAL, 16))
    stub.close()
    say(rounds)
    return before + rounds * THREADS


def wait(total):
    while True:
        stub = connect()
        while stub.number(int(TOTAL, 16)) < total:
            pass
        stub.close()
        return


def hits(stub, rounds):
    total = stub.number(int(TOTAL, 16)) + rounds * THREADS
    say(rounds)
    while stub.number(int(TOTAL, 16)) < total:
        pass


def resources():
    """Of the program with one gdb: the end of the last has been seen then."""
    stub = connect()
    found = resources_now()
    stub.close()
    return found


def resources_now():
    top = '/proc/%d/task' % PID
    with open('/proc/%d/maps' % PID) as maps:
        n = len(maps.readlines())
    for task in os.listdir(top):
        with open('%s/%s/comm' % (top, task)) as comm:
            if comm.read().strip() == 'taffrail':
                return len(os.listdir('%s/%s/fd' % (top, task))), n
    return None


def files():
    return sorted(name for _, _, names in os.walk(DIRECTORY)
                  for name in names)


def cycle(stub, rounds):
    stub.must('QTinit')
    answers = {stub.point(1, hit, 'R03', 'L'),
               stub.point(2, hit, 'M7,0,800', condition='220127')}
    stub.must('QTStart')
    hits(stub, rounds)
    stub.must('QTStop')
    status = stub.status()
    stub.find('0')
    stub.document('traceframe-info')
    want = rounds * THREADS
    return (answers == {b'OK'} and status['tcreated'] == 2 * want and
            stub.hits(1, hit) == stub.hits(2, hit) == want and
            len(stub.saved()) == 2 * want)


def cycles(name):
    good = 0
    for n in range(50):
        stub = connect()
        good += cycle(stub, 5)
        if n % 2:
            stub.ask('D;%x' % PID)
        stub.close()
    check_equal('fifty connect, each with a run%s' % name, good, 50)


VANISH = {
    'after QTinit': ['QTinit'],
    'in a definition': ['QTinit', 'QTDP:1:%(hit)x:E:0:0-'],
    'in its actions': ['QTinit', 'QTDP:1:%(hit)x:E:0:0-',
                       'QTDP:-1:%(hit)x:R03-'],
    'at QTStart': ['QTinit', 'QTDP:1:%(hit)x:E:0:0-', 'QTDP:-1:%(hit)x:R03',
                   '!QTStart'],
    'in a run': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', 'QTStart', 'qTStatus'],
    'at QTStop': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', 'QTStart', '!QTStop'],
    'in a frame': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', 'QTStart', 'QTStop',
                   'QTFrame:0', '!qXfer:traceframe-info:read::0,1f00'],
    'in a search': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', 'QTStart', 'QTStop',
                    '!QTFrame:tdp:2'],
    'as it saves': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', 'QTStart', 'QTStop',
                    '!qTBuffer:0,1f00', '!qTBuffer:1f00,1f00'],
    'in half a packet': ['QTinit', 'QTDP:1:%(hit)x:E:0:0', '?$QTSta'],
}


def vanish():
    for name, packets in VANISH.items():
        stub = connect()
        for packet in packets:
            text = packet % {'hit': hit}
            if text[0] == '!':		# goes before the answer
                stub.socket.sendall(rsp.frame(text[1:]))
            elif text[0] == '?':
                stub.socket.sendall(text[1:].encode())
            else:
                stub.ask(text)
                if text == 'QTStart':
                    hits(stub, 500)
        stub.close()
        stub = connect()
        check(name + ': no run is left', not stub.status()['run'])
        check_equal(name + ': no tracepoint', stub.ask('qTfP'), b'l')
        check(name + ': no frame', stub.find('0') is None)
        stub.close()
    check_equal('no ring is left', files(),
                ['control.sock', 'gdb.sock', 'process'])


def disconnected():
    stub = connect()
    stub.must('QTinit', 'QTDisconnected:1',
              'QTDV:2:5:0:' + b'seen'.hex())
    stub.point(3, hit, 'R03', 'L', condition='220127', passes=0)
    stub.point(7, hit, 'Xb,2c00022201022d00022927', enabled=False)
    stub.must('QTDPsrc:3:%x:cond:0:1:31' % hit,
              'QTDPsrc:3:%x:cmd:0:e:%s' % (hit, b'collect $_sdata'.hex()),
              'QTStart')
    hits(stub, 10)
    stub.close()
    wait(start(10))
    stub = connect()
    status = stub.status()
    check('disconnected: the run goes on', status['run'] and
          status['disconn'] == 1, status)
    check_equal('disconnected: its frames', status['tcreated'], 20 * THREADS)
    uploaded = []
    got = stub.ask('qTfP').decode()
    while got != 'l':
        uploaded.append(got.replace('%x' % hit, 'HIT'))
        got = stub.ask('qTsP').decode()
    check_equal('disconnected: its tracepoints', uploaded,
                ['T7:HIT:D:0:0', 'A7:HIT:Xb,2c00022201022d00022927',
                 'T3:HIT:E:0:0:X3,220127', 'A3:HIT:R03', 'A3:HIT:L',
                 'Z3:HIT:cond:0:1:31',
                 'Z3:HIT:cmd:0:e:' + b'collect $_sdata'.hex()[:28]])
    stub.must('QTEnable:7:%x' % hit)
    hits(stub, 5)
    stub.socket.sendall(b'\x03\x03')
    stub.must('QTStop')
    check_equal('disconnected: frames to the end', stub.status()['tcreated'],
                30 * THREADS)
    stub.close()
    stub = connect()
    check_equal('the frames outlive another gdb', len(stub.saved()),
                30 * THREADS)
    check_equal('and can be looked at', stub.find('tdp:7')[1], 7)
    check('the variable counted', stub.ask('qTV:2') != b'V5')
    stub.must('QTDisconnected:0')
    stub.close()
    stub = connect()
    check('and go with one that says so', stub.find('0') is None)
    stub.close()


def settings():
    """What one has set is not the next one's."""
    stub = connect()
    before = stub.status()
    stub.must('QTBuffer:size:10000', 'QTBuffer:circular:1',
              'QTNotes:user:6d65;notes:61;')
    check('settings: they hold', stub.status() != before, before)
    stub.close()
    stub = connect()
    check_equal('settings: they go with the gdb', stub.status(), before)
    stub.must('QTBuffer:circular:1', 'QTDisconnected:1')
    stub.close()
    stub = connect()
    kept = stub.status()
    check('settings: they stay with its run', kept['circular'] == 1 and
          kept['disconn'] == 1, kept)
    stub.must('QTDisconnected:0')
    stub.close()


def second():
    first = connect()
    first.must('QTinit')
    first.point(1, hit, 'L')
    first.must('QTStart')
    other = rsp.Stub(PATH, acks=True)
    got = other.ask('qSupported')
    check_equal('a second gdb in a run is told', got,
                b'E.another gdb is connected')
    other.close()
    hits(first, 5)
    first.socket.sendall(rsp.frame('k'))
    got = first.ask('vKill;%x' % PID)
    check('kill is refused in a run', got.startswith(b'E.'), got)
    check_equal('the run of the first goes on', first.status()['tcreated'],
                5 * THREADS)
    first.close()


def main():
    global hit
    stub = connect()
    hit = stub.markers()['app/hit'][0]
    stub.close()
    cycles('')
    before = resources()
    cycles(', again')
    after = resources()
    check('they leave nothing open or mapped',
          after[0] <= before[0] and after[1] <= before[1] + 2,
          (before, after))
    vanish()
    disconnected()
    settings()
    second()
    # as it hits all the time: when a run begins, and long enough after that
    stub = connect()
    total = stub.number(int(TOTAL, 16)) + 6 * 500000 * THREADS
    stub.close()
    for name in ('first', 'second', 'third'):
        say(500000)
        stub = connect()
        stub.must('QTinit', 'QTBuffer:circular:1')
        stub.point(1, hit, 'R03', 'L')
        stub.must('QTStart')
        say(500000)
        while stub.status()['tcreated'] < 10000:
            pass
        stub.must('QTStop')
        status = stub.status()
        check_equal('a run while all threads hit, the %s: ledger' % name,
                    status['tcreated'], stub.hits(1, hit))
        check('a run while all threads hit, the %s: frames' % name,
              stub.find('%x' % (status['tframes'] - 1)) is not None)
        stub.close()
    # what comes after this counts its own hits
    wait(total)


main()
