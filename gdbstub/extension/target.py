# SPDX-License-Identifier: LGPL-2.1-or-later
# The second part of taffrail-gdb.py (text.py says more): facts of the target
# and of gdb about markers, tracepoints and trace frames.
import fnmatch
import os
import re
import struct
import time

import gdb


def taffrail_send(packet):
    """Returns the answer of a remote target, or None when there is none."""
    connection = gdb.selected_inferior().connection
    if not isinstance(connection, gdb.RemoteTargetConnection):
        return None
    answer = connection.send_packet(packet)
    if not answer:
        return None
    return answer.decode("latin-1") if isinstance(answer, bytes) else answer


class TaffrailHere:
    """Says once on each connection that gdb has the extension: the filter
    before gdbserver tells its user of it otherwise."""
    told = None

    @classmethod
    def tell(cls, *event):
        connection = gdb.selected_inferior().connection
        number = connection and connection.num
        if number == cls.told:
            return
        cls.told = number
        try:
            taffrail_send("qTaffrail:extension")
        except gdb.error:
            pass


gdb.events.stop.connect(TaffrailHere.tell)


def taffrail_is_agent():
    """Returns whether the agent in the program serves gdb itself."""
    return taffrail_send("qTaffrail:frame:0") is not None


class TaffrailPrints:
    """Where the agent serves gdb, dprintf prints from the running program: gdb
    needs two settings for that, which are as before on other connections. gdb
    translates conditions when it sends them, by commands of MI, too: it does not
    end then, either. The extension may be sourced again."""
    SETTINGS = {"breakpoint always-inserted": True, "dprintf-style": "agent"}
    before = getattr(globals().get("TaffrailPrints"), "before", {})
    survival = getattr(globals().get("TaffrailPrints"), "survival", None)

    @classmethod
    def choose(cls, event):
        """At a stop, and when a connection ends."""
        try:
            agent = not hasattr(event, "connection") and taffrail_is_agent()
        except gdb.error:
            agent = False
        if agent != bool(cls.before):
            wanted = cls.SETTINGS if agent else dict(cls.before)
            cls.before.clear()
            if agent:
                cls.before.update((name, gdb.parameter(name))
                                  for name in wanted)
                cls.survival = TaffrailSurvival().__enter__()
            else:
                cls.survival.__exit__()
            for name, value in wanted.items():
                gdb.execute("set %s %s" % (name, {True: "on", False: "off"}.get(
                    value, value)))
        TaffrailLogPoint.choose(agent)


gdb.events.stop.connect(TaffrailPrints.choose)
gdb.events.connection_removed.connect(TaffrailPrints.choose)


def taffrail_print(text):
    """Prints a line. Bytes that are not text, and characters that control the
    terminal, become escapes."""
    shown = [c if c.isprintable() or c == "\t" else
             "".join("\\%03o" % b for b in c.encode("utf-8",
                                                    "surrogateescape"))
             for c in text]
    gdb.write("".join(shown) + "\n")


def taffrail_told(command):
    """Returns the output of a command of gdb. gdb 18 quotes it as MI does
    when MI's -interpreter-exec runs this."""
    text = gdb.execute(command, False, True)
    quoted = re.findall(r'^~"((?:[^"\\]|\\.)*)"$', text, re.MULTILINE)
    return b"".join(map(taffrail_unescape, quoted)).decode(
        "utf-8", "surrogateescape") if quoted else text


def taffrail_unhex(text):
    return bytes.fromhex(text).decode("utf-8", "surrogateescape")


class TaffrailMarker:
    def __init__(self, address, name, extra):
        self.address, self.name, self.extra = address, name, extra

    def is_runtime(self):
        """Returns whether this is a probe of the C library or of the dynamic
        linker."""
        return self.name.startswith(("libc/", "rtld/")) and \
            re.match(r"(\w+ arg\d+(, )?)*$", self.extra)


def taffrail_markers():
    """Returns all markers of the target, once for each site. The agent leaves
    out probes of the C library in its answer to gdb's own packet, but not in
    its answer to this one."""
    answer = taffrail_send("qTaffrail:markers") or taffrail_send("qTfSTM")
    if answer is None:
        connection = gdb.selected_inferior().connection
        raise gdb.GdbError("no static tracepoint markers: %s" % (
            "the target has none to tell of" if connection
            else "there is no target"))
    markers = []
    while answer and answer[0] == "m":
        for one in answer[1:].split(","):
            address, name, extra = (one.split(":") + ["", ""])[:3]
            markers.append(TaffrailMarker(int(address, 16),
                                          taffrail_unhex(name),
                                          taffrail_unhex(extra).rstrip("\0")))
        answer = taffrail_send("qTsSTM")
    if answer and answer[0] == "E":
        raise gdb.GdbError("the target refuses to list its markers: "
                           + answer)
    return markers


