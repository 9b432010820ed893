# SPDX-License-Identifier: LGPL-2.1-or-later
"""prints.py SOCKET ADDRESS INPUT: the texts of a dprintf while gdb waits: the
packets O, and the answer to an interrupt. ADDRESS is met twice for each request
that a line of INPUT asks for."""
import sys

from rsp import Stub, check, check_equal

path, address, fifo = sys.argv[1], int(sys.argv[2], 0), sys.argv[3]
stub = Stub(path)
texts = b'end\\n\0'
code = bytes.fromhex('220022003400%04x' % len(texts)) + texts + b'\x27'
where = '0,%x,1' % address
check_equal('a dprintf', stub.ask('Z%s;cmds:0,X%x,%s' % (
    where, len(code), code.hex())), b'OK')
for wrong in ('X2,2201', 'X%x,%s' % (len(code), code[1:].hex() + '27'), 'Xz',
              'X%x,%s' % (len(code), code.replace(b'd', b'%').hex())):
    got = stub.ask('Z%s;cmds:0,%s' % (where, wrong))
    check('malformed: ' + wrong[:12], got.startswith(b'E.'), got)
check_equal('it is there again', stub.ask('Z%s;cmds:0,X%x,%s' % (
    where, len(code), code.hex())), b'OK')
# One that cannot be had keeps gdb from nothing.
dead = 'Z0,1000,1;cmds:0,X%x,%s' % (len(code), code.hex())
got = stub.ask(dead)
check('no code: refused', got.startswith(b'E.dprintf at 0x1000: no code'), got)
got = bytes.fromhex(stub.ask('qTaffrail:refused').decode())
check('the extension is told', got.startswith(b'dprintf at 0x1000: no c'), got)
check_equal('gdb sends it again', stub.ask(dead), b'OK')
check_equal('the extension is not told again', stub.ask('qTaffrail:refused'),
            b'')
stub.socket.sendall(b'$vCont;c#a8')
got = stub.answer()
check('the console is told', got.startswith(
    b'O' + b'dprintf at 0x1000: no code'.hex().encode()), got)
# the answer to the next packet: the one before was served
check('gdb waits', stub.ask('qC').startswith(b'QC'))
with open(fifo, 'w') as file:
    file.write('3\n')
got = [stub.answer() for _ in range(6)]
check_equal('a packet for each text', got, [b'O' + b'end\n'.hex().encode()] * 6)
stub.socket.sendall(b'\3')
got = stub.answer()
check('an interrupt ends the wait', got.startswith(b'T02thread:'), got)
check_equal('it is taken out', stub.ask('z' + where), b'OK')
check_equal('the other, too', stub.ask('z0,1000,1'), b'OK')
got = stub.ask(dead)
check('again: refused', got.startswith(b'E.dprintf at 0x1000: no code'), got)
check('none waits without one', stub.ask('vCont;c').startswith(b'E.'))
stub.close()
