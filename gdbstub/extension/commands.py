# SPDX-License-Identifier: LGPL-2.1-or-later
# The last part of taffrail-gdb.py (text.py says more): the commands.
import difflib
import re

import gdb

TAFFRAIL_FRAMES_MAX = 20000     # looked at by `taffrail last`


def taffrail_nearest(name, markers):
    """Returns the end of an error: names that are like the unknown one, and
    how many there are in all."""
    names = sorted({m.name for m in markers})
    near = [n for n in names if name and name in n][:3]
    near += [n for n in difflib.get_close_matches(name, names, 3, 0.5)
             if n not in near]
    listed = {m.name for m in markers if not m.is_runtime()}
    return "%s; %d in all, see info static-tracepoint-markers%s" % (
        "; nearest: " + ", ".join(near[:3]) if near else "",
        len(listed or names), "" if listed else " -all")


def taffrail_unified(name):
    """Returns a marker's name, or a glob, as channel/name: traces show it as
    channel:name."""
    return name if "/" in name else name.replace(":", "/", 1)


def taffrail_complete_marker(text, word, begin):
    """Returns words that complete text[begin:] to the name of a marker. gdb
    completes only its last word, which newer gdbs do not pass at first."""
    try:
        names = {m.name for m in taffrail_markers()}
    except (gdb.error, gdb.GdbError):
        return []
    typed = text[begin:]
    if taffrail_unified(typed) != typed:
        names = {n.replace("/", ":", 1) for n in names}
    cut = len(typed) - len(word or "")
    return sorted(n[cut:] for n in names if n.startswith(typed))


class TaffrailMeant:
    """Plain tracepoints that `strace` has set. On each connection the filter
    before gdbserver is told that they are meant as static ones. The agent
    itself need not be told."""
    points = {}                 # number -> address
    connection = None
    untold = set()              # addresses

    @classmethod
    def refusal(cls, address):
        """Tells the filter. Returns why it takes none there, or not yet; or
        ''."""
        answer = taffrail_send("QTaffrail:static:%x" % address) or ""
        return answer[2:] if answer.startswith("E.") else ""

    @classmethod
    def stopped(cls, event):
        connection = gdb.selected_inferior().connection
        number = connection and connection.num
        if cls.connection != number:
            cls.connection = number
            cls.untold = set(cls.points.values())
        if not cls.untold:
            return
        there = taffrail_tracepoints()
        cls.untold = {address for address in cls.untold
                      if any(cls.points.get(n) == address
                             for n in there.get(address, []))
                      and cls.refusal(address)}


gdb.events.stop.connect(TaffrailMeant.stopped)


