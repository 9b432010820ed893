# SPDX-License-Identifier: LGPL-2.1-or-later
"""hosts.py NAME PROGRAM [LIBRARY]: trace runs on programs that fork, execute,
unload and end threads. NAME tells the results of several builds. One line
"PASS: NAME" or "FAIL: NAME" a check."""
import os
import signal
import subprocess
import sys
import time

import rsp

NAME, PROGRAM = sys.argv[1:3]
LIBRARY = sys.argv[3] if len(sys.argv) > 3 else ''
TAFFRAIL = os.environ.get('COMMAND', 'taffrail')
ALL = ('R03', 'L', 'M7,0,100')
actions = list(ALL)


def check(name, good, found=None):
    return rsp.check('%s: %s' % (NAME, name), good, found)


def check_equal(name, got, want):
    return rsp.check_equal('%s: %s' % (NAME, name), got, want)


def begin(stub, *addresses):
    stub.must('QTinit')
    for number, address in enumerate(addresses, 1):
        got = stub.point(number, address, *actions)
        if got != b'OK':
            check('a tracepoint', False, got)
    stub.must('QTStart')


def values(stub):
    return [int(stub.fields(n).get('n', -99))
            for n in range(stub.status()['tframes'])]


def check_run(name, stub, hit, line, want):
    begin(stub, hit)
    stub.program.ask(line)
    stub.must('QTStop')
    check_equal(name + ': frames', values(stub), want)
    check_equal(name + ': hits', stub.hits(1, hit), len(want))
    check(name + ': all complete', all(
        len(blocks) == len(actions) - 1 for _, blocks in stub.saved()))


def no_registers(stub, hit):
    """A build whose sites test flags."""
    if len(actions) == len(ALL):
        stub.must('QTinit')
        stub.point(1, hit, 'R03', 'L')
        got = stub.ask('QTStart')
        if not got.startswith(b'E.'):
            check_equal('registers', got, b'OK')
            return
        check('registers are refused with a text', b'registers' in got, got)
        check('and there is no run', not stub.status()['run'])
        actions[:] = ['L']


