# SPDX-License-Identifier: LGPL-2.1-or-later
"""another.py FROM TO: copies a directory of traces as another recording.

A plain copy is the same traces again, which are read once. Each trace of TO has
a uuid of its own, in its metadata and in its packets.
"""
import pathlib
import re
import shutil
import sys
import uuid
import zlib

shutil.copytree(sys.argv[1], sys.argv[2])
for path in pathlib.Path(sys.argv[2]).glob('*/metadata'):
    text = re.sub(r'/\* checksum .*\n', '', path.read_text())
    old = uuid.UUID(re.search(r'\tuuid = "([0-9a-f-]+)";', text)[1])
    new = uuid.uuid4()
    text = text.replace(str(old), str(new))
    path.write_text(f'{text}/* checksum {zlib.crc32(text.encode()):08x} */\n')
    for stream in path.parent.glob('stream_*'):
        if stream.is_file():
            stream.write_bytes(stream.read_bytes().replace(old.bytes,
                                                           new.bytes))