class TaffrailStrace(TaffrailCommand):
    """Set a static tracepoint at location or marker.

strace [LOCATION] [if CONDITION]
LOCATION is -m MARKER_ID, or a linespec, explicit, or address location, as
"help trace" describes them, on whose line, or at whose address, a marker is.

A marker that the program's code has several times (inlined functions,
templates) gets a tracepoint at each of these places.  With no LOCATION, uses
the current execution address of the selected stack frame.  Where no marker is,
the tracepoint is one of "trace", if the program itself serves gdb.

Static tracepoints accept an extra collect action -- "collect $_sdata": the
fields of the marker.  "taffrail events" prints them, $_taffrail("FIELD") is
the value of one in a trace frame.

CONDITION is a boolean expression over the program's variables, and
$_taffrail("FIELD"), a field of the marker that is an integer.  A marker that
has no registers (one declared at run time, an event of LTTng-UST) has no
variables: there FIELD alone is the field, too.

This is Taffrail's: it finds the marker and sets a tracepoint at its address,
as "trace *ADDRESS" does.  GDB's own command of this name can crash GDB."""

    TAIL = re.compile(r"(?:if|thread|task|inferior|-force-condition)(?![\w.])")
    FORCE = re.compile(r"((?:(?:thread|task|inferior)\s+\S+\s+)*)"
                       r"-force-condition(?![\w.])\s*")
    CONDITION = re.compile(r"(?<![\w.])if(?![\w.])\s*(.+)")

    def __init__(self):
        super().__init__("strace", gdb.COMMAND_BREAKPOINTS)

    def run(self, argument):
        markers = taffrail_markers()
        location, tail = self.split(argument)
        if re.search(r"(?<![\w.])if\s*$", tail):
            # gdb would read behind the end of the text
            raise gdb.GdbError("if what? strace LOCATION if CONDITION")
        match = re.match(r"-m(?:\s+(\S*))?\s*(.*)", location)
        if match and (match.group(1) or location == "-m"):
            if not match.group(1):
                raise gdb.GdbError("which marker? strace -m MARKER_ID")
            if match.group(2):
                raise gdb.GdbError("junk behind the marker: "
                                   + match.group(2))
            chosen = self.by_name(match.group(1), markers)
        elif re.match(r"-p(?:robe(?:-stap)?)?\s", location):
            # gdb.decode_line dies of these; a probe is a marker, too
            probe = location.split(None, 1)[1].split(":")
            chosen = self.by_name("/".join(probe[-2:]), markers)
        else:
            chosen = self.by_location(location, markers)
            if not chosen:
                gdb.execute("trace " + argument)
                return
        for marker in chosen:
            self.check_hits(marker)
        numbers = [self.set(marker, tail) for marker in chosen]
        if len(numbers) > 1:
            taffrail_print("%d places: \"commands %d-%d\" gives all of them "
                           "their actions." % (len(numbers), numbers[0],
                                               numbers[-1]))
        if "is running" in taffrail_told("tstatus"):
            taffrail_print("The trace is running: actions typed now are not "
                           "sent before the next tstart.")

    def split(self, argument):
        """Returns the location, and the rest from `if` or the like on."""
        depth, i = 0, 0
        while i < len(argument):
            c = argument[i]
            if c == '"' and TAFFRAIL_QUOTED.match(argument, i):
                i = TAFFRAIL_QUOTED.match(argument, i).end()
                continue
            depth += (c in "([{") - (c in ")]}")
            if depth <= 0 and (i == 0 or argument[i - 1] in " \t)") and \
                    self.TAIL.match(argument, i):
                return argument[:i].strip(), argument[i:]
            i += 1
        return argument, ""

    def by_name(self, name, markers):
        chosen = [m for m in markers if m.name == name] or \
            [m for m in markers if m.name == taffrail_unified(name)]
        if not chosen:
            raise gdb.GdbError("no marker %s%s" % (
                name, taffrail_nearest(name, markers)))
        return chosen

    def by_location(self, location, markers):
        sals = self.decode(location)
        places = {sal.pc for sal in sals if sal.pc}
        lines = {(sal.symtab.fullname(), sal.line) for sal in sals
                 if sal.symtab and sal.line}
        chosen = []
        # prefer lines: code of other lines may begin at the same address
        if location and not location.startswith("*"):
            chosen = [m for m in markers if self.line_of(m) in lines]
        chosen = chosen or [m for m in markers if m.address in places]
        if chosen:
            return chosen
        functions = {taffrail_function(pc) for pc in places} - {None}
        near = sorted({m.name for m in markers
                       if taffrail_function(m.address) in functions})
        told = "no marker at %s%s" % (
            location or "this address",
            "; in %s there is %s" % (", ".join(sorted(functions)),
                                     ", ".join(near)) if near
            else taffrail_nearest("", markers))
        if not location or not any(map(taffrail_code, places)):
            raise gdb.GdbError(told)
        taffrail_print("A tracepoint without a marker: " + told)
        return []

    @staticmethod
    def line_of(marker):
        sal = gdb.find_pc_line(marker.address)
        return sal.symtab and (sal.symtab.fullname(), sal.line)

    def decode(self, location):
        """Returns symtab-and-lines. gdb.decode_line takes no explicit
        locations, so they become linespecs. It breaks Python when it cannot
        evaluate an address, so an address becomes a number."""
        location = re.sub(r"^-q(?:ualified)?\s+", "", location) or "*$pc"
        if re.match(r"-\D", location):
            location = self.linespec(location)
        if location.startswith("*"):
            location = "*%d" % self.address(location[1:])
        rest, sals = gdb.decode_line(location)
        if rest:
            raise gdb.GdbError("junk at end of arguments: " + rest)
        return sals or []

    @staticmethod
    def address(expression):
        value = gdb.parse_and_eval(expression)
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_FUNC,
                                                gdb.TYPE_CODE_ARRAY):
            value = value.address
        return int(value) & (1 << 64) - 1

    @staticmethod
    def linespec(location):
        parts = {}
        words = gdb.string_to_argv(location)
        for i in range(0, len(words), 2):
            for name in ("source", "function", "label", "line"):
                if len(words[i]) > 2 and ("-" + name).startswith(words[i]):
                    parts[name] = "".join(words[i + 1:i + 2])
                    break
            else:
                raise gdb.GdbError("invalid explicit argument " + words[i])
        if len(words) % 2 or ("function" in parts and "line" in parts):
            raise gdb.GdbError("give the location as FILE:LINE")
        return ":".join(parts[name]
                        for name in ("source", "function", "label", "line")
                        if name in parts)

    MOVED = ("the code was moved after linking, as llvm-bolt does; "
             "compile it with -DTAFFRAIL_FLAG_SITES")

    def check_hits(self, marker):
        why = taffrail_send("qTaffrail:at:%x" % marker.address) or ""
        if len(why) > 1:
            raise gdb.GdbError("marker %s has no frames: %s" % (
                marker.name, taffrail_unhex(why)))
        if taffrail_send("qTaffrail:moved:%x" % marker.address) == "1":
            raise gdb.GdbError("marker %s has no frames, or not all: %s" % (
                marker.name, self.MOVED))

    def set(self, marker, tail):
        refusal = TaffrailMeant.refusal(marker.address)
        if refusal:
            raise gdb.GdbError(refusal)
        force = self.FORCE.match(tail)
        if force:
            # gdb does not take -force-condition behind an address
            tail = force.group(1) + tail[force.end():]
        match = self.CONDITION.search(tail)
        if match:
            tail = tail[:match.start(1)] + TaffrailFieldNames.rewrite(
                match.group(1), marker.address)
        last = self.last_number()
        try:
            text = self.trace(marker.address, tail)
        except gdb.error:
            number = self.last_number()
            if number != last:
                # gdb has made it, but the run that is on refused it
                self.check(number, marker, tail, bool(force))
                raise
            match = re.match(r"(.*?)\bif\b(.*)", tail)
            if not force or not match:
                raise
            text = self.trace(marker.address, match.group(1) + "if 0")
            gdb.execute("condition -force $tpnum " + match.group(2))
        number = self.last_number()
        self.check(number, marker, tail, bool(force))
        TaffrailMeant.points[number] = marker.address
        for line in (text or "").splitlines():
            if not line.startswith("Tracepoint %d at " % number):
                taffrail_print(line)
        sal = gdb.find_pc_line(marker.address)
        taffrail_print("Tracepoint %d at 0x%x: marker %s%s" % (
            number, marker.address, marker.name,
            " (%s:%d)" % (sal.symtab.filename, sal.line)
            if sal.symtab else ""))
        return number

    @staticmethod
    def last_number():
        """Returns the number of the tracepoint that was made last, or None."""
        number = taffrail_gdb_variable("tpnum")
        if number == "hidden":
            raise gdb.GdbError("gdb does not tell the number of a tracepoint: "
                               "a trace state variable has the name of gdb's "
                               "own $tpnum; delete tvariable $tpnum")
        return number

    @staticmethod
    def check_thread(number, marker):
        """Deletes the tracepoint when it is meant for a thread: gdb does not
        tell the target of that."""
        match = re.search(r"^\tstop only in (?:thread|task) .*",
                          taffrail_told("info tracepoints %d" % number),
                          re.MULTILINE)
        if not match:
            return
        gdb.execute("delete %d" % number, False, True)
        raise gdb.GdbError(
            "tracepoint %d at marker %s: gdb does not tell the target of a "
            "thread, so hits of all threads would be collected (the "
            "tracepoint is deleted); taffrail events shows the thread of each "
            "frame" % (number, marker.name))

    @classmethod
    def check(cls, number, marker, tail, forced):
        """Deletes the tracepoint when it would not do what it says."""
        cls.check_thread(number, marker)
        match = cls.CONDITION.search(tail)
        reason = match and TaffrailCondition.reason(
            number, match.group(1), [], marker.address)
        if not reason:
            return
        if forced:
            taffrail_print("Tracepoint %d: its condition: %s" % (number,
                                                                 reason))
            return
        gdb.execute("delete %d" % number, False, True)
        raise gdb.GdbError(
            "tracepoint %d at marker %s: gdb cannot translate its condition: "
            "%s (the tracepoint is deleted)%s" % (
                number, marker.name, reason,
                taffrail_without_debug(marker.address)))

    @staticmethod
    def trace(address, tail):
        """Sets a tracepoint. Returns gdb's text, or None when gdb has printed
        it."""
        hexadecimal = taffrail_integer("0x10") == 16
        # newer gdbs put the records for MI into the string, too, so MI
        # would not get them
        quiet = gdb.execute("echo x", False, True) == "x"
        TaffrailCondition.silent = True
        try:
            return gdb.execute(("trace *%s %s" % (
                "0x%x" % address if hexadecimal else address,
                tail)).strip(), False, quiet)
        finally:
            TaffrailCondition.silent = False

    def complete(self, text, word):
        match = re.match(r"-m\s+(?=\S*$)", text)
        if match:
            return taffrail_complete_marker(text, word, match.end())
        if re.search(r"(?:^|\s)if\b", text):
            return gdb.COMPLETE_SYMBOL
        return gdb.COMPLETE_NONE if text.startswith("-m") \
            else gdb.COMPLETE_LOCATION


