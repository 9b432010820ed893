# SPDX-License-Identifier: LGPL-2.1-or-later
# export.py FORMAT FILE WHAT TRACE: reads an export, and compares it with the
# values that export.c writes, and with times, names, CPUs and threads that
# babeltrace2 prints for the trace. Prints the number of events, or what differs.
import csv
import glob
import json
import math
import os
import re
import sqlite3
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'shared'))
import perfetto  # noqa: E402

NAN = float('nan')
INF = float('inf')
INT64_MIN = -2**63

VALUES = {
    'app:signed': [-128, -2**15, -2**31, INT64_MIN, 2**63 - 1],
    'app:unsigned': [255, 65535, 2**32 - 1, 2**64 - 1, 2**63, 2**63 - 1],
    'app:shown': [-1, -8, 4096],
    'app:named': [(1, 'true'), b'\n', (2, 'ENOENT'), (-4, '-EINTR'),
                  (9999, None)],
    'app:arrays': [[1, -2, -2**31], [0, 2**64 - 1], [0.1, -0.0, NAN, INF],
                   bytearray([0, 127, 255]), bytearray(), 5],
    'app:reals': [0.1, -0.0, struct.unpack('f', struct.pack('f', 1 / 3))[0],
                  NAN, INF, -INF, sys.float_info.max, 5e-324, 1e22, 2.0**53,
                  5.0],
    'app:texts': [b'', b'a"b,c;\'d\'\\e\n\tf', 'é€'.encode(), b'caf\xe9',
                  b'\xed\xa0\x80', b'\xee\xbe\x80x', b'\xf0\x9f\x98',
                  b'\x01\x7f', b'x\r\ny'],
    'app:taken': [-1, 1, 2, 3, 4],
    'app:none': [],
}
wrong = []


def differs(*what):
    wrong.append(' '.join(str(w) for w in what))


