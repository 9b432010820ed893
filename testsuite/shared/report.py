# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `taffrail report --json` must say, computed from babeltrace2's text.

Usage: report.py REPORT TEXT [ONLY] [WINDOW] [SORT] [GAP...] [KIND...]

REPORT is the JSON, TEXT what `babeltrace2 --clock-seconds` printed. ONLY is a
regular expression of events that are looked at. WINDOW is window:BEGIN:END: no
event before and behind these times is looked at. SORT is sort:FIGURE, the value
of --sort. GAP is gap:PID:FROM:TO: between these two times, in nanoseconds,
events of the process are not there. KIND is
NAME|BEGIN|END|BEGINKEYS|ENDKEYS|LANE|NESTED: what must be measured; LANE is
thread, cpu, key or any (keys of all processes), NESTED is 1 for calls. All
kinds must be given; without a KIND, pairs are not compared. Prints a line for
each difference.
"""
import bisect
import collections
import gc
import itertools
import json
import marshal
import math
import os
import re
import sys

LINE = re.compile(r'\[(\d+)\.(\d{9})\] \(\S+\) (\S+?):(.*?):\((\d+)\) '
                  r'(\S+?:\S+?): (\{.*)$')
FIELD = re.compile(r'(\w+) = ("(?:\\.|[^"\\])*"|\( .*? \)|[^,}]+)')
Event = collections.namedtuple('Event', 'ns pid name fields cpu')
EXACT = 256
GROUPS = 1000


def value(text):
    text = text.strip()
    if text.isdecimal():
        return int(text)
    if text.startswith('"'):
        return text
    symbol = re.match(r'\( .* : container = (0x[0-9A-F]+) \)$', text)
    if symbol:
        return int(symbol[1], 16)
    if text.startswith('('):
        return re.match(r'\( "([^"]*)"|.* = (-?\d+) \)', text).expand(
            r'\1\2')
    if text.startswith('0x'):
        return int(text, 16)
    return float(text) if re.search(r'[.eni]', text) else int(text)


def read(path):
    """The events of a text. Tests report one text several times: an earlier run
    has kept what it has parsed."""
    kept = f'{path}.events'
    if not os.path.exists(kept) or (os.stat(kept).st_mtime_ns
                                    < os.stat(path).st_mtime_ns):
        events = [tuple(event) for event in parse(path)]
        with open(kept, 'wb') as file:
            marshal.dump(events, file)
    with open(kept, 'rb') as file:
        return [Event(*event) for event in marshal.load(file)]


def parse(path):
    """The events of babeltrace2's text, each with the thread that the writer
    record before it in its stream names."""
    events = []
    writers = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = LINE.match(line.rstrip('\n'))
            if not match:
                sys.exit(f'report.py: cannot read: {line}')
            fields = {name: value(text)
                      for name, text in FIELD.findall(match.group(7))}
            stream = match.group(5), fields['cpu_id']
            if match.group(6) == 'taffrail:writer':
                writers[stream] = fields['vtid']
                continue
            if stream in writers:
                fields['vtid'] = writers[stream]
            fields.setdefault('cpu', fields['cpu_id'])
            events.append(Event(int(match.group(1)) * 10**9
                                + int(match.group(2)), int(match.group(5)),
                                match.group(6), fields,
                                fields.get('cpu_id')))
    return events


def differ(what, got, want):
    print(f'{what}: {got!r}, not {want!r}')


def same(what, got, want):
    if got != want:
        differ(what, got, want)


def rank(numbers, part):
    """The smallest number that is not below this part of all (exactly)."""
    parts = {'p50': (1, 2), 'p90': (9, 10), 'p99': (99, 100),
             'p99.9': (999, 1000)}[part]
    n = -(-len(numbers) * parts[0] // parts[1])
    return numbers[max(n, 1) - 1]


def check_numbers(what, got, numbers):
    numbers = sorted(numbers)
    same(f'{what}: count', got['count'], len(numbers))
    if not numbers or got['count'] != len(numbers):
        return
    same(f'{what}: min', got['min'], numbers[0])
    same(f'{what}: max', got['max'], numbers[-1])
    total = math.fsum(numbers)
    mean = total / len(numbers)
    slack = 1e-9 * math.fsum(map(abs, numbers))
    if all(isinstance(number, int) for number in numbers):
        same(f'{what}: sum', got['sum'], sum(numbers))
    elif abs(got['sum'] - total) > slack:
        differ(f'{what}: sum', got['sum'], total)
    for part in 'p50', 'p90', 'p99', 'p99.9':
        want = rank(numbers, part)
        error = abs(got[part] - want)
        if error > (0 if len(numbers) <= EXACT else abs(want) / 256):
            differ(f'{what}: {part}', got[part], want)
    if abs(got['mean'] - mean) > slack / len(numbers):
        differ(f'{what}: mean', got['mean'], mean)
    total = 0
    for row in got['histogram']:
        low, high = row['from'], row['to']
        if low < 0:
            count = bisect.bisect_right(numbers, high) - bisect.bisect_right(
                numbers, low)
        else:
            count = bisect.bisect_left(numbers, high) - bisect.bisect_left(
                numbers, low)
        same(f'{what}: from {low} to {high}', row['count'], count)
        total += count
    same(f'{what}: of the histogram', total, len(numbers))


class Kind:
    def __init__(self, text):
        (self.name, self.begin, self.end, begin_keys, end_keys, self.lane,
         nested) = text.split('|')
        self.keys = {self.begin: begin_keys.split(',') if begin_keys else [],
                     self.end: end_keys.split(',') if end_keys else []}
        self.nested = nested == '1'
        self.done = []          # (ns, begin, end, BEGIN, END)
        self.unfinished = 0
        self.unbegun = 0
        self.out = [0, 0]       # left out: BEGINs, ENDs

    def lane_of(self, event):
        if self.lane == 'thread':
            return event.pid, 'thread', event.fields['vtid']
        if self.lane == 'cpu':
            return event.pid, 'cpu', event.cpu
        keys = tuple(event.fields[key] for key in self.keys[event.name])
        return (None if self.lane == 'any' else event.pid, self.name, keys)


def lacks(kind, gaps, event, until):
    return any(first < until and event.ns < last for pid, first, last in gaps
               if kind.lane == 'any' or pid == event.pid)


def drop(kind, gaps, event, until, what):
    """A BEGIN without an END is unfinished, or left out for a gap."""
    if lacks(kind, gaps, event, until):
        kind.out[0] += 1
    else:
        kind.unfinished += what


def end_pair(kind, gaps, event, stack):
    mine = [i for i, pair in enumerate(stack) if pair[0] is kind]
    if mine and lacks(kind, gaps, stack[mine[-1]][1], event.ns):
        for i in reversed(mine):
            kind.out[0] += 1
            del stack[i]
        mine = []
    if not mine:
        kind.unbegun += kind.begin != kind.end
        return
    if kind.nested:
        for i in range(len(stack) - 1, mine[-1], -1):
            if stack[i][0].nested:
                drop(stack[i][0], gaps, stack[i][1], event.ns, 1)
                del stack[i]
    begin = stack.pop(mine[-1])[1]
    kind.done.append((event.ns - begin.ns, begin.ns, event.ns, begin, event))


def measure(kinds, events, gaps):
    opened = collections.defaultdict(list)
    for event in events:
        for kind in kinds:
            if event.name != kind.end:
                continue
            if lacks(kind, gaps, event, event.ns):
                kind.out[1] += kind.begin != kind.end
            else:
                end_pair(kind, gaps, event, opened[kind.lane_of(event)])
        for kind in kinds:
            if event.name != kind.begin:
                continue
            if lacks(kind, gaps, event, event.ns):
                kind.out[0] += 1
            else:
                opened[kind.lane_of(event)].append((kind, event))
    for stack in opened.values():
        for kind, event in stack:
            drop(kind, gaps, event, events[-1].ns, kind.begin != kind.end)


def check_pairs(report, kinds):
    same('kinds', sorted(pair['name'] for pair in report['pairs']),
         sorted(kind.name for kind in kinds))
    for got in report['pairs']:
        for kind in kinds:
            if kind.name != got['name']:
                continue
            what = f'pairs {kind.name}'
            same(f'{what}: unfinished', got['unfinished'], kind.unfinished)
            same(f'{what}: unbegun', got['unbegun'], kind.unbegun)
            same(f'{what}: left out', [got['begins_left_out'],
                                       got['ends_left_out']], kind.out)
            check_numbers(what, got, [pair[0] for pair in kind.done])
            if 'by' in got:
                check_by(what, report, got, pairs_by(report['by'], kind))


def shown(number):
    return number if isinstance(number, str) else str(number)


def value_by(by, event):
    """The text of a value, or None: the event lacks one of the fields."""
    try:
        return ', '.join([shown(event.fields[name])
                          for name in by.split(',')])
    except KeyError:
        return None


def pairs_by(by, kind):
    for pair in kind.done:
        key = value_by(by, pair[3]) or value_by(by, pair[4])
        if key is not None:
            yield key, pair[0]


def check_by(what, report, got, numbers):
    """The numbers of each value; those of values without a row are counted."""
    parts = collections.defaultdict(list)
    for key, number in numbers:
        parts[key].append(number)
    rows = {row['value'] for row in report['groups']}
    same(f'{what}: without a row', got['other'], sum(
        len(parts.pop(key)) for key in list(parts) if key not in rows))
    same(f'{what}: values', sorted(part['value'] for part in got['by']),
         sorted(parts))
    for part in got['by']:
        check_numbers(f'{what}, {part["value"]}', part,
                      parts.get(part['value'], []))


def check_sort(report, figure):
    """The rows by value, and the pairs, are in the order of --sort."""
    lists = [(report['pairs'], 'sum')]
    for one in report['pairs'] + report['fields']:
        lists.append((one.get('by', []), 'count'))
    for rows, usual in lists:
        keys = [row[figure or usual] for row in rows if row['count']]
        same('sorted', keys, sorted(keys, reverse=True))


def check_counts(report, events):
    same('events', report['events'], len(events))
    if events:
        same('begin', report['begin'], min(event.ns for event in events))
        same('end', report['end'], max(event.ns for event in events))
    names = collections.Counter(event.name for event in events)
    same('names', {row['name']: row['events'] for row in report['names']},
         dict(names))
    pids = collections.Counter(event.pid for event in events)
    same('processes', {row['pid']: row['events'] for row in
                       report['processes'] if row['events']}, dict(pids))
    same('bytes', sum(row['bytes'] for row in report['names']),
         report['bytes'])
    if 'by' in report:
        values = collections.Counter(value_by(report['by'], event)
                                     for event in events)
        values.pop(None, None)
        same('values', {row['value']: row['events']
                        for row in report['groups']},
             dict(list(values.items())[:GROUPS]))
        same('other values', report['other'],
             sum(list(values.values())[GROUPS:]))


def check_slowest(report, kinds):
    want = sorted((-pair[0], pair[1]) for kind in kinds for pair in kind.done)
    got = [(-pair['length'], pair['begin']) for pair in report['slowest']]
    same('slowest', got, want[:len(got)])


def check_fields(report, events):
    for field in report['fields']:
        name, event = field['name'], field.get('event')
        what = f'field {name} of {event}'
        values = [found.fields[name] for found in events
                  if event in (None, found.name) and name in found.fields]
        if 'values' not in field:
            check_numbers(what, field, values)
            if 'by' in field:
                by = report['by']
                check_by(what, report, field, [
                    (key, found.fields[name])
                    for found in events if event in (None, found.name)
                    and name in found.fields
                    and (key := value_by(by, found))])
            continue
        counts = collections.Counter(shown(item) for item in values)
        total = sum(row['events'] for row in field['values'])
        same(what, total + field['other'], len(values))
        rows = collections.Counter()
        for row in field['values']:
            rows[row['value']] += row['events']
        for text, number in rows.items():
            want = counts.get(text, 0)
            if text.endswith('"...'):       # long ones are cut
                want = sum(count for whole, count in counts.items()
                           if whole.startswith(text[:-4]))
            if not number <= want <= number + field['missed']:
                differ(f'{what}: {text}', number, want)
        if not field['other']:
            same(what, len(field['values']), len(counts))


class Lock:
    def __init__(self):
        self.waits = []         # [thread, from, to or None, taken]
        self.holds = []         # [thread, from, to or None], of all depths
        self.depth = collections.Counter()


def take_locks(events):
    locks = collections.defaultdict(Lock)
    for at, event in enumerate(events):
        if not event.name.startswith('pthread:'):
            continue
        match = re.match(r'pthread:(mutex|rwlock|spin|cond)_(\w+)_'
                         r'(entry|exit)$', event.name)
        if not match:
            continue
        kind, call, side = match.groups()
        field = {'spin': 'lock', 'cond': 'mutex'}.get(kind, kind)
        if field not in event.fields or re.search('init|destroy|signal|broad',
                                                  call):
            continue
        lock = locks[event.pid, {'cond': 'mutex'}.get(kind, kind),
                     event.fields[field]]
        thread = event.fields['vtid']
        if side == 'entry' and (call == 'unlock' or kind == 'cond'):
            if lock.depth[thread] == 1:
                for hold in lock.holds:
                    if hold[0] == thread and hold[2] is None:
                        hold[2] = at
            lock.depth[thread] = max(lock.depth[thread] - 1, 0)
        elif side == 'exit' and call != 'unlock':
            taken = kind == 'cond' or event.fields['ret'] == 0
            if kind != 'cond':
                lock.waits[max(i for i, wait in enumerate(lock.waits)
                               if wait[0] == thread)][2:] = at, taken
            if taken and not lock.depth[thread]:
                lock.holds.append([thread, at, None])
            lock.depth[thread] += taken
        elif side == 'entry':
            lock.waits.append([thread, at, None, False])
    return locks


def check_locks(report, events):
    locks = take_locks(events)
    ns = [event.ns for event in events]
    last = {event.pid: event.ns for event in events}
    same('locks', sorted((lock['pid'], lock['kind'], lock['address'])
                         for lock in report['locks']), sorted(locks))
    for got in report['locks']:
        lock = locks[got['pid'], got['kind'], got['address']]
        end = last[got['pid']]

        def until(span):    # what has no end lasts until the last event
            return end if span[2] is None else ns[span[2]]
        waits = [until(wait) - ns[wait[1]] for wait in lock.waits]
        holds = [until(hold) - ns[hold[1]] for hold in lock.holds]
        blame = collections.Counter()
        begins = [ns[wait[1]] for wait in lock.waits]
        # when the last of a wait and of those before it ends
        ends = list(itertools.accumulate(map(until, lock.waits), max))
        for hold in lock.holds:
            # those that end after its begin, and begin before its end
            for wait in lock.waits[bisect.bisect(ends, ns[hold[1]]):
                                   bisect.bisect(begins, until(hold))]:
                # a wait that took the lock was for holds that ended before
                if hold[0] != wait[0] and (
                        not wait[3] or (hold[2] or len(ns)) < wait[2]):
                    blame[hold[0]] += max(
                        min(until(wait), until(hold))
                        - max(ns[wait[1]], ns[hold[1]]), 0)
        want = {'taken': sum(wait[3] for wait in lock.waits),
                'failed': sum(wait[2] is not None and not wait[3]
                              for wait in lock.waits),
                'wait': sum(waits), 'wait_max': max(waits, default=0),
                'hold': sum(holds), 'hold_max': max(holds, default=0)}
        same(f'lock {got["address"]:x}', {key: got[key] for key in want},
             want)
        told = {row['vtid']: row['others_waited'] for row in got['holders']}
        want = {thread: time for thread, time in blame.items() if time}
        same(f'lock {got["address"]:x}: holders', sorted(told.values()),
             sorted(want.values())[-8:])
        same(f'lock {got["address"]:x}: for each holder', told,
             {thread: want.get(thread) for thread in told})
        still = [{'vtid': span[0], key: ns[span[1]]}
                 for spans, key in ((lock.holds, 'holds_since'),
                                    (lock.waits, 'waits_since'))
                 for span in spans if span[2] is None]
        same(f'lock {got["address"]:x}: still',
             [{key: row[key] for key in row if key[-2:] != 'by'}
              for row in sorted(got['still'], key=str)],
             sorted(still, key=str))


def main():
    # a hundred thousand events, none of which goes before the end
    gc.disable()
    with open(sys.argv[1], encoding='utf-8') as file:
        report = json.load(file)
    events = read(sys.argv[2])
    figure = None
    for arg in sys.argv[3:]:
        if arg.startswith('sort:'):
            figure = arg[5:]
            sys.argv.remove(arg)
        if arg.startswith('window:'):
            begin, end = map(int, arg.split(':')[1:])
            events = [event for event in events if begin <= event.ns <= end]
            sys.argv.remove(arg)
    gaps = [[int(word) for word in arg.split(':')[1:]]
            for arg in sys.argv[3:] if arg.startswith('gap:')]
    sys.argv[3:] = [arg for arg in sys.argv[3:] if not arg.startswith('gap:')]
    if len(sys.argv) > 3 and '|' not in sys.argv[3]:
        only = sys.argv.pop(3)
        events = [event for event in events if re.match(only, event.name)]
    kinds = [Kind(text) for text in sys.argv[3:]]
    measure(kinds, events, gaps)
    check_counts(report, events)
    if kinds:
        check_pairs(report, kinds)
        check_slowest(report, kinds)
    check_fields(report, events)
    check_sort(report, figure)
    check_locks(report, events)


main()
