# SPDX-License-Identifier: LGPL-2.1-or-later
"""texts.py PROGRAM COMMAND: texts of dprintf, and their end with the agent. One
line "PASS: NAME" or "FAIL: NAME" a check."""
import struct
import subprocess
import sys

from rsp import Program, check, check_equal

program = Program(sys.argv[1])
stub = program.connect()
SPOT, LONG = program.words['spot'], program.words['text']


def code_of(text, *addresses):
    """The code that prints a text."""
    text = text.encode() + b'\0'
    code = b''.join(b'\x25' + struct.pack('>Q', address)
                    for address in reversed(addresses))
    code += bytes.fromhex('2200220034%02x%04x' % (len(addresses), len(text)))
    return code + text + b'\x27'


def packed(*codes):
    return ''.join('X%x,%s' % (len(code), code.hex()) for code in codes)


def console(*calls):
    """What gdb's console has of calls of the place."""
    stub.socket.sendall(b'$vCont;c#a8')
    stub.ask('qC')  # the one before was served
    for n in calls:
        program.ask('call %d' % n)
    stub.socket.sendall(b'\3')
    got = ''
    while True:
        answer = stub.answer()
        if not answer.startswith(b'O'):
            return got
        got += bytes.fromhex(answer[1:].decode()).decode()


def said(text, *addresses):
    stub.must('Z0,%x,1;cmds:0,%s' % (SPOT, packed(code_of(text, *addresses))))
    got = console(1)
    stub.must('z0,%x,1' % SPOT)
    return got


def conditions():
    """Each of several dprintfs of a place has a condition: n == NUMBER."""
    where = [bytes.fromhex('26000522%02x1327' % n) for n in (1, 2, 3)]
    texts = [code_of('%s, ' % text) for text in ('one', 'two', 'three')]
    stub.must('Z0,%x,1;%s;cmds:0,%s' % (SPOT, packed(*where), packed(*texts)))
    check_equal('each has its condition', console(2, 1, 4, 3, 1),
                'two, one, three, one, ')
    stub.must('Z0,%x,1;%s;cmds:0,%s' % (SPOT, packed(where[1]),
                                        packed(*texts)))
    check_equal('one is for all', console(1, 2), 'one, two, three, ')
    for some, all_texts in ((where[:2], texts), (where, texts[:2])):
        got = stub.ask('Z0,%x,1;%s;cmds:0,%s' % (SPOT, packed(*some),
                                                 packed(*all_texts)))
        check('another number is refused', got.startswith(b'E.'), got)


check_equal('a long one has the whole text', said('%s', LONG), 511 * 'p')
check_equal('two fill it, too', said('%s%s', LONG, LONG), 511 * 'p')
check_equal('fifteen with a precision',
            said(15 * '%.9s|', *15 * [LONG]), 15 * (9 * 'p' + '|'))
check_equal('fifteen with the precision 0',
            said(7 * '%.0s|%.s|' + '%.0s', *15 * [LONG]), 14 * '|')
check_equal('some that are not there',
            said('%.3s %.4s %s %s', LONG, 16, 0, LONG),
            'ppp (unr (null) ' + 495 * 'p')
def detached():
    """A dprintf stays when gdb goes, but not in a program without an agent."""
    with open('/proc/%d/mem' % program.pid, 'rb', buffering=0) as memory:
        def code():
            memory.seek(SPOT)
            return memory.read(6)
        stub.must('z0,%x,1' % SPOT)
        before = code()
        stub.must('Z0,%x,1;cmds:1,%s' % (SPOT, packed(code_of('x'))))
        stub.close()
        check('a dprintf is there', code() != before)
        got = subprocess.run([sys.argv[2], 'detach', str(program.pid)])
        check_equal('detach', got.returncode, 0)
        check_equal('the code is as before', code(), before)
    check_equal('the program goes on', program.ask('call 5'), '12')


conditions()
detached()
check_equal('the program ends as it does', program.end(), 0)