class TaffrailMarkerCache:
    """Markers by address. The target is asked again when the program has
    changed, or when an address is not there."""
    key = None
    found = {}

    @classmethod
    def lookup(cls, address):
        inferior = gdb.selected_inferior()
        connection = inferior.connection
        key = (connection and connection.num, inferior.pid,
               len(gdb.objfiles()))
        if cls.key != key or address not in cls.found:
            try:
                cls.found = {m.address: m for m in taffrail_markers()}
            except (gdb.error, gdb.GdbError):
                cls.found = {}
            cls.found.setdefault(address, None)
            cls.key = key
        return cls.found[address]


def taffrail_tracepoints(enabled="yn"):
    """Returns ADDRESS -> numbers of gdb's tracepoints there. N among
    `enabled`: also where gdb has disabled a location, because the condition
    is not valid there."""
    found = {}
    for line in taffrail_told("info tracepoints").splitlines():
        match = re.match(r"(\d+)(?:\.\d+)?\s.*?\b[%s][-*]?\s+"
                         r"0x([0-9a-f]+)\b" % enabled, line)
        if match:
            found.setdefault(int(match.group(2), 16), []).append(
                int(match.group(1)))
    return found


def taffrail_function(address):
    """Returns the function whose code is at an address; not an inlined
    function."""
    block = gdb.block_for_pc(address)
    name = None
    while block and not block.is_static and not block.is_global:
        if block.function:
            name = block.function.print_name
        block = block.superblock
    return name


def taffrail_code(address):
    """Returns whether the agent itself takes a tracepoint at any code, and gdb
    knows some at the address."""
    return taffrail_is_agent() and not taffrail_told(
        "info symbol %d" % address).startswith("No symbol")


def taffrail_where(address):
    """Returns " in FUNCTION at FILE:LINE"; without a part that gdb does not
    know."""
    where = ""
    function = taffrail_function(address)
    if function:
        where = " in %s at " % function
    sal = gdb.find_pc_line(address)
    if sal.symtab:
        where += "%s%s:%d" % ("" if function else " ", sal.symtab.filename,
                              sal.line)
    return where


# Trace frames

# Fewer seconds are not a time since 1970: a gdbserver's $trace_timestamp is of
# a clock that began when the machine started.
TAFFRAIL_CLOCK_SECONDS = 1000000000


class TaffrailSelection:
    """Selects the same trace frame, thread and frame at its end as before."""

    def __enter__(self):
        self.trace_frame = taffrail_trace_frame()
        self.thread = gdb.selected_thread()
        try:
            self.level = gdb.selected_frame().level()
        except gdb.error:
            self.level = 0
        return self

    def __exit__(self, *error):
        if self.thread and self.thread.is_valid():
            self.thread.switch()
        if taffrail_trace_frame() != self.trace_frame:
            taffrail_tfind(self.trace_frame)
        try:
            frame = gdb.newest_frame()
            while frame and frame.level() < self.level:
                frame = frame.older()
            if frame:
                frame.select()
        except gdb.error:
            pass


def taffrail_gdb_variable(name):
    """Returns gdb's own variable of this name, an integer; None when it has no
    value, "hidden" when a trace state variable has its name."""
    value = gdb.convenience_variable(name)
    if value is None:
        listed = gdb.execute("info tvariables", False, True)
        return "hidden" if re.search(r"^\$%s\s" % name, listed,
                                     re.MULTILINE) else None
    # trace state variables have 8 bytes
    return int(value) if value.type.code == gdb.TYPE_CODE_INT and \
        value.type.sizeof == 4 else "hidden"


def taffrail_looked_at():
    """Returns the selected trace frame and its tracepoint, as gdb tells its
    user; -1 and None when no frame is selected."""
    for command in ("tstatus", "tdump"):    # a CTF target has no status
        try:
            text = taffrail_told(command)
        except gdb.error:
            continue
        match = re.search(r"Looking at trace frame (\d+), tracepoint (\d+)",
                          text)
        if match:
            return int(match.group(1)), int(match.group(2))
        match = re.search(r"at tracepoint (\d+), trace frame (\d+)", text)
        if match:
            return int(match.group(2)), int(match.group(1))
        if "Not looking at any trace frame" in text:
            break
    return -1, None


