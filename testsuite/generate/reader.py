# SPDX-License-Identifier: LGPL-2.1-or-later
"""What babeltrace2, `taffrail list` and the programs print, compared with what
the generator knows."""
import functools
import re
import subprocess

import values

EVENT = re.compile(rb"(?:on|ust|off):(p\d+_m\d+\w*): \{ cpu_id = \d+ \}, "
                   rb"\{ ?(.*?) ?\}$")
LISTED = re.compile(r"(?:on|ust|off)/(p\d+_m\d+\w*) +0x\w+ +marker \w+ "
                    r"(\S+):(\d+) \((.*?)\)( \".*)?$")
LABELS = re.compile(rb'\( (?:\{ )?("[^"]*"(?:, "[^"]*")+)(?: \})? : container')
FIELD = re.compile(r"(?P<type>[^ ,{}]+) (?P<name>[^ ,{}]+)"
                   r"(\{(?P<shown>[^{}]+)\})?(, (?=.)|$)")


def events(text):
    """The fields of the events, in order, of each marker."""
    found = {}
    for line in text.split(b"\n"):
        match = EVENT.search(line)
        if match:
            found.setdefault(match.group(1).decode(), []).append(
                match.group(2))
        elif line:
            print("FAIL: not an event of a program: %r" % line[:300])
    return found


class Told:
    """What a program printed of itself."""

    def __init__(self, text):
        self.text = text
        self.addresses, self.counts = {}, None
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["address"]:
                self.addresses[words[2]] = int(words[3])
            elif words[:1] == ["count"]:
                self.counts = [int(n) for n in words[2:]]

    def wrong(self, program, on):
        wanted = [pair[on] for pair in program.counters]
        if self.counts is None:
            yield "tells no counts, but: " + self.text[:2000]
        elif self.counts != wanted:
            yield "arguments evaluated %s: %s times, not %s" % (
                "while on" if on else "while off", self.counts, wanted)


@functools.lru_cache(None)
def stale_strings():
    """Whether babeltrace2 is older than 2.0.5: in place of an empty string it
    may print the one that an earlier event of the marker had in this field."""
    text = subprocess.run(["babeltrace2", "--version"], check=False,
                          stdout=subprocess.PIPE).stdout.decode()
    return [int(n) for n in re.findall(r"\d+", text)[1:4]] < [2, 0, 5]


def labels_sorted(text):
    """The text with several labels of one number in order: babeltrace2 2.0
    prints ( "b", "a" : container = 1 ), 2.1 ( { "a", "b" } : container = 1 )
    in an order of its own."""
    return LABELS.sub(lambda found: b"( %s : container" % b", ".join(
        sorted(found[1].split(b", "))), text)


def is_event(got, marker, row, told):
    """Whether a line is the event of that row of values."""
    pattern = []
    for column, ((name, _, base), value) in enumerate(zip(marker.fields,
                                                          row)):
        choice = [value]
        if value in (("string", b""), ("char", 0)) and stale_strings():
            choice = {r[column] for r in marker.rows}
        pattern.append(b"(?:%s)" % b"|".join(
            re.escape(labels_sorted(values.field_shown(name, x, base, told)))
            for x in choice))
    return re.fullmatch(b", ".join(pattern), labels_sorted(got), re.DOTALL)


def compare(program, found, told):
    for marker in program.markers:
        rows = marker.rows if marker.recorded else []
        got = found.get(marker.event, [])
        if marker.kind == "TAFFRAIL_SCOPE":
            ends = found.get(marker.name + "_end", [])
            if ends != [b""] * len(rows):
                yield "%s: the ends of the scope are %r" % (marker.id, ends)
        if len(got) != len(rows) or not all(
                is_event(event, marker, row, told)
                for event, row in zip(got, rows)):
            yield "%s (%s, %s):\ngot  %r\nwant %r\n%s" % (
                marker.id, marker.kind, marker.place.name, got,
                list(program.expected(marker, told)) if rows else [],
                program.statement(marker))


def compare_list(program, text):
    listed = {}
    for line in text.splitlines():
        match = LISTED.match(line)
        if match:
            listed.setdefault(match.group(1), set()).add(
                match.group(2, 3, 4))
    for marker in program.markers:
        if marker.event not in listed:
            yield "%s is not listed" % marker.id
            continue
        for file, line, signature in listed[marker.event]:
            wrong = wrong_signature(program.signature(marker), signature)
            if wrong:
                yield "%s is listed as (%s): %s" % (marker.id, signature,
                                                    wrong)
            if not stands(program, marker, file, line):
                yield "%s is listed at %s:%s" % (marker.id, file, line)


def wrong_signature(wanted, text):
    got, end = [], 0
    while end < len(text):
        match = FIELD.match(text, end)
        if not match:
            return "no field is " + text[end:]
        got.append(match.group("name", "type", "shown"))
        end = match.end()
    if [name for name, _, _ in got] != [name for name, _, _ in wanted]:
        return "names are not %s" % ", ".join(name for name, _, _ in wanted)
    for (name, kind, how), (_, type, shown) in zip(wanted, got):
        if kind is not None and kind != type:
            return "%s is not %s" % (name, kind)
        if how != (shown or ""):
            return "%s is not shown as {%s}" % (name, how)
    return None


def stands(program, marker, file, line):
    source = program.sources.get(file.removeprefix("./"))
    return source is not None and re.search(
        r"\b%s\b" % marker.name, source.split("\n")[int(line) - 1])