class TaffrailInfoMarkers(TaffrailCommand):
    """List target static tracepoints markers.

info static-tracepoint-markers [-all]
Without -all, probes of the C library and of the dynamic linker (libc/*,
rtld/*) are left out, unless a tracepoint is there.

A marker is enabled ("y") when a tracepoint is at its address, set by strace
or by "trace *ADDRESS".

This is Taffrail's: GDB's own command knows only tracepoints that GDB's own
strace has set."""

    def __init__(self):
        super().__init__("info static-tracepoint-markers",
                         gdb.COMMAND_STATUS)

    def run(self, argument):
        if argument not in ("", "-all"):
            raise gdb.GdbError("usage: info static-tracepoint-markers [-all]")
        tracepoints = taffrail_tracepoints()
        found = taffrail_markers()
        markers = [m for m in found if argument or not m.is_runtime()
                   or m.address in tracepoints]
        self.show(markers, tracepoints)
        if len(found) > len(markers):
            taffrail_print(
                "%d probes of the C library and the dynamic linker: "
                "info static-tracepoint-markers -all"
                % (len(found) - len(markers)))

    @staticmethod
    def show(markers, tracepoints):
        if not markers:
            taffrail_print("No static tracepoint markers.")
            return
        taffrail_print("%-7s %-40s %-3s %-18s %s" % (
            "Cnt", "ID", "Enb", "Address", "What"))
        for count, marker in enumerate(markers, 1):
            numbers = tracepoints.get(marker.address)
            taffrail_print("%-7d %-40s %-3s   0x%016x%s" % (
                count, marker.name, "y" if numbers else "n", marker.address,
                taffrail_where(marker.address)))
            taffrail_print('         Data: "%s"' % marker.extra)
            if numbers:
                taffrail_print("         Probed by static tracepoints: "
                               + ", ".join("#%d" % n for n in numbers))