def same(a, b):
    if isinstance(a, float):
        return isinstance(b, float) and (
            struct.pack('d', a) == struct.pack('d', b) or
            math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def raw(text):
    """The bytes of a text, as docs/looking.md says."""
    return b''.join(bytes([ord(c) - 0xef00]) if 0xef80 <= ord(c) <= 0xefff
                    else c.encode() for c in text)


def real(value):
    return float(value) if value in ('NaN', 'Infinity', '-Infinity') else value


class Json:
    """Events as (ns, event, cpu, vtid, names, values)."""
    def read(self, path):
        with open(path, 'rb') as file:
            for line in file:
                event = json.loads(line.decode('utf-8'), strict=True,
                                   parse_constant=differs)
                fields = event['fields']
                time = event['time'].split('.')
                if int(time[1].rstrip('Z')) != event['ns'] % 10**9:
                    differs('time', event)
                yield (event['ns'], event['event'], event['cpu_id'],
                       event['context']['vtid'], list(fields),
                       list(fields.values()))

    def matches(self, want, got):
        if isinstance(want, bytearray):
            return bytes(got) == want
        if isinstance(want, bytes):
            return raw(got) == want
        if isinstance(want, tuple):
            return got == {'value': want[0], 'name': want[1]}
        if isinstance(want, list):
            return len(want) == len(got) and all(map(self.matches, want, got))
        return same(want, real(got) if isinstance(want, float) else got)

    def wanted(self, values):
        return values


class Csv(Json):
    def read(self, path):
        for name in glob.glob(path + '/*.csv'):
            table = os.path.basename(name)[:-4]
            with open(name, encoding='utf-8', newline='') as file:
                rows = csv.reader(file, strict=True)
                head = next(rows)
                first = head.index('vtid')
                for row in rows:
                    if len(row) != len(head) or not row[0]:
                        differs('row', row)
                    yield (int(row[0]), re.sub(r'\.\d+$', '', table),
                           int(row[head.index('cpu_id')]), int(row[first]),
                           head[first + 1:], row[first + 1:])

    def matches(self, want, got):
        if isinstance(want, bytes):
            return raw(got) == want
        if isinstance(want, (bytearray, list)):
            return Json().matches(want, json.loads(got))
        if isinstance(want, float):
            return same(want, float(got))
        if want is None:
            return got == ''
        return str(want) == got

    def wanted(self, values):
        flat = []
        for value in values:
            flat += value if isinstance(value, tuple) else [value]
        return [v.encode() if isinstance(v, str) else v for v in flat]


class Sqlite(Csv):
    """Where a type of SQLite cannot hold a value, it is a blob."""
    def read(self, path):
        db = sqlite3.connect(path)
        for table, event, count in db.execute('select * from events'):
            rows = db.execute(f'select * from "{table}" order by rowid')
            head = [c[0] for c in rows.description]
            rows = rows.fetchall()
            if len(rows) != count or head[:4] != ['ns', 'trace', 'cpu_id',
                                                  'vtid']:
                differs(table, 'has', len(rows), 'events,', head)
            plan = db.execute(f'explain query plan select * from "{table}" '
                              'where ns between 1 and 2').fetchall()
            if 'USING INDEX' not in plan[0][3]:
                differs(plan)
            for row in rows:
                yield row[0], event, row[2], row[3], head[4:], row[4:]
        if db.execute('pragma integrity_check').fetchall() != [('ok',)]:
            differs('integrity_check')
        self.processes = db.execute('select * from processes').fetchall()
        db.close()

    def matches(self, want, got):
        if isinstance(want, bytearray):
            return got == bytes(want)
        if isinstance(want, bytes):
            try:
                return got == raw_free(want)
            except UnicodeDecodeError:
                return got == want
        if isinstance(want, list):
            return Json().matches(want, json.loads(got))
        if isinstance(want, float):
            # a column of type REAL has no negative zero
            return same(want or 0.0, float(got) if got == b'NaN' else got)
        if isinstance(want, int) and want > 2**63 - 1:
            return got == str(want).encode()
        return got == want and type(got) is type(want)


class Perfetto(Csv):
    def read(self, path):
        for e in perfetto.Trace(path).events:
            names, values = zip(*e['args'])
            thread = dict(e['track']['thread'])
            if (names[:2] != ('cpu_id', 'vtid') or e['category'] != 'app' or
                    e['type'] != 'TYPE_INSTANT' or thread['tid'] != values[1]
                    or thread['pid'] != values[1]):
                differs(e)
            yield (e['ns'], e['name'], values[0], thread['tid'],
                   list(names[2:]), list(values[2:]))

    def matches(self, want, got):
        if want is None or isinstance(want, (list, bytearray)) and not want:
            return got is None
        if isinstance(want, bytearray):
            return bytes(got) == want
        if isinstance(want, list):
            return len(want) == len(got) and all(map(self.matches, want, got))
        return raw(got) == want if isinstance(want, bytes) else same(want, got)


def raw_free(text):
    """The text, if it is UTF-8 without the characters that stand for bytes."""
    if re.search('[\uef80-\uefff]', text.decode()):
        return text
    return text.decode()


def check_values(kind, events):
    seen = []
    for ns, event, cpu, vtid, names, values in events:
        want = kind.wanted(VALUES[event])
        seen.append(event)
        if len(want) != len(values):
            differs(event, 'has', len(values), 'values:', values)
        for name, a, b in zip(names, want, values):
            if not kind.matches(a, b):
                differs(event, name, 'is', repr(b), 'not', repr(a))
        if (isinstance(kind, Csv) and
                len({n.lower() for n in names}) != len(names)):
            differs(event, 'names', names)
    if sorted(seen) != sorted(VALUES):
        differs('events', seen)


def check_texts(kind, events):
    for ns, event, cpu, vtid, names, (text, codes) in events:
        if isinstance(codes, str):
            codes = json.loads(codes)
        codes = codes or []
        if not kind.matches(bytes(codes), text):
            differs(repr(text), 'is not', bytes(codes))


def check_reals(kind, events):
    for ns, event, cpu, vtid, names, (value, bits) in events:
        if isinstance(bits, bytes):
            bits = bits.decode()
        want = struct.unpack('d', struct.pack('Q', int(bits)))[0]
        if not kind.matches(want, value):
            differs(repr(value), 'is not', want)


def check_steps(kind, events):
    for n, event in enumerate(sorted(events, key=lambda e: int(e[5][0]))):
        want = kind.wanted([n, b'odd' if n & 1 else b'even'])
        if not all(map(kind.matches, want, event[5])):
            differs(event, 'is not', want)


def read_trace(trace):
    """What babeltrace2 prints: (ns, event, cpu, vtid)."""
    text = subprocess.run(
        ['babeltrace2', '--clock-seconds', '--no-delta', *trace], check=True,
        stdout=subprocess.PIPE).stdout
    found = re.findall(rb'^\[(\d+)\.(\d{9})\] .*? (app:\w+): '
                       rb'\{ cpu_id = (\d+) \}, \{ vtid = (\d+)', text, re.M)
    return [(int(s + n), e.decode(), int(c), int(v))
            for s, n, e, c, v in found]


def main():
    kind = {'json': Json, 'csv': Csv, 'sqlite': Sqlite,
            'perfetto': Perfetto}[sys.argv[1]]()
    events = list(kind.read(sys.argv[2]))
    globals()['check_' + sys.argv[3]](kind, events)
    heads = [e[:4] for e in events]
    trace = read_trace(sys.argv[4:])
    in_order = sys.argv[1] in ('json', 'perfetto')
    # the order of events of one time is the reader's choice
    if (sorted(heads) != sorted(trace) or
            in_order and [h[0] for h in heads] != sorted(h[0] for h in heads)):
        differs('times, names, CPUs or threads', heads[:3], trace[:3])
    print('\n'.join(wrong[:10]) or len(events))


main()
