# SPDX-License-Identifier: LGPL-2.1-or-later
"""strings.py DIR: writes a CTF 1.8 trace whose strings would do harm, or take
very long, if they were shown as they are. Event N has string N.
"""
import os
import struct
import sys

METADATA = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = true; } := s32;
trace { major = 1; minor = 8; byte_order = le; };
env { hostname = "far"; domain = "ust"; procname = "</title>%(turned)s";
	vpid = 100; tracer_name = "hand"; };
clock { name = c; freq = 1000000000; offset_s = 1795656939; absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { packet.context := struct { stamp timestamp_begin;
		stamp timestamp_end; u8 cpu_id; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct { s32 vtid; }; };
event { name = "app:%(long)s_begin"; id = 0;
	fields := struct { s32 n; string text; }; };
event { name = "app:%(long)s_end"; id = 1; fields := struct { s32 n; }; };
'''
# those that view --long and the page show alike come first
ALIKE = [b'</script><script>document.title="harm"</script>',
         b'a", b = "c', b'back\\slash, not \\n', b"it's ?", b'&lt;b&gt;',
         b'\x1b[31m\x07\x08\x0b\x0c\r\n\t\x01', 'é 漢字 e\u0301'.encode(), b'']
STRINGS = ALIKE + [b'\xc2\x9b31m', b'\xff caf\xe9 \xed\xa0\x80 \xf4\x90\x80\x80',
                   '\u202eevil\u202c \u2066x\u2069'.encode(),
                   '\u2028\u2029'.encode(), '漢'.encode() * 40000,
                   '\u202e'.encode() * 30000, b'\xff' * 50000]


def main():
    os.makedirs(sys.argv[1])
    with open(os.path.join(sys.argv[1], 'metadata'), 'w') as to:
        to.write(METADATA % {'turned': '\u202e', 'long': 'n' * 300})
    with open(os.path.join(sys.argv[1], 'stream'), 'wb') as to:
        to.write(struct.pack('<QQB', 0, 1000 * len(STRINGS), 0))
        for n, text in enumerate(STRINGS):
            to.write(struct.pack('<BQii', 0, 1000 * n, 100, n) + text + b'\0')
            to.write(struct.pack('<BQii', 1, 1000 * n + 700, 100, n))


if __name__ == '__main__':
    main()
