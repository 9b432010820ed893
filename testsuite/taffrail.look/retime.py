# SPDX-License-Identifier: LGPL-2.1-or-later
# retime.py DIR SECONDS [NS]: moves all events below DIR so that the time 0 of
# their clock is that many seconds (and nanoseconds) after 1970, with a right
# checksum.
import glob
import re
import sys
import zlib

ns = int(sys.argv[3]) if len(sys.argv) > 3 else 0
for path in glob.glob(sys.argv[1] + '/*/metadata'):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    text = re.sub(r'/\* checksum .*\n', '', text)
    text = re.sub(r'offset_s = -?\d+;', f'offset_s = {sys.argv[2]};', text)
    freq = int(re.search(r'\tfreq = (\d+);', text)[1])
    text = re.sub(r'\toffset = \d+;', f'\toffset = {ns * freq // 10**9};', text)
    sum_ = zlib.crc32(text.encode())
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{text}/* checksum {sum_:08x} */\n')
