# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which pairs there are in a snapshot whose rings begin at different times.

Usage: partial.py report DIR REPORT
       partial.py perfetto DIR FILE
       partial.py timeline DIR PAGE

DIR is the snapshot, read by babeltrace2; the numbers of the streams' first
packets are read from their files. The events of a process are complete from
the latest first event of its streams whose first packet is not number 0. Prints
a line for each difference, and "N pairs, M begins and L ends left out" for each
process.
"""
import base64
import collections
import glob
import json
import os
import re
import struct
import subprocess
import sys
import zlib

LINE = re.compile(r'\[(\d+)\.(\d{9})\] \(\S+\) \S+?:(.*?):\((\d+)\) (\S+): '
                  r'\{ cpu_id = (\d+) \}.*')
PACKET_NUMBER = 4 + 16 + 4 + 8 + 8 + 8 + 8 + 8     # where it is in a packet


class Process:
    def __init__(self):
        self.events = []            # (ns, cpu, name, id)
        self.begun_late = set()     # CPUs whose first packet is not number 0
        self.complete = None
        self.left = [0, 0]
        self.pairs = []             # (begin, end, id of BEGIN, id of END)
        self.unfinished = []
        self.unbegun = 0

    def pair_up(self):
        """The program has one thread, so a stack does."""
        first = {}
        for ns, cpu, _, _ in self.events:
            first.setdefault(cpu, ns)
        self.complete = max((first[cpu] for cpu in self.begun_late),
                            default=None)
        stack = []
        for ns, _, name, number in self.events:
            if not name.startswith('app:request_'):
                continue
            ends = name.endswith('_end')
            if self.complete is not None and ns < self.complete:
                self.left[ends] += 1
            elif not ends:
                stack.append((ns, number))
            elif stack:
                begin, begun = stack.pop()
                self.pairs.append((begin, ns, begun, number))
            else:
                self.unbegun += 1
        self.unfinished = stack


def read(directory):
    processes = collections.defaultdict(Process)
    for path in glob.glob(os.path.join(directory, '*', 'stream_*')):
        pid = int(os.path.dirname(path).split('-')[-2])
        with open(path, 'rb') as file:
            head = file.read(PACKET_NUMBER + 8 + 12)
        number, _, cpu = struct.unpack_from('<QQI', head, PACKET_NUMBER)
        if number:
            processes[pid].begun_late.add(cpu)
    text = subprocess.run(['babeltrace2', '--clock-seconds', directory],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in text.splitlines():
        match = LINE.match(line)
        number = re.search(r'\bid = (\d+)', line)
        processes[int(match[4])].events.append((
            int(match[1]) * 10**9 + int(match[2]), int(match[6]), match[5],
            int(number[1]) if number else None))
    for process in processes.values():
        process.pair_up()
        for begin, end, begun, ended in process.pairs:
            if begun != ended:
                print(f'the oracle is wrong: {begin} {begun}, {end} {ended}')
    return processes


def same(what, got, want):
    if got != want:
        print(f'{what}: {got!r}, not {want!r}')


def check_report(processes, path):
    with open(path, encoding='utf-8') as file:
        report = json.load(file)
    same('processes', sorted(one['pid'] for one in report['processes']),
         sorted(processes))
    for one in report['processes']:
        process = processes[one['pid']]
        left = process.left if process.complete is not None else [None, None]
        same(f'{one["pid"]}: complete from', one.get('complete_from'),
             process.complete)
        same(f'{one["pid"]}: left out', [one.get('begins_left_out'),
                                         one.get('ends_left_out')], left)
    kind = [one for one in report['pairs'] if one['name'] == 'app:request'][0]
    for key, want in (
            ('count', sum(len(one.pairs) for one in processes.values())),
            ('unfinished', sum(len(p.unfinished) for p in processes.values())),
            ('unbegun', sum(one.unbegun for one in processes.values())),
            ('begins_left_out', sum(p.left[0] for p in processes.values())),
            ('ends_left_out', sum(p.left[1] for p in processes.values())),
            ('given_up', 0)):
        same(key, kind[key], want)
    told = {(one['pid'], one['begin'], one['end']) for one in report['slowest']}
    want = {(pid, begin, end) for pid, process in processes.items()
            for begin, end, _, _ in process.pairs}
    same('pairs that are none', sorted(told - want)[:5], [])
    same('pairs that are missing', sorted(want - told)[:5], [])
    same('unfinished pairs', len(report['unfinished']), min(10, sum(
        len(process.unfinished) for process in processes.values())))


def check_perfetto(processes, path):
    from perfetto import Trace
    trace = Trace(path)
    got = sorted((ns, ns + duration) for _, _, name, _, duration, ns
                 in trace.slices() if duration is not None)
    want = sorted((begin, end) for process in processes.values()
                  for begin, end, _, _ in process.pairs)
    same('slices', (len(got), got == want), (len(want), True))
    same('slices without an end', sum(
        duration is None for _, _, _, _, duration, _ in trace.slices()),
        sum(len(process.unfinished) for process in processes.values()))
    same('marks', sorted(
        (event['ns'], dict(event['args'])['begins left out'],
         dict(event['args'])['ends left out']) for event in trace.events
        if event.get('name') == 'events complete'), sorted(
            (process.complete, *process.left)
            for process in processes.values() if process.complete is not None))


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 128:
            return value, at


def check_timeline(processes, path):
    with open(path, encoding='utf-8') as file:
        block = re.search(r'<script[^>]*\bhead\b[^>]*>([^<]*)</script>',
                          file.read())[1]
    data = zlib.decompress(base64.b64decode(block), -15)
    texts = b''.join(bytes([len(text)]) + text for text in (
        b'app:request', b'app:request_begin', b'app:request_end'))
    at = data.index(texts) + len(texts)
    counts = []
    for _ in range(3):
        one, at = number(data, at)
        counts.append(one)
    same('counts', counts, [
        sum(len(process.pairs) for process in processes.values()),
        sum(len(process.unfinished) for process in processes.values()),
        sum(process.unbegun for process in processes.values())])
    for pid, process in processes.items():
        said = re.search(rb'\(%d\): events are complete from \S+ on'
                         rb'(?:; before that, (\d+) begins? and (\d+) ends? of '
                         rb'pairs are left out)?' % pid, data)
        same(f'{pid}: said', [int(n) if n else 0 for n in said.groups()]
             if said else None,
             process.left if process.complete is not None else None)


def main():
    processes = read(sys.argv[2])
    {'report': check_report, 'perfetto': check_perfetto,
     'timeline': check_timeline}[sys.argv[1]](processes, sys.argv[3])
    for pid in sorted(processes):
        one = processes[pid]
        print(f'{len(one.pairs)} pairs, {one.left[0]} begins and '
              f'{one.left[1]} ends left out')


main()
