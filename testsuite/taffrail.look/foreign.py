# SPDX-License-Identifier: LGPL-2.1-or-later
"""foreign.py KIND DIR [COUNT]: writes a CTF 1.8 trace that is not Taffrail's.

types     big endian, integers of 3 to 64 bits in four bases, enumerations,
          structures, variants, sequences, contexts
wide      one integer of 62 bits, in hexadecimal
bare      no clock, no packets, no environment, an event without fields
losses    a clock that counts from 2026, events and packets that were lost
many      COUNT events, 1 us apart
astray    COUNT packets of an event each, and an index, as LTTng writes it,
          whose last entry points behind the end of the file
"""
import os
import struct
import sys
import uuid


class Bits:
    """Writes fields, most significant bit first, or least for little endian."""

    def __init__(self, big):
        self.big = big
        self.bits = []

    def align(self, n):
        while len(self.bits) % n:
            self.bits.append(0)

    def put(self, value, n, align=1):
        self.align(align)
        value &= (1 << n) - 1
        order = range(n - 1, -1, -1) if self.big else range(n)
        self.bits += [value >> i & 1 for i in order]

    def text(self, text):
        for byte in text.encode() + b'\0':
            self.put(byte, 8, 8)

    def real(self, value):
        raw = struct.pack('>d', value)
        self.put(int.from_bytes(raw, 'big'), 64, 8)

    def bytes(self):
        self.align(8)
        out = bytearray()
        for i in range(0, len(self.bits), 8):
            byte = self.bits[i:i + 8]
            if not self.big:
                byte.reverse()
            out.append(int(''.join(map(str, byte)), 2))
        return bytes(out)


def write(where, metadata, streams):
    os.makedirs(where)
    with open(os.path.join(where, 'metadata'), 'w') as to:
        to.write('/* CTF 1.8 */\n' + metadata)
    for name, data in streams.items():
        with open(os.path.join(where, name), 'wb') as to:
            to.write(data)


TYPES = '''
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = be;
	uuid = "%s";
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
env { hostname = "far"; domain = "kernel"; procname = "o'ther"; vpid = 77;
	tracer_name = "hand"; };
clock { name = c; freq = 1000000; offset_s = 1798000000; offset = 5;
	absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { id = 0;
	packet.context := struct { stamp timestamp_begin; stamp timestamp_end;
		u64 content_size; u64 packet_size; u32 cpu_id; u8 kind; };
	event.header := struct { u8 id; stamp timestamp; };
	event.context := struct {
		integer { size = 32; align = 8; signed = true; } _vtid;
		integer { size = 8; align = 8; encoding = UTF8; }
			_comm[6]; }; };
event { name = "hand:integers"; id = 0; stream_id = 0; fields := struct {
	integer { size = 5; align = 1; signed = true; } _five;
	integer { size = 12; align = 1; signed = false; base = x; } _twelve;
	integer { size = 33; align = 1; signed = true; base = x; } _wide;
	integer { size = 7; align = 1; signed = true; base = o; } _oct;
	integer { size = 3; align = 1; signed = true; base = b; } _bin;
	integer { size = 60; align = 1; signed = true; base = x; } _hex60;
	integer { size = 64; align = 1; signed = true; base = o; } _oct64;
	floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _real; }; };
enum kind_t : integer { size = 5; align = 8; signed = true; } {
	NEG = -16 ... -2, ONE = 1, SMALL = 0 ... 3, "two words" = 4,
	SMALL = 2 ... 5 };
event { name = "hand:shapes"; id = 1; stream_id = 0;
	context := struct { u8 _depth; string _why; };
	fields := struct {
		enum kind_t _kind;
		struct { u8 a; struct { string b; u8 c[3]; } d; } _nested;
		enum : u8 { number = 0, text = 1, pair = 2 } _tag;
		variant <_tag> { u32 number; string text;
			struct { u8 x; u8 y; } pair; } _what;
		u8 _n;
		struct { u8 id; string name; } _list[_n];
		u32 _other;
		integer { size = 8; align = 8; encoding = UTF8; }
			_chars[_n];
		u8 _grid[2][3]; }; };
event { name = "plain"; id = 2; stream_id = 0; fields := struct { u8 _x; }; };
'''


