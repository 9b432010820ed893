# SPDX-License-Identifier: LGPL-2.1-or-later
# The clock anchors in a process's page, and what they are worth.
#
#	anchors.py page FILE CHANGE...	changes the page, prints how many of
#			the anchors that writers took are whole, and
#			"late" if the newest is not of the first half of the run
#	  boot		the machine has been started again since
#	  estimate	the agent's estimate of the frequency is 1% off
#	  none		writers took no anchors
#	  torn		one is a mixture of two
#	  lie		one is whole and an hour off, the estimate 1%
#	anchors.py check LIMIT	reads events from babeltrace2
#			--clock-seconds; prints "right" when none is further
#			from the time in it than LIMIT us, but for those that
#			were delayed
#
# Offsets are those of struct process_page in buffers/layout.h, from the boot
# id, which is looked for.
import re
import struct
import sys

START = 32                              # from the boot id
SLOTS = START + 32 + 8 + 64 + 64 + 32
SLOT_BYTES = 40
COUNT = 4
RUN_NS = 600000000


def check_of(words):
    mix = 0x9e3779b97f4a7c15
    for word in words:
        mix = (mix ^ word) * 0xff51afd7ed558ccd % 2**64
        mix ^= mix >> 32
    return mix or 1


def change_page(path, changes):
    with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as f:
        boot = bytes.fromhex(f.read().strip().replace('-', ''))
    with open(path, 'rb') as f:
        page = bytearray(f.read())
    base = page.index(boot)

    def slot_at(i):
        return base + SLOTS + SLOT_BYTES * i

    def slot_read(i):
        return struct.unpack_from('=5Q', page, slot_at(i))

    start = struct.unpack_from('=4Q', page, base + START)
    whole = [i for i in range(COUNT)
             if check_of(slot_read(i)[:4]) == slot_read(i)[4]]
    newest = max((slot_read(i)[1] for i in whole), default=0)
    print(len(whole), 'late' if newest - start[1] > RUN_NS / 2 else 'early')
    for change in changes:
        if change == 'boot':
            page[base:base + 16] = bytes(16 * [0xb0])
        elif change == 'estimate':
            hz, = struct.unpack_from('=Q', page, base - 8)
            struct.pack_into('=Q', page, base - 8, hz * 101 // 100)
        elif change == 'none':
            page[slot_at(0):slot_at(COUNT)] = bytes(SLOT_BYTES * COUNT)
        elif change == 'torn':
            i = whole[0]
            struct.pack_into('=Q', page, slot_at(i) + 8, start[1])
        elif change == 'lie':
            words = [start[0] + 1, start[1] + 3600 * 10**9,
                     start[2] + 3600 * 10**9, 0]
            struct.pack_into('=5Q', page, slot_at(whole[0]), *words,
                             check_of(words))
        else:
            sys.exit('what is ' + change)
    with open(path, 'wb') as f:
        f.write(page)


# An event comes after the time in it; how much later, of any group of events
# the least delayed one tells.
def check_events(limit_us):
    least = []
    group = []
    for line in sys.stdin:
        match = re.match(r'\[(\d+)\.(\d+)\].* app:now: .*ns = (\d+)', line)
        if not match:
            continue
        seconds, nanoseconds, want = (int(x) for x in match.groups())
        group.append(seconds * 10**9 + nanoseconds - want)
        if len(group) == 100:
            least.append(min(group))
            group = []
    worst = max(abs(ns) for ns in least) if least else None
    if worst is not None and worst <= limit_us * 1000:
        print('right')
    else:
        print('wrong: ns off, of each 100 events:', least)


if sys.argv[1] == 'page':
    change_page(sys.argv[2], sys.argv[3:])
else:
    check_events(int(sys.argv[2]))