def session(*words):
    result = subprocess.run([TAFFRAIL] + list(words), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    if result.returncode:
        check('taffrail %s' % words[0], False, result.stdout)


def sessions(program, stub, hit):
    """Others begin and end on the same marker."""
    begin(stub, hit)
    wanted = 0
    for n in range(6):
        session('start', 'other', '-p', str(program.pid), '-e', 'app/*')
        program.ask('h 500')
        session('stop', 'other')
        program.ask('h 500')
        session('destroy', 'other')
        wanted += 1000
    begin_status = stub.status()
    check_equal('sessions that come and go: frames', begin_status['tcreated'],
                wanted)
    session('start', 'other', '-p', str(program.pid), '-e', 'app/*')
    program.ask('h 500')
    stub.must('QTStop')
    program.ask('h 500')
    result = subprocess.run([TAFFRAIL, 'status', '--json', 'other'],
                            stdout=subprocess.PIPE)
    check('a session beside a run that ends: its events',
          b'"written": 1000' in result.stdout or
          b'"written":1000' in result.stdout, result.stdout)
    check_equal('a run beside it: frames', stub.status()['tcreated'],
                wanted + 500)
    session('destroy', 'other')


def children(program, stub, hit):
    """With a session that children take part in, a child has an agent."""
    session('start', 'family', '-p', str(program.pid), '-e', 'app/*')
    begin(stub, hit)
    program.ask('h 2')
    child = int(program.ask('c 4').split('=')[1])
    other = program.connect(child)
    status = other.status()
    check('a child: it has no run', not status['run'] and
          status['why'] == 'tnotrun:0', status)
    check('a child: no frames', other.find('0') is None)
    begin(other, hit)
    while other.status()['tcreated'] < 10:
        pass
    other.must('QTStop')
    check('a child: a run of its own', values(other)[:10] == [6000] * 10)
    program.ask('h 3')
    stub.must('QTStop')
    check_equal('its parent: frames', values(stub), [1, 0, 2, 1, 0])
    other.close()
    os.kill(child, signal.SIGKILL)
    program.ask('h 1')
    session('destroy', 'family')


def library(program, stub, hit):
    program.ask('o')
    plugged = stub.markers()['app/plugged'][0]
    begin(stub, hit, plugged)
    program.ask('l 5')
    program.ask('q')
    check('unloaded: its markers are gone', 'app/plugged' not in stub.markers())
    program.ask('h 2')
    stub.must('QTStop')
    check_equal('unloaded: hits', stub.hits(2, plugged), 5)
    check_equal('unloaded: frames', stub.status()['tframes'], 7)
    stub.find('0')
    check_equal('unloaded: the frame is of its tracepoint',
                stub.find('tdp:2') is not None, True)
    check_equal('unloaded: its static data', stub.document('statictrace'),
                'n = 3')
    check_equal('unloaded: the frames are told',
                [(stub.fields(n)['marker'], stub.fields(n)['n'])
                 for n in range(7)],
                [('app/plugged', str(n)) for n in range(4, -1, -1)] +
                [('app/hit', '1'), ('app/hit', '0')])
    got = stub.ask('QTStart')
    check('a run with a tracepoint at a library that is gone',
          got == b'OK' or got.startswith(b'E.'), got)
    for n in range(20):
        program.ask('o')
        program.ask('l 2')
        program.ask('q')
    stub.must('QTStop')
    program.ask('o')
    plugged = stub.markers()['app/plugged'][0]
    check_run('loaded again', stub, plugged, 'l 4', [3, 2, 1, 0])
    program.ask('q')


def library_again(program, stub, hit):
    """Its tracepoints are there again when it is: for the same run."""
    stub.must('QTinit')
    session('start', 'other', '-p', str(program.pid), '-e', 'app/*')
    program.ask('o')
    check('loaded for another session: there is no run',
          not stub.status()['run'])
    session('destroy', 'other')
    begin(stub, hit)
    stub.must('QTStop')
    # what that took is free: it is mapped there as often as it comes
    program.ask('q')
    program.ask('o')
    plugged = stub.markers()['app/plugged'][0]
    begin(stub, hit, plugged)
    wanted = []
    for n in range(1, 6):
        program.ask('l %d' % n)
        program.ask('h 1')
        wanted += list(range(n - 1, -1, -1)) + [0]
        program.ask('q')
        program.ask('o')
        if stub.markers()['app/plugged'][0] != plugged:
            # where it goes is the kernel's choice
            print('UNSUPPORTED: loaded again: it came to another place')
            stub.must('QTStop')
            program.ask('q')
            return
    stub.must('QTStop')
    check_equal('loaded again during a run: frames', values(stub), wanted)
    check_equal('loaded again during a run: hits', stub.hits(2, plugged), 15)
    program.ask('l 3')
    program.ask('q')
    program.ask('o')
    program.ask('l 3')
    check_equal('loaded again behind its end: frames', values(stub), wanted)
    program.ask('q')


def execute(program, stub, hit):
    begin(stub, hit)
    program.ask('h 3')
    program.ask('x')		# it says "ready" again
    try:
        gone = stub.ask('qTStatus')
    except OSError:
        gone = b''
    except EOFError:
        gone = b''
    check_equal('executed: the connection ends', gone, b'')
    stub.close()
    end = time.time() + 120
    while True:
        try:
            stub = program.connect()
            break
        except EOFError:
            if time.time() > end:
                raise
    stub.program = program
    hit = stub.markers()['app/hit'][0]
    check('executed: no run', not stub.status()['run'])
    check_run('executed', stub, hit, 'h 3', [2, 1, 0])
    return stub


def check_end(program, stub, hit):
    """It ends in the middle of a run."""
    begin(stub, hit)
    program.ask('h 3')
    directory = program.directory()
    check_equal('it ends as it does', program.end(), 0)
    check('nothing is left', not os.path.exists(directory))
    stub.close()


def main():
    program = rsp.Program(PROGRAM, LIBRARY)
    stub = program.connect()
    stub.program = program
    hit = stub.markers()['app/hit'][0]
    no_registers(stub, hit)
    check_run('hits', stub, hit, 'h 4', [3, 2, 1, 0])
    check_run('threads that end', stub, hit, 't 30', list(range(29, -1, -1)))
    check_run('forks', stub, hit, 'f 10', [-1, -2] * 10)
    check_run('vforks', stub, hit, 'v 10', [-3, -4] * 10)
    sessions(program, stub, hit)
    children(program, stub, hit)
    if LIBRARY:
        library(program, stub, hit)
        library_again(program, stub, hit)
    check_end(program, stub, hit)
    program = rsp.Program(PROGRAM, LIBRARY)
    stub = program.connect()
    stub.program = program
    hit = stub.markers()['app/hit'][0]
    stub = execute(program, stub, hit)
    stub.close()
    check_equal('executed: it ends as it does', program.end(), 0)


main()
