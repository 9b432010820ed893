# SPDX-License-Identifier: LGPL-2.1-or-later
"""damaged.py VERIFY WORK SEED ROUNDS TRACE...: damages copies of traces.

babeltrace2 is the oracle: where it cannot read a copy, warns, or reads it
otherwise than the whole trace, `taffrail verify` must not be content. Before
that it flips a bit in each of many places of each file, and `verify` must refuse
every copy, whatever babeltrace2 says. Prints a line for each copy that verify took, and
how many copies babeltrace2 read otherwise.
"""
import os
import random
import re
import shutil
import subprocess
import sys

HEAD = 80                               # bytes of a packet's head
READ_SECONDS = 2                        # of a CPU; a whole trace takes 0.1


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    # babeltrace2's messages have the time and its PID
    return (done.returncode, done.stdout,
            re.sub(rb'(?m)^\S+ \S+ +\d+ +\d+ ', b'', done.stderr))


def files_of(directory):
    found = []
    for top, _, names in os.walk(directory):
        found += [os.path.join(top, name) for name in names]
    return sorted(found)


def flip(chance, data):
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + \
        data[at + 1:]


def drop_line(chance, data):
    lines = data.split(b'\n')
    del lines[chance.randrange(len(lines))]
    return b'\n'.join(lines)


def other_number(chance, data):
    numbers = [m for m in re.finditer(rb'\d+', data)]
    if not numbers:
        return data + b'1'
    match = chance.choice(numbers)
    return data[:match.start()] + b'%d' % chance.randrange(1000) + \
        data[match.end():]


CHANGES = {
    'flip': flip,
    'flip in a head': lambda chance, data:
        flip(chance, data[:HEAD]) + data[HEAD:],
    'cut': lambda chance, data: data[:chance.randrange(len(data))],
    'cut in front': lambda chance, data: data[chance.randrange(len(data)):],
    'add': lambda chance, data:
        data + chance.randbytes(chance.randrange(1, 100)),
    'add text': lambda chance, data: data + b'event { name = "x"; };\n',
    'drop a line': drop_line,
    'another number': other_number,
    'add itself': lambda chance, data: data + data,
    'zeros': lambda chance, data: bytes(len(data)),
}


def damage(chance, directory):
    """Damages one file; returns what was done, and to which."""
    files = files_of(directory)
    path = chance.choice(files)
    how = chance.choice(sorted(CHANGES) + ['remove', 'copy', 'exchange'])
    if how == 'remove':
        os.unlink(path)
    elif how == 'copy':
        shutil.copy(path, path + chance.choice(['1', '_1', '.x']))
    elif how == 'exchange':
        other = chance.choice([file for file in files if file != path])
        shutil.copy(path, directory + '.saved')
        shutil.copy(other, path)
        shutil.copy(directory + '.saved', other)
        os.unlink(directory + '.saved')
    else:
        with open(path, 'rb') as file:
            data = file.read()
        with open(path, 'wb') as file:
            file.write(CHANGES[how](chance, data))
    return how, os.path.relpath(path, directory)


def reading(directory):
    """What babeltrace2 makes of a copy. Some copies 2.1 reads without an end."""
    return run('prlimit', f'--cpu={READ_SECONDS}', 'babeltrace2', directory)


def flips(verify, trace, copy):
    """Flips a bit in 40 places of each file, the first and the last among them.
    Returns how many copies were checked."""
    count = 0
    for path in files_of(trace):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(trace, copy)
        name = os.path.relpath(path, trace)
        with open(path, 'rb') as file:
            data = file.read()
        for at in sorted({len(data) * i // 40 for i in range(40)} |
                         {len(data) - 1}):
            changed = bytearray(data)
            changed[at] ^= 1 << at % 8
            with open(os.path.join(copy, name), 'wb') as file:
                file.write(changed)
            count += 1
            if run(verify, 'verify', copy)[0] != 1:
                print(f'verify takes a flip: {name}, byte {at}')
        with open(os.path.join(copy, name), 'wb') as file:
            file.write(data)
    return count


def main():
    verify, work, seed, rounds = sys.argv[1:5]
    chance = random.Random(int(seed))
    copy = os.path.join(work, 'copy')
    otherwise = 0
    flipped = sum(flips(verify, trace, copy) for trace in sys.argv[5:])
    whole = {trace: reading(trace) for trace in sys.argv[5:]}
    for _ in range(int(rounds)):
        trace = chance.choice(sys.argv[5:])
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(trace, copy)
        how, path = damage(chance, copy)
        if reading(copy) == whole[trace]:
            continue
        otherwise += 1
        if run(verify, 'verify', copy)[0] != 1:
            print(f'verify takes {os.path.basename(trace)}: {how}: {path}')
    print(f'flipped {flipped} otherwise {otherwise}')


main()
