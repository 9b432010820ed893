# SPDX-License-Identifier: LGPL-2.1-or-later
"""list.py COMMAND LIBRARY COPY N: lists N copies of a library with words of its
data, relocations and dynamic section damaged. The command ends by itself, with
0 or 1, in each."""
import random
import subprocess
import sys

command, library, copy, n = sys.argv[1:]
with open(library, "rb") as file:
    whole = file.read()
rng = random.Random(7)
# the end of the file are sections that no loader reads
odd = [0, 1, 8, 0x28, 0xffff, 0x7fffffff, 0xffffffff, 1 << 63,
       (1 << 64) - 8, (1 << 64) - 1]
for _ in range(int(n)):
    image = bytearray(whole)
    for _ in range(rng.choice((1, 10, 300))):
        at = rng.randrange(64, len(image) // 8) * 8 % (len(image) - 8)
        value = rng.choice(odd + [rng.randrange(len(image))] * 10)
        image[at:at + 8] = value.to_bytes(8, "little")
    with open(copy, "wb") as file:
        file.write(image)
    done = subprocess.run([command, "list", copy], capture_output=True,
                          timeout=60)
    if done.returncode not in (0, 1):
        print("exit status", done.returncode, done.stderr)
        sys.exit(1)