class TaffrailPrefix(gdb.Command):
    """Events of Taffrail's markers: trace frames as typed fields.

In a trace frame, $_taffrail("FIELD") is the value of the marker's field of
that name: a number, a string or an array.  strace sets tracepoints."""

    def __init__(self):
        super().__init__("taffrail", gdb.COMMAND_TRACEPOINTS, prefix=True)

    def invoke(self, argument, from_tty):
        if argument.strip():
            raise gdb.GdbError("no such command: taffrail %s; see `help "
                               "taffrail'" % argument.strip())
        gdb.execute("help taffrail")


class TaffrailEvents(TaffrailCommand):
    """Print trace frames, one line each, with the fields of their markers.

taffrail events [-m GLOB] [N | FROM-TO]
Without an argument, all.  N: the last N.  FROM-TO: those with these numbers.
-m GLOB: those of markers whose name matches, such as app/*.

A frame shows the fields of its marker when the tracepoint collected $_sdata.
The selected trace frame stays selected."""

    def __init__(self):
        super().__init__("taffrail events", gdb.COMMAND_TRACEPOINTS)

    def run(self, argument):
        glob, rest = "*", argument
        match = re.match(r"-m\s+(\S+)\s*(.*)", rest)
        if match:
            glob, rest = match.groups()
            glob = taffrail_unified(re.sub(r"^(['\"])(.*)\1$", r"\2", glob))
        span = re.fullmatch(r"(?:(\d+)\s*-\s*)?(\d+)|", rest)
        if not span:
            raise gdb.GdbError("usage: taffrail events [-m GLOB] "
                               "[N | FROM-TO]")
        if span.group(1) and int(span.group(1)) > int(span.group(2)):
            raise gdb.GdbError("frame %s is behind frame %s: usage: taffrail "
                               "events [-m GLOB] [N | FROM-TO]"
                               % span.groups())
        with TaffrailSelection():
            frames = TaffrailFrames()
            count = 0
            for frame in self.choose(frames, glob, *span.groups()):
                if not count:
                    taffrail_print(TAFFRAIL_HEADING)
                taffrail_print(frame.line())
                count += 1
        if not count:
            taffrail_print("No trace frames%s." % (
                " of these. The frames are 0 to %d"
                % (frames.count - 1)
                if frames.count else ""))
        if frames.missing:
            taffrail_print("Something is missing: %s" % frames.missing)

    @staticmethod
    def choose(frames, glob, first, last):
        if first is not None:
            return frames.some(range(int(first),
                                     min(int(last) + 1, frames.count)), glob)
        if last is None:
            return frames.some(range(frames.count), glob)
        found = []
        if int(last):
            for frame in frames.some(reversed(range(frames.count)), glob):
                found.append(frame)
                if len(found) == int(last):
                    break
        return reversed(found)

    def complete(self, text, word):
        match = re.match(r"-m\s+(?=\S*$)", text)
        return taffrail_complete_marker(text, word, match.end()) \
            if match else gdb.COMPLETE_NONE


