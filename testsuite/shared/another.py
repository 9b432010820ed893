# SPDX-License-Identifier: LGPL-2.1-or-later
"""another.py DIR		makes other recordings of the traces in DIR
another.py FROM TO...	copies a directory of traces as other recordings

A plain copy is the same traces again, which are read once. Each trace then has
a uuid of its own, in its metadata and in its packets.
"""
import pathlib
import re
import shutil
import sys
import uuid
import zlib


def write(path, text):
    """Writes metadata with a right checksum."""
    text = re.sub(r'/\* checksum .*\n', '', text)
    path.write_text(f'{text}/* checksum {zlib.crc32(text.encode()):08x} */\n',
                    encoding='utf-8')


def renew(directory):
    """Gives each trace of a directory another uuid."""
    for path in pathlib.Path(directory).glob('*/metadata'):
        text = path.read_text(encoding='utf-8')
        old = uuid.UUID(re.search(r'\tuuid = "([0-9a-f-]+)";', text)[1])
        new = uuid.uuid4()
        write(path, text.replace(str(old), str(new)))
        for stream in path.parent.glob('stream_*'):
            stream.write_bytes(stream.read_bytes().replace(old.bytes,
                                                           new.bytes))


if __name__ == '__main__':
    for to in sys.argv[2:]:
        shutil.copytree(sys.argv[1], to)
        renew(to)
    if len(sys.argv) == 2:
        renew(sys.argv[1])
