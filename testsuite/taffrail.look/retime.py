# SPDX-License-Identifier: LGPL-2.1-or-later
# retime.py DIR SECONDS [NS]: moves all events below DIR so that the time 0 of
# their clock is that many seconds (and nanoseconds) after 1970, with a right
# checksum. The traces then are another recording's.
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
import another  # noqa: E402

ns = int(sys.argv[3]) if len(sys.argv) > 3 else 0
for path in pathlib.Path(sys.argv[1]).glob('*/metadata'):
    text = path.read_text(encoding='utf-8')
    text = re.sub(r'offset_s = -?\d+;', f'offset_s = {sys.argv[2]};', text)
    freq = int(re.search(r'\tfreq = (\d+);', text)[1])
    text = re.sub(r'\toffset = \d+;', f'\toffset = {ns * freq // 10**9};', text)
    another.write(path, text)
another.renew(sys.argv[1])