class TaffrailLast(TaffrailCommand):
    """Print each thread's last events, beside where the thread is now.

taffrail last [N]
N is 1 when it is not given.  A thread that GDB does not see, as all of a
program that runs on, has its events only.

The selected trace frame, thread and frame stay selected."""

    def __init__(self):
        super().__init__("taffrail last", gdb.COMMAND_TRACEPOINTS)

    def run(self, argument):
        if not re.fullmatch(r"0*[1-9]\d*|", argument):
            raise gdb.GdbError("usage: taffrail last [N], of 1 or more")
        want = int(argument or 1)
        with TaffrailSelection():
            frames = TaffrailFrames()
            events, least = self.collect(frames, want)
            threads = self.threads()
        for tid in sorted(set(threads) | set(events), key=lambda t: t or 0):
            if tid not in events and not threads[tid][0]:
                continue
            taffrail_print("Thread %s%s" % (
                tid or "unknown", threads.get(tid, ("", ""))[1]))
            for frame in reversed(events.get(tid, [])):
                taffrail_print(frame.line())
            if tid not in events:
                taffrail_print("%7s" % "-")
        if least:
            taffrail_print("Trace frames before %d were not looked at."
                           % least)
        if not events:
            taffrail_print("No trace frames.")

    @staticmethod
    def collect(frames, want):
        """Returns TID -> its last frames, the last first; and the number of
        the first frame that was looked at."""
        events = {}
        least = max(0, frames.count - TAFFRAIL_FRAMES_MAX)
        for frame in frames.some(range(frames.count - 1, least - 1, -1)):
            mine = events.setdefault(frame.vtid, [])
            if len(mine) < want:
                mine.append(frame)
        return events, least

    @staticmethod
    def threads():
        """Returns TID -> (whether it is one of several, the text of its
        name and place)."""
        found = {}
        if taffrail_trace_frame() >= 0:
            taffrail_tfind(-1)
        all_threads = gdb.selected_inferior().threads()
        for thread in all_threads:
            where = " (running)"
            try:
                thread.switch()
                frame = gdb.newest_frame()
                where = taffrail_where(frame.pc()) or \
                    " at 0x%x" % frame.pc()
            except gdb.error:
                pass
            name = ' "%s"' % thread.name if thread.name else ""
            found[thread.ptid[1] or thread.ptid[2]] = (
                len(all_threads) > 1, name + where)
        return found


def taffrail_load():
    for command in (TaffrailStrace, TaffrailInfoMarkers, TaffrailInfoLocals,
                    TaffrailPrefix, TaffrailEvents, TaffrailLast,
                    TaffrailFieldFunction, TaffrailTextFunction,
                    TaffrailConnected, TaffrailCheck):
        command()
    taffrail_load_libraries()
    TaffrailHere.tell()
    TaffrailDprintf.load()
    TaffrailLogPoint.load()
    TaffrailStaticData.load()
    TaffrailCondition.load()
    TaffrailCollected.load()


taffrail_load()
