# SPDX-License-Identifier: LGPL-2.1-or-later
"""made.py DIR: writes traces of the recorder's own form, with the same bytes each
time: two processes, one of two threads on two CPUs, whose buffers lost events.

made.py page|sqlite|perfetto FILE: prints what such a file has, as text.

made.py WANT NUMBER: runs the command behind the "$ " of a part of WANT, and
prints how what it prints differs from what stands below; made.py WANT lists the
commands.
"""
import base64
import difflib
import os
import re
import sqlite3
import struct
import subprocess
import sys
import uuid
import zlib

METADATA = '''/* CTF 1.8 */

typealias integer { size = 8; align = 8; signed = 0; } := uint8_t;
typealias integer { size = 16; align = 8; signed = 0; } := uint16_t;
typealias integer { size = 32; align = 8; signed = 0; } := uint32_t;
typealias integer { size = 64; align = 8; signed = 0; } := uint64_t;

trace {
	major = 1;
	minor = 8;
	uuid = "%(uuid)s";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	};
};

env {
	hostname = "far";
	domain = "ust";
	tracer_name = "taffrail";
	tracer_major = 0;
	tracer_minor = 1;
	tracer_patchlevel = 0;
	tracer_buffering_scheme = "pid";
	agent_version = "0.1";
	trace_name = "made";
	procname = "%(name)s";
	vpid = %(pid)d;
	vppid = 1;
	vpid_starttime = 7;
	image = 0;
	architecture_bit_width = 64;
	vpid_datetime = "20261126T013000+0000";
	trace_creation_datetime = "20261126T013000+0000";
};

clock {
	name = "monotonic";
	uuid = "b539ef20-401b-46fb-8aa1-e06f6cafe3e7";
	description = "time stamp counter";
	freq = 2000000000;
	offset_s = 1795656600;
	offset = 500;
	absolute = TRUE;
};

typealias enum : integer { size = 64; align = 8; signed = 0; encoding = none; base = 16; } {
	"main+0x36 in prog" = 0x1036,
	"m in prog" = 0x4000
} := symbol;

struct event_header {
	enum : integer { size = 5; align = 1; signed = 0; } { usual = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct {
			integer { size = 27; align = 1; signed = 0; map = clock.monotonic.value; } timestamp;
		} usual;
		struct {
			uint32_t id;
			integer { size = 64; align = 8; signed = 0; map = clock.monotonic.value; } timestamp;
		} extended;
	} v;
} align(8);

stream {
	id = 0;
	event.header := struct event_header;
	packet.context := struct {
		integer { size = 64; align = 8; signed = 0; map = clock.monotonic.value; } timestamp_begin;
		integer { size = 64; align = 8; signed = 0; map = clock.monotonic.value; } timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint32_t cpu_id;
	};
	event.context := struct {
		integer { size = 32; align = 8; signed = 1; } _vtid;
	};
};
'''
EVENT = '''
/* %(place)s */
event {
	name = "%(name)s";
	id = %(id)d;
	stream_id = 0;
	fields := struct {
%(fields)s	};
};
'''
INT = 'integer { size = 32; align = 8; signed = %d; encoding = none; base = 10; } '
EVENTS = [
    ('app:work_begin', 'prog.c:10', [INT % 1 + '_i']),
    ('app:work_end', 'prog.c:14', [INT % 1 + '_i']),
    ('app:data', 'prog.c:12', [
        'string { encoding = UTF8; } _text',
        'floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _real',
        'integer { size = 16; align = 8; signed = 0; encoding = none; base = 16; } _bits',
        'enum : integer { size = 8; align = 8; signed = 0; } '
        '{ "false" = 0, "true" = 1 } _truth',
        INT % 0 + '__list_length', INT % 1 + '_list[ __list_length ]',
        'typealias ' + INT % 1 + ':= duration_us_of_took',
        'duration_us_of_took _took']),
    ('pthread:mutex_lock_entry', 'pthread.c:212',
     ['symbol _mutex', 'symbol _caller']),
    ('pthread:mutex_lock_exit', 'pthread.c:212',
     ['symbol _mutex', INT % 1 + '_ret']),
    ('pthread:mutex_unlock_entry', 'pthread.c:214',
     ['symbol _mutex', 'symbol _caller']),
]
LONG = 'integer { size = 64; align = 8; signed = 1; encoding = none; base = %d; } '
FORMS = ['duration_ns', 'duration_ms', 'duration_s', 'time_ns', 'time_us', 'time_s']
EVENTS.append(('app:shown', 'other.c:7', [
    'typealias %s:= %s_of_%s; %s_of_%s _%s' % ((LONG % 10,) + 5 * (form,))
    for form in FORMS] + [
        LONG % 8 + '_octal', LONG % 16 + '_hex',
        'integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } '
        '_letter[1]',
        'enum : integer { size = 32; align = 8; signed = 1; } '
        '{ "ENOENT" = 2, "many" = 5 ... 9 } _error',
        'floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _small']))
BEGIN, END, DATA, ENTRY, EXIT, UNLOCK, SHOWN = range(7)
HALF = 2        # ticks of the clock in a nanosecond


def event(ns, number, tid, *values):
    out = struct.pack('<BIQi', 31, number, ns * HALF, tid)
    if number == DATA:
        text, real, bits, truth, numbers, took = values
        return (out + text.encode() + b'\0'
                + struct.pack('<dHBI', real, bits, truth, len(numbers))
                + struct.pack('<%di' % len(numbers), *numbers)
                + struct.pack('<i', took))
    if number == SHOWN:
        return out + struct.pack('<8qbif', *values)
    if number in (BEGIN, END):
        return out + struct.pack('<i', *values)
    return out + struct.pack('<Q' + ('i' if number == EXIT else 'Q'), *values)