def taffrail_trace_frame():
    number = taffrail_gdb_variable("trace_frame")
    if number == "hidden":
        return taffrail_looked_at()[0]
    return -1 if number is None else number


def taffrail_tfind(number):
    gdb.execute("tfind none" if number < 0 else "tfind %d" % number,
                False, True)


def taffrail_integer(expression):
    """Returns an expression's value in the selected trace frame, or None."""
    try:
        value = gdb.parse_and_eval(expression)
        return None if value.type.code == gdb.TYPE_CODE_VOID else int(value)
    except gdb.error:
        return None


def taffrail_enumerator(name):
    """Returns the value of an enumerator of the program, or None."""
    try:
        value = gdb.parse_and_eval(name)
        return int(value) if value.type.strip_typedefs().code == \
            gdb.TYPE_CODE_ENUM else None
    except gdb.error:
        return None


def taffrail_located(field):
    """Returns the text of a field; an address with the symbol that gdb knows
    there, 0x401139 <on_reply+4>."""
    if field.kind != "pointer" or not isinstance(field.value, int):
        return field.shown
    try:
        return gdb.format_address(field.value)
    except (gdb.error, OverflowError):
        return "0x%x" % field.value


class TaffrailFrame:
    """A trace frame: read from the agent's packet, or else from gdb's
    variables while the frame is selected."""
    tracepoint = vtid = time_ns = address = marker = text = fields = None

    def __init__(self, number):
        self.number = number

    @classmethod
    def told(cls, number):
        """Returns a frame by packet; None when the target does not know it."""
        answer = taffrail_send("qTaffrail:frame:%x" % number)
        if answer is None or answer.startswith("E"):
            return None
        frame = cls(number)
        frame.fields = []
        for line in taffrail_unhex(answer).splitlines():
            frame.take(line)
        return frame

    def take(self, line):
        key, _, value = line.partition("=")
        if key.startswith("field "):
            kind, _, shown = value.partition(":")
            value = taffrail_value(shown, kind)
            self.fields.append(TaffrailField(key[6:], kind, value))
        elif key.startswith("shown ") and self.fields:
            self.fields[-1].shown = value
        elif key in ("tracepoint", "vtid", "time_ns"):
            setattr(self, key, int(value))
        elif key == "address":
            self.address = int(value, 16)
        elif key == "marker":
            self.marker = value

    @classmethod
    def selected(cls):
        """Returns the selected trace frame."""
        frame = cls(taffrail_trace_frame())
        frame.tracepoint = taffrail_gdb_variable("tracepoint")
        if frame.tracepoint == "hidden":
            frame.tracepoint = taffrail_looked_at()[1]
        try:
            frame.address = gdb.newest_frame().pc()
        except gdb.error:
            pass
        micros = taffrail_integer("$trace_timestamp")
        frame.time_ns = micros * 1000 if micros else None
        frame.stamp()
        frame.marker = cls.name()
        extra = None
        marker = frame.address and TaffrailMarkerCache.lookup(frame.address)
        # another marker may have come to that address
        if marker and frame.marker in (None, marker.name):
            frame.marker, extra = marker.name, marker.extra
        frame.text = cls.static_data()
        if frame.text is not None:
            frame.fields = taffrail_fields(frame.text, extra,
                                           taffrail_enumerator)
        return frame

    @staticmethod
    def static_data():
        """Returns $_sdata of the selected trace frame, or None."""
        data = gdb.parse_and_eval("$_sdata")
        if data.type.code == gdb.TYPE_CODE_VOID:
            return None
        if data.type.code == gdb.TYPE_CODE_ARRAY:
            text = data.string("utf-8", "surrogateescape", data.type.sizeof)
        else:
            # a trace state variable has this name
            text = TaffrailStaticData.read()
            text = text and text.decode("utf-8", "surrogateescape")
        return text and text.rstrip("\0")

    @staticmethod
    def name():
        """Returns the marker's name from the static data that the filter before
        gdbserver keeps, or None."""
        answer = taffrail_send("qTaffrail:name") or ""
        return taffrail_unhex(answer) if re.fullmatch(
            "(?:[0-9a-f]{2})+", answer) else None

    def stamp(self):
        """Takes time and thread from the static data that the filter before
        gdbserver keeps."""
        answer = taffrail_send("qTaffrail:stamp") or ""
        if re.fullmatch("[0-9a-f]{32}", answer):
            time_ns, vtid, _ = struct.unpack("<QII", bytes.fromhex(answer))
            self.time_ns = time_ns or self.time_ns
            self.vtid = vtid or None

    def when(self):
        if self.time_ns is None:
            return "-"
        seconds, ns = divmod(self.time_ns, 1000000000)
        if seconds < TAFFRAIL_CLOCK_SECONDS:
            return "%d.%06d s" % (seconds, ns // 1000)
        return "%s.%09d" % (time.strftime("%H:%M:%S",
                                          time.localtime(seconds)), ns)

    def line(self):
        """Returns the line that shows the frame."""
        name = self.marker or ("0x%x" % self.address if self.address
                               else "tracepoint %s" % self.tracepoint)
        sal = gdb.find_pc_line(self.address) if name == \
            "gdb/0x%x" % (self.address or 0) else None
        if sal and sal.symtab:
            name = "%s:%d" % (os.path.basename(sal.symtab.filename), sal.line)
        if self.fields is not None:
            what = ", ".join("%s = %s" % (f.name, taffrail_located(f))
                             for f in self.fields)
        else:
            what = self.text or ""
        return ("%7d %-18s %7s %-20s %s" % (
            self.number, self.when(), self.vtid or "-", name, what)).rstrip()


TAFFRAIL_HEADING = "%7s %-18s %7s %-20s %s" % (
    "Frame", "Time", "Thread", "Marker", "Fields")


class TaffrailFrames:
    """The trace frames of the target. Used inside `with TaffrailSelection()`,
    because it may select another frame."""

    def __init__(self):
        status = taffrail_told("tstatus")
        match = re.search(r"(?:Collected|contains) (\d+) trace frame", status)
        self.count = int(match.group(1)) if match else \
            self.counted() if "can not be run" in status else 0
        match = re.search(r"^Trace notes: .*?(\([^()]*(?:conditions failed|"
                          r"hits lost|frames (?:cut|lost|without))[^()]*\).*)\.$",
                          status, re.MULTILINE)
        self.missing = match.group(1) if match else None
        self.told = bool(self.count) and \
            TaffrailFrame.told(self.count - 1) is not None
        if self.count and not self.told and "is running" in status:
            raise gdb.GdbError("the trace is running: tstop first")

    @classmethod
    def counted(cls):
        """Returns how many frames a target has that has no status, such as a
        trace in CTF."""
        below, above = 0, 1
        while cls.exists(above - 1):
            below, above = above, 2 * above
        while below + 1 < above:
            middle = (below + above) // 2
            if cls.exists(middle - 1):
                below = middle
            else:
                above = middle
        return below

    @staticmethod
    def exists(number):
        try:
            taffrail_tfind(number)
        except gdb.error:
            return False
        return taffrail_trace_frame() == number

    def get(self, number):
        if self.told:
            return TaffrailFrame.told(number)
        if taffrail_trace_frame() != number:
            taffrail_tfind(number)
        if taffrail_trace_frame() != number:
            return None
        return TaffrailFrame.selected()

    def some(self, numbers, glob="*"):
        """Yields the frames of these numbers whose marker's name matches."""
        for number in numbers:
            frame = self.get(number)
            if frame and fnmatch.fnmatchcase(frame.marker or "", glob):
                yield frame


class TaffrailCommand(gdb.Command):
    """A command whose errors look like those of gdb's own commands."""

    def invoke(self, argument, from_tty):
        try:
            self.run(argument.strip())
        except gdb.error as error:
            raise gdb.GdbError(str(error))


class TaffrailConnected(TaffrailCommand):
    """Say why gdb has no process, if it has none.

taffrail connected PID
`taffrail gdb -p PID' gives gdb this command behind `target'."""

    def __init__(self):
        super().__init__("taffrail connected", gdb.COMMAND_STATUS)

    def run(self, argument):
        if not argument.isdigit():
            raise gdb.GdbError("taffrail connected: give a process id")
        if gdb.selected_inferior().pid:
            return
        try:
            os.readlink("/proc/%s/exe" % argument)
        except FileNotFoundError:    # also of a zombie
            raise gdb.GdbError("taffrail: process %s has ended, so gdb is not "
                               "connected; `taffrail status' knows sessions "
                               "of ended processes" % argument)
        except OSError:
            pass
        raise gdb.GdbError("taffrail: gdb is not connected to process %s; "
                           "try again: taffrail gdb -p %s"
                           % (argument, argument))
