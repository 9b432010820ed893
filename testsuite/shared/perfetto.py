# SPDX-License-Identifier: LGPL-2.1-or-later
# Reads a trace of Perfetto by protoc and perfetto.proto, as text. As a program,
# perfetto.py FILE: prints its slices as ui.perfetto.dev would show them.
import os
import re
import subprocess
import sys

TOKEN = re.compile(r'\s*(?:(\w+) \{|(\})|(\w+): (?:"((?:[^"\\]|\\.)*)"|(\S+)))')
ESCAPE = re.compile(rb'\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|(.))', re.S)
LETTERS = {b'n': b'\n', b't': b'\t', b'r': b'\r', b'a': b'\a', b'b': b'\b',
           b'f': b'\f', b'v': b'\v'}


def unescape(text):
    """A string of the text format, which protoc has checked to be UTF-8."""
    def one(m):
        if m[1]:
            return bytes([int(m[1], 8)])
        return bytes([int(m[2], 16)]) if m[2] else LETTERS.get(m[3], m[3])
    return ESCAPE.sub(one, text.encode()).decode()


def number(text):
    # most are such, of a hundred thousand
    if text.isdecimal():
        return int(text)
    if text == '-0':
        return -0.0
    if re.fullmatch(r'-?\d+', text):
        return int(text)
    return float(text) if re.fullmatch(r'-?(inf|nan|[\d.e+-]+)', text) else text


def parse(text):
    """Messages as lists of (field, value)."""
    stack = [[]]
    for m in TOKEN.finditer(text):
        if m[1]:
            stack.append([])
            stack[-2].append((m[1], stack[-1]))
        elif m[2]:
            stack.pop()
        else:
            value = number(m[5]) if m[4] is None else unescape(m[4])
            stack[-1].append((m[3], value))
    return stack[0]


def decode(path):
    proto = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         'perfetto.proto')
    with open(path, 'rb') as file:
        text = subprocess.run(
            ['protoc', '-I', os.path.dirname(proto), '--decode=Trace', proto],
            stdin=file, stdout=subprocess.PIPE, check=True).stdout.decode()
    return [dict(packet) for name, packet in parse(text)]


def value_of(annotation):
    """An annotation's value, None if it has none."""
    values = [v for k, v in annotation if k not in (
        'name_iid', 'name', 'dict_entries', 'array_values')]
    elements = [value_of(v) for k, v in annotation if k == 'array_values']
    real = any(k == 'double_value' for k, v in annotation)
    if values:
        return float(values[0]) if real else values[0]
    return elements or None


class Trace:
    """Names, tracks, and events as dictionaries, in their order."""
    def __init__(self, path):
        self.names = {}
        self.tracks = {}
        self.events = []
        packets = decode(path)
        if packets:
            self.check_first(packets[0])
        for packet in packets:
            if packet['trusted_packet_sequence_id'] != 1:
                raise ValueError('another sequence')
            self.take(packet)

    @staticmethod
    def check_first(packet):
        clocks = packet['clock_snapshot']
        if (packet['sequence_flags'] != 1 or
                dict(packet['trace_packet_defaults']) !=
                {'timestamp_clock_id': 1} or
                dict(clocks)['primary_trace_clock'] != 1 or
                [dict(c)['clock_id'] for k, c in clocks if k == 'clocks'] !=
                [6, 1]):
            raise ValueError(packet)

    def take(self, packet):
        unknown = set(packet) - {
            'trusted_packet_sequence_id', 'sequence_flags', 'timestamp',
            'clock_snapshot', 'trace_packet_defaults', 'interned_data',
            'track_descriptor', 'track_event'}
        if unknown:
            raise ValueError(unknown)
        for space, name in packet.get('interned_data', []):
            name = dict(name)
            self.names[space, name['iid']] = name['name']
        if 'track_descriptor' in packet:
            track = dict(packet['track_descriptor'])
            self.tracks[track['uuid']] = track
        if 'track_event' in packet:
            self.take_event(packet['timestamp'], packet['track_event'])

    def take_event(self, ns, message):
        event = dict(message)
        event['ns'] = ns
        event['track'] = self.tracks[event['track_uuid']]
        if 'name_iid' in event:
            event['name'] = self.names['event_names', event['name_iid']]
            event['category'] = self.names.get(
                ('event_categories', event.get('category_iids')))
        event['args'] = [
            (self.names['debug_annotation_names', dict(v)['name_iid']],
             value_of(v))
            for k, v in message if k == 'debug_annotations']
        self.events.append(event)

    def tree(self, track):
        """The names of a track and those around it, outermost first."""
        if 'process' in track:
            name = dict(track['process'])['process_name']
        elif 'thread' in track:
            name = 'thread'
        else:
            name = track['name']
        parent = self.tracks.get(track.get('parent_uuid'))
        return (self.tree(parent) if parent else []) + [name]

    def slices(self):
        """Slices: track, depth, name, args, duration or None."""
        stacks = {}
        found = []
        for event in sorted(self.events, key=lambda e: e['ns']):
            stack = stacks.setdefault(event['track_uuid'], [])
            if event['type'] == 'TYPE_SLICE_BEGIN':
                stack.append(len(found))
                found.append([self.tree(event['track']), len(stack),
                              event['name'], event['args'], None, event['ns']])
            elif event['type'] == 'TYPE_SLICE_END':
                begun = found[stack.pop()]
                begun[4] = event['ns'] - begun[5]
                begun[3] = begun[3] + event['args']
        return found


def main():
    trace = Trace(sys.argv[1])
    for tree, depth, name, args, duration, ns in trace.slices():
        shown = ' '.join(f'{k}={v}' for k, v in args
                         if k.split('.')[-1] not in ('cpu_id', 'vtid'))
        print('/'.join(tree), depth, name, shown,
              'open' if duration is None else 'done', sep='|')
    flows = {}
    for event in trace.events:
        for field in ('flow_ids', 'terminating_flow_ids'):
            if field in event:
                flows.setdefault(event[field], []).append(
                    (event['type'], field, event['name']))
    for flow in flows.values():
        print('flow', *(f'{t[5:]} {n}' for t, f, n in flow), sep='|')


if __name__ == '__main__':
    main()