def packet(ident, cpu, number, lost, begin, end, events):
    data = b''.join(events)
    bits = 8 * (84 + len(data))
    return (struct.pack('<I16sIQ', 0xc1fc1fc1, ident.bytes, 0, cpu)
            + struct.pack('<QQQQQQI', begin * HALF, end * HALF, bits, bits,
                          number, lost, cpu) + data)


def write(where, name, pid, streams):
    ident = uuid.UUID(int=pid << 64 | 4 << 76 | 8 << 60)
    os.makedirs(where)
    text = METADATA % {'uuid': ident, 'name': name, 'pid': pid}
    for number, (event_name, place, fields) in enumerate(EVENTS):
        text += EVENT % {'name': event_name, 'place': place, 'id': number,
                         'fields': ''.join('\t\t%s;\n' % f for f in fields)}
    with open(where + '/metadata', 'w') as to:
        to.write('%s/* checksum %08x */\n' % (text, zlib.crc32(text.encode())))
    for cpu, packets in enumerate(streams):
        with open('%s/stream_%d' % (where, cpu), 'wb') as to:
            for number, made in enumerate(packets):
                to.write(packet(ident, cpu, number, *made))


def make(where):
    call, mutex = 0x1036, 0x4000
    write(where + '/prog-77-7', 'prog', 77, [[
        (0, 1000, 9000, [
            event(1000, BEGIN, 77, 1),
            event(2000, ENTRY, 77, mutex, call),
            event(2500, EXIT, 77, mutex, 0),
            event(3000, DATA, 77, 'a"b,c\n', 0.25, 0xbeef, 1, [1, -2], 1500),
            event(8000, UNLOCK, 77, mutex, call),
            event(9000, END, 77, 1)]),
        (3, 20000, 70000000, [
            event(20000, BEGIN, 77, 2),
            event(31000, DATA, 77, '', -1e300, 0, 0, [], -7),
            event(70000000, END, 77, 2)]),
    ], [
        (0, 1500, 5000000000, [
            event(1500, BEGIN, 78, -5),
            event(4000, ENTRY, 78, mutex, 0x999),
            event(8200, EXIT, 78, mutex, 0),
            event(9500, UNLOCK, 78, mutex, 0x999),
            event(12345, END, 78, -5),
            event(5000000000, BEGIN, 78, 6)]),
    ]])
    write(where + '/other-90-7', 'other', 90, [[
        (0, 500, 6200, [
            event(500, DATA, 90, 'x' * 40, 1.5, 16, 2, [7], 2000000),
            event(6000, END, 90, 0),
            event(6100, SHOWN, 90, *[1234567] * 8, 65, 2, 1.5),
            event(6200, SHOWN, 90, *[-5] * 8, 10, 7, -0.1)]),
    ]])


def page(path):
    """The chunks and the head of a timeline, as lines of 32 bytes."""
    with open(path) as file:
        found = re.findall(r'<script type="application/octet-stream" '
                           r'class="(\w+)">([^<]*)</script>', file.read())
    for kind, text in found:
        data = zlib.decompress(base64.b64decode(text), -15)
        print(kind)
        for at in range(0, len(data), 32):
            part = data[at:at + 32]
            print(part.hex(), re.sub('[^ -~]', '.', part.decode('latin-1')))


def sqlite(path):
    with sqlite3.connect(path) as base:
        for name, sql in base.execute('SELECT name, sql FROM sqlite_master '
                                      'ORDER BY name').fetchall():
            print(sql)
            if sql.startswith('CREATE TABLE'):
                print(*base.execute('SELECT * FROM "%s"' % name), sep='\n')


def number_of(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def message(data):
    """The fields of a message of Perfetto, by their numbers."""
    at, out = 0, []
    while at < len(data):
        key, at = number_of(data, at)
        if key & 7 == 0:
            value, at = number_of(data, at)
        elif key & 7 == 2:
            n, at = number_of(data, at)
            value, at = data[at:at + n], at + n
            if len(value) != n:
                raise IndexError
            text = value.decode('ascii', 'replace')
            if value and all(' ' <= c <= '~' for c in text):
                value = repr(text)
            else:
                try:
                    value = '{ %s }' % message(value)
                except (IndexError, struct.error):
                    value = value.hex()
        elif key & 7 == 1:
            value, at = struct.unpack_from('<d', data, at)[0], at + 8
        else:
            raise IndexError
        out.append('%d: %s' % (key >> 3, value))
    return ' '.join(out)


def perfetto(path):
    with open(path, 'rb') as file:
        print(message(file.read()).replace(' 1: {', '\n1: {'))


def parts(path):
    with open(path) as file:
        return [part.partition('\n')
                for part in ('\n' + file.read()).split('\n$ ')[1:]]


def main():
    if sys.argv[1] in ('page', 'sqlite', 'perfetto'):
        globals()[sys.argv[1]](sys.argv[2])
    elif not sys.argv[1].endswith('.want'):
        make(sys.argv[1])
    elif len(sys.argv) == 2:
        print('\n'.join(part[0] for part in parts(sys.argv[1])))
    else:
        command, _, want = parts(sys.argv[1])[int(sys.argv[2])]
        got = subprocess.run(command, shell=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        print('\n'.join(difflib.unified_diff(
            want.rstrip('\n').split('\n'), got.stdout.rstrip('\n').split('\n'),
            'wanted', 'came', lineterm='')), end='')


if __name__ == '__main__':
    main()
