# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command again and again, and interrupts it when it has a handler, a bit
later each time, until it says that it was interrupted. Prints its exit status and
what it printed.

Usage: interrupt.py COMMAND...
"""
import signal
import subprocess
import sys
import time



def catches(pid):
    """Has the process a handler of SIGINT?"""
    try:
        with open(f'/proc/{pid}/status', encoding='utf-8') as status:
            text = status.read()
    except ProcessLookupError:
        return True
    return int(text.split('SigCgt:')[1].split()[0], 16) & 1 << signal.SIGINT - 1


for attempt in range(400):
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    # on a busy machine it begins late
    end = time.monotonic() + 10
    while (process.poll() is None and not catches(process.pid)
           and time.monotonic() < end):
        time.sleep(0.0005)
    time.sleep(0.001 * (attempt % 100))
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    if b'interrupted' in errors:
        print('status', process.returncode)
        print(out.decode() + errors.decode())
        break
