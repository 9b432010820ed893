# SPDX-License-Identifier: LGPL-2.1-or-later
"""texts.py PROGRAM: what dprintf makes of strings. One line "PASS: NAME" or
"FAIL: NAME" a check."""
import struct
import sys

from rsp import Program, check_equal

program = Program(sys.argv[1])
stub = program.connect()
SPOT, LONG = program.words['spot'], program.words['text']


def said(text, *addresses):
    """The text of a hit, as gdb's console has it."""
    text = text.encode() + b'\0'
    code = b''.join(b'\x25' + struct.pack('>Q', address)
                    for address in reversed(addresses))
    code += bytes.fromhex('2200220034%02x%04x' % (len(addresses), len(text)))
    code += text + b'\x27'
    stub.must('Z0,%x,1;cmds:0,X%x,%s' % (SPOT, len(code), code.hex()))
    stub.socket.sendall(b'$vCont;c#a8')
    stub.ask('qC')  # the one before was served
    program.ask('call 1')
    got = bytes.fromhex(stub.answer()[1:].decode()).decode()
    stub.socket.sendall(b'\3')
    stub.answer()
    stub.must('z0,%x,1' % SPOT)
    return got


check_equal('a long one has the whole text', said('%s', LONG), 511 * 'p')
check_equal('two fill it, too', said('%s%s', LONG, LONG), 511 * 'p')
check_equal('fifteen with a precision',
            said(15 * '%.9s|', *15 * [LONG]), 15 * (9 * 'p' + '|'))
check_equal('fifteen with the precision 0',
            said(7 * '%.0s|%.s|' + '%.0s', *15 * [LONG]), 14 * '|')
check_equal('some that are not there',
            said('%.3s %.4s %s %s', LONG, 16, 0, LONG),
            'ppp (unr (null) ' + 495 * 'p')
stub.close()
check_equal('the program ends as it does', program.end(), 0)
