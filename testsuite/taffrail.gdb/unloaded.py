# SPDX-License-Identifier: LGPL-2.1-or-later
"""unloaded.py PROGRAM COMMAND: an agent is detached while a thread blocks
SIGTRAP: its jump stays, and so does the agent. One line "PASS: NAME" or
"FAIL: NAME" a check."""
import subprocess
import sys

from rsp import Program, check, check_equal

program = Program(sys.argv[1])
SPOT = program.words['spot']


def command(*words):
    return subprocess.run([sys.argv[2], *words], stdout=subprocess.PIPE,
                          check=False).returncode


def code():
    with open('/proc/%d/mem' % program.pid, 'rb', buffering=0) as memory:
        memory.seek(SPOT)
        return memory.read(6)


before = code()
check_equal('an agent is loaded',
            command('gdb', '-p', str(program.pid), '--print'), 0)
stub = program.connect()
stub.must('QTDisconnected:1')
check_equal('a tracepoint', stub.point(1, SPOT), b'OK')
stub.must('QTStart')
stub.close()
program.ask('block')
command('detach', '--force', str(program.pid))
check('the jump is left', code() != before)
program.ask('unblock')
check_equal('the program goes on', program.ask('call 5'), '12')
check_equal('the program ends as it does', program.end(), 0)
