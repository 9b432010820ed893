# SPDX-License-Identifier: LGPL-2.1-or-later
"""trapped.py PROGRAM: tracepoints and dprintf come and go while a thread is
between the trap and the handler. One line "PASS: NAME" or "FAIL: NAME" a
check."""
import sys

from rsp import Program, check, check_equal

program = Program(sys.argv[1])
stub = program.connect()
SPOT, OTHER = program.words['spot'], program.words['other']


def run(address):
    stub.must('QTinit')
    check_equal('a tracepoint', stub.point(1, address), b'OK')
    stub.must('QTStart')


def dprintf(address):
    text = b'there\\n\0'
    code = bytes.fromhex('220022003400%04x' % len(text)) + text + b'\x27'
    stub.must('Z0,%x,1;cmds:0,X%x,%s' % (address, len(code), code.hex()))


def undefine(address):
    stub.must('z0,%x,1' % address)


def trapped(name, begin, change):
    """`begin` puts a jump at SPOT. A thread meets the trap inside; `change`
    comes before the handler."""
    begin()
    check_equal(name + ': the program has a handler, too', program.ask('wrap'),
                'wrapped')
    check_equal(name + ': a trap', program.ask('inside 5'), 'trapped')
    change()
    check_equal(name + ': the thread goes on', program.ask(''), '12')


def twice(first, second):
    def both():
        first()
        second()
    return both


def blocked():
    """A run ends while a thread blocks SIGTRAP: the jump stays, for a while."""
    name = 'SIGTRAP is blocked: '
    code = stub.read(SPOT, 6)
    run(SPOT)
    program.ask('block')
    stub.must('QTStop', 'QTinit')
    check(name + 'the jump is left', stub.read(SPOT, 6) != code)
    stub.point(1, OTHER)
    got = stub.ask('QTStart')
    check(name + 'the next run is refused', got.startswith(b'E.'), got)
    program.ask('unblock')
    check_equal(name + 'a thread inside', program.ask('inside 5'), '12')
    run(OTHER)
    check_equal(name + 'then the jump goes', stub.read(SPOT, 6), code)
    run(SPOT)
    check_equal(name + 'the place is there again', program.ask('call 5'), '12')
    check_equal(name + 'with a hit', stub.hits(1, SPOT), 1)
    stub.must('QTinit')


def main():
    blocked()
    trapped('a run that is there', lambda: run(SPOT), lambda: None)
    trapped('a run that has stopped', lambda: run(SPOT),
            lambda: stub.must('QTStop'))
    trapped('another run', lambda: run(SPOT), lambda: run(OTHER))
    trapped('a second run with the place', lambda: run(SPOT),
            twice(lambda: run(OTHER), lambda: run(SPOT)))
    stub.must('QTinit')
    trapped('a dprintf that is gone', lambda: dprintf(SPOT),
            lambda: undefine(SPOT))
    trapped('another dprintf', lambda: dprintf(SPOT),
            twice(lambda: undefine(SPOT), lambda: dprintf(OTHER)))
    stub.close()
    check_equal('the program ends as it does', program.end(), 0)


main()