def types(where):
    which = uuid.UUID('12345678-1234-4321-8888-123456789abc')
    b = Bits(True)

    def head(event, stamp, vtid=4711):
        b.put(event, 8, 8)
        b.put(stamp, 64, 8)
        b.put(vtid, 32, 8)
        for byte in b'a?b\0\0\0':
            b.put(byte, 8, 8)

    b.put(0xC1FC1FC1, 32, 8)
    for byte in which.bytes:
        b.put(byte, 8, 8)
    b.put(0, 32, 8)
    b.put(10, 64, 8)
    b.put(900000, 64, 8)
    sizes = len(b.bits)
    b.put(0, 64, 8)
    b.put(0, 64, 8)
    b.put(3, 32, 8)
    b.put(200, 8, 8)
    for i, value in enumerate((0, 1, -1, 0x1555555555555555, -12345)):
        head(0, 20 + i, -i)
        for size in (5, 12, 33, 7, 3, 60, 64):
            b.put(value, size)
        b.real(value / 7)
    for i in range(12):
        head(1, 100 + 7 * i)
        b.put(i, 8, 8)
        b.text('why "%d"\n' % i)
        b.put((-16, -1, 0, 1, 2, 3, 4, 5, 6, 15, -2, 7)[i], 5, 8)
        b.put(i, 8, 8)
        b.text('b' * i)
        for k in range(3):
            b.put(k * i, 8, 8)
        b.put(i % 3, 8, 8)
        if i % 3 == 0:
            b.put(i << 20, 32, 8)
        elif i % 3 == 1:
            b.text('option %d' % i)
        else:
            b.put(i, 8, 8)
            b.put(255 - i, 8, 8)
        b.put(i % 4, 8, 8)
        for k in range(i % 4):
            b.put(k, 8, 8)
            b.text('n%d' % k)
        b.put(1 << i, 32, 8)
        for k in range(i % 4):
            b.put(ord('k') + k, 8, 8)
        for k in range(6):
            b.put(k, 8, 8)
    head(2, 5000)
    b.put(9, 8, 8)
    b.align(8)
    size = len(b.bits)
    for i in range(64):
        b.bits[sizes + i] = b.bits[sizes + 64 + i] = size >> (63 - i) & 1
    write(where, TYPES % which, {'a_stream': b.bytes()})


def wide(where):
    write(where, '''
trace { major = 1; minor = 8; byte_order = le; };
event { name = wide; fields := struct {
	integer { size = 62; align = 8; base = x; } hex; }; };
''', {'stream': struct.pack('<Q', 0x1555555555555555)})


def bare(where):
    b = Bits(False)
    for i in range(5):
        b.put(i % 2, 8, 8)
        if i % 2 == 0:
            b.text('no %d' % i)
    write(where, '''
typealias integer { size = 8; align = 8; signed = false; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { u8 id; }; };
event { name = text; id = 0; fields := struct { string s; }; };
event { name = empty; id = 1; };
''', {'stream': b.bytes()})


def packet(which, begin, events, discarded, number):
    """A packet of events of 9 bytes each, of u8 values."""
    head = struct.pack('<I16sI', 0xC1FC1FC1, which.bytes, 0)
    bits = 8 * (len(head) + 7 * 8 + 4 + 13 * len(events))
    end = events[-1][0] if events else begin
    head += struct.pack('<6QI', begin, end, bits, bits, number, discarded, 1)
    head += struct.pack('<Q', 0)
    return head + b''.join(struct.pack('<BQI', 0, *e) for e in events)


def clocked(where, packets):
    which = uuid.UUID('00000000-0000-4000-8000-%012d' % len(packets))
    write(where, '''
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le; uuid = "%s";
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
clock { name = c; freq = 1000000000; offset_s = 1798000000;
	absolute = true; };
typealias integer { size = 64; align = 8; signed = false;
	map = clock.c.value; } := stamp;
stream { id = 0;
	packet.context := struct { stamp timestamp_begin; stamp timestamp_end;
		u64 content_size; u64 packet_size; u64 packet_seq_num;
		u64 events_discarded; u32 cpu_id; u64 spare; };
	event.header := struct { u8 id; stamp timestamp; }; };
event { name = "hand:tick"; id = 0; stream_id = 0;
	fields := struct { u32 value; }; };
''' % which, {'stream_0': b''.join(packet(which, *p, i) for i, p in
                                   packets)})


def losses(where):
    clocked(where, [(0, (100, [(200 + i, i) for i in range(5)], 3)),
                    (1, (1000, [(1200 + i, i) for i in range(5)], 10)),
                    (4, (5000, [(5200 + i, i) for i in range(5)], 10))])


def many(where, count):
    clocked(where, [(0, (0, [(1000 * i, i) for i in range(count)], 0))])


def astray(where, count):
    clocked(where, [(i, (1000 * i, [(1000 * i, i)], 0)) for i in range(count)])
    name = os.path.join(where, 'stream_0')
    size = os.path.getsize(name) // count
    os.mkdir(os.path.join(where, 'index'))
    with open(os.path.join(where, 'index', 'stream_0.idx'), 'wb') as to:
        to.write(struct.pack('>4I', 0xC1F1DCC1, 1, 1, 72))
        for i in range(count):
            at = i * size if i < count - 1 else 1 << 20
            to.write(struct.pack('>9Q', at, 8 * size, 8 * size, 1000 * i,
                                 1000 * i, 0, 0, 0, i))


KINDS = {'types': types, 'wide': wide, 'bare': bare, 'losses': losses,
         'many': many, 'astray': astray}

if __name__ == '__main__':
    KINDS[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))
