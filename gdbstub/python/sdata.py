# SPDX-License-Identifier: LGPL-2.1-or-later
# The third part of taffrail-gdb.py (text.py says more): $_sdata for a gdb
# that has none, since static tracepoints were taken out of it.
#
# `collect $_sdata` needs a name that gdb can translate: a trace state variable.
# `print $_sdata` needs a text: a convenience variable. A name is never both: it
# is the trace state variable while no trace frame is selected, and the target
# is told its number; it is the text in a frame. gdb tells nothing when a frame
# is selected, so hooks of tfind and tstart do this; a hook that the user
# defines later takes the place of ours.
import re

import gdb


class TaffrailStaticData:
    FIND = ("end", "line", "none", "outside", "pc", "range", "start",
            "tracepoint")
    BYTES = 0x7ff               # of a part of the text
    connection = None           # that has been told the variable

    @classmethod
    def load(cls):
        if not cls.is_lacking():
            return
        cls.define("", "hook-tstart", "leave")
        for prefix, names in (("", ("tfind",)), ("tfind ", cls.FIND)):
            for name in names:
                cls.define(prefix, "hook-" + name, "leave")
                cls.define(prefix, "hookpost-" + name, "enter")
        gdb.events.stop.connect(cls.stopped)
        cls.leave()

    @staticmethod
    def is_lacking():
        """Has this gdb no $_sdata? Found out once: later it has ours. Only what
        gdb does not have takes the value; `show convenience` would read all,
        and gdb 18 dies of $_linker_namespace while it connects."""
        if not hasattr(gdb, "taffrail_lacks_sdata"):
            gdb.execute("with language c -- init-if-undefined $_sdata = 1",
                        False, True)
            lacks = gdb.convenience_variable("_sdata") == 1
            if lacks:
                gdb.set_convenience_variable("_sdata", None)
            gdb.taffrail_lacks_sdata = lacks
        return gdb.taffrail_lacks_sdata

    @staticmethod
    def define(prefix, name, function):
        gdb.execute("define %s%s\npython TaffrailStaticData.%s()\nend"
                    % (prefix, name, function), False, True)

    @classmethod
    def leave(cls):
        """No frame is selected, or soon another: it can be collected. The
        variable is a new one, with a new number."""
        gdb.set_convenience_variable("_sdata", None)
        gdb.execute("tvariable $_sdata", False, True)
        cls.tell()

    @classmethod
    def tell(cls):
        """gdb says a variable's number only in what it translates to."""
        try:
            code = taffrail_told("maint agent $_sdata")
        except gdb.error:
            return
        match = re.search(r"\btracev (\d+)", code)
        if match:
            taffrail_send("QTaffrail:data:%x" % int(match.group(1)))

    @classmethod
    def stopped(cls, event):
        """A stop is the first that is heard of a connection."""
        connection = gdb.selected_inferior().connection
        number = connection and connection.num
        if cls.connection != number and taffrail_trace_frame() < 0:
            cls.connection = number
            cls.tell()

    @classmethod
    def enter(cls):
        """A frame is selected, if one was found: it can be printed."""
        if taffrail_trace_frame() < 0:
            return
        gdb.execute("delete tvariable $_sdata", False, True)
        data = cls.read()
        if data is not None:
            character = gdb.Value("x").type.target()
            kind = character.array(len(data) - 1) if data \
                else character.array(0, -1)
            gdb.set_convenience_variable("_sdata", gdb.Value(data, kind))

    @classmethod
    def read(cls):
        """The static data of the frame that is selected, or None."""
        connection = gdb.selected_inferior().connection
        if not isinstance(connection, gdb.RemoteTargetConnection):
            return None
        data, last = b"", b"m"
        while last == b"m":
            answer = connection.send_packet(
                b"qXfer:statictrace:read::%x,%x" % (len(data), cls.BYTES))
            if not answer or answer[:1] not in (b"m", b"l"):
                return None
            last, part = answer[:1], cls.unescape(answer[1:])
            if last == b"m" and not part:
                return None
            data += part
        return data

    @staticmethod
    def unescape(data):
        return re.sub(rb"\}(.)", lambda match: bytes([match.group(1)[0] ^ 32]),
                      data, flags=re.DOTALL)
