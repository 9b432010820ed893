# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command again and again, and interrupts it a bit later each time, until
it says that it was interrupted. Prints its exit status and what it printed.

Usage: interrupt.py COMMAND...
"""
import signal
import subprocess
import sys
import time

for attempt in range(400):
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(0.001 * (attempt % 100))
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    if b'interrupted' in errors:
        print('status', process.returncode)
        print(out.decode() + errors.decode())
        break
