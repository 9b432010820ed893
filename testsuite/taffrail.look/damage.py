# SPDX-License-Identifier: LGPL-2.1-or-later
# damage.py COMMAND TRACE COPY N: damages copies of a trace in N ways, and looks
# at each with COMMAND view: it ends with 0 or 1, and with 1 if it says anything.
# Prints what went wrong.
import os
import random
import shutil
import subprocess
import sys

command, trace, copy, count = sys.argv[1:5]
rng = random.Random(20261126)


def files():
    for folder, _, names in os.walk(copy):
        for name in names:
            yield os.path.join(folder, name)


def damage(path):
    size = os.path.getsize(path)
    kind = rng.randrange(5)
    if kind == 0:
        os.unlink(path)
        return 'removed'
    with open(path, 'r+b') as file:
        if kind == 1:
            file.truncate(rng.randrange(size + 1))
            return 'cut'
        if kind == 2:
            file.seek(0, 2)
            file.write(rng.randbytes(rng.randrange(1, 200)))
            return 'grown'
        for _ in range(rng.choice((1, 1, 5, 50))):
            at = rng.randrange(size) if kind == 3 else rng.randrange(
                min(size, 200))
            file.seek(at)
            file.write(rng.randbytes(rng.choice((1, 8))))
    return 'changed'


for number in range(int(count)):
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(trace, copy)
    path = rng.choice(sorted(files()))
    if not os.path.getsize(path):
        continue
    what = f'{number}: {os.path.relpath(path, copy)} {damage(path)}'
    extra = rng.choice(([], ['--begin', '-0.0001'], ['--tail', '5'],
                        ['--begin', '+0.0001', '--end', '-0.0001']))
    done = subprocess.run([command, 'view', *extra, copy],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    text = done.stderr.decode(errors='replace')
    lost = all(' lost ' in line for line in text.splitlines())
    if done.returncode not in (0, 1):
        print(f'{what}: status {done.returncode}')
    elif done.returncode == 0 and not lost:
        print(f'{what}: status 0, but {text}')
    elif done.returncode == 1 and not text:
        print(f'{what}: status 1, and nothing is said')
