# SPDX-License-Identifier: LGPL-2.1-or-later
# The third part of taffrail-gdb.py (text.py says more): $_sdata for a gdb
# that does not have it, because static tracepoints were removed from that gdb.
#
# `collect $_sdata` needs a name that gdb can translate: a trace state variable.
# `print $_sdata` needs a text: a convenience variable. A name cannot be both at
# one time. While no trace frame is selected, $_sdata is the trace state
# variable, and the target is told its number. In a frame it is the text. gdb
# has no event for the selection of a frame, so hooks of tfind and tstart switch
# it. A hook that the user defines later replaces the hook here.
import re

import gdb


class TaffrailStaticData:
    FIND = ("end", "line", "none", "outside", "pc", "range", "start",
            "tracepoint")
    BYTES = 0x7ff               # of a part of the text
    connection = None           # whose target knows the number

    @classmethod
    def load(cls):
        if not cls.is_lacking():
            return
        # hook-tstart: actions.py
        for prefix, names in (("", ("tfind",)), ("tfind ", cls.FIND)):
            for name in names:
                cls.define(prefix, "hookpost-" + name, "found")
        gdb.events.stop.connect(cls.stopped)
        cls.leave()

    @staticmethod
    def is_lacking():
        """Returns whether this gdb has no $_sdata. It is tried once, before
        load() defines one: only a variable that gdb does not have takes the
        value. `show convenience` would read all variables, and gdb 18 dies of
        $_linker_namespace while it connects."""
        if not hasattr(gdb, "taffrail_lacks_sdata"):
            gdb.execute("with language c -- init-if-undefined $_sdata = 1",
                        False, True)
            value = gdb.convenience_variable("_sdata")
            lacks = (value is not None and
                     value.type.code == gdb.TYPE_CODE_INT and value == 1)
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
        """Makes $_sdata a trace state variable, with a new number, which can
        be collected. No frame is selected, or tstart will leave it."""
        gdb.set_convenience_variable("_sdata", None)
        gdb.execute("tvariable $_sdata", False, True)
        cls.tell()

    @classmethod
    def tell(cls):
        """Tells the target the variable's number. gdb shows the number only in
        the code to which it translates the variable."""
        try:
            code = taffrail_told("maint agent $_sdata")
        except gdb.error:
            return
        match = re.search(r"\btracev (\d+)", code)
        if match:
            taffrail_send("QTaffrail:data:%x" % int(match.group(1)))

    @classmethod
    def stopped(cls, event):
        """Tells a new connection the number. Its first event is a stop."""
        connection = gdb.selected_inferior().connection
        number = connection and connection.num
        if cls.connection != number and taffrail_trace_frame() < 0:
            cls.connection = number
            cls.tell()

    @classmethod
    def found(cls):
        """Follows tfind. From one frame to the next no trace state variable is
        made: gdb uses no number again, and the target knows 256."""
        if taffrail_trace_frame() < 0:
            cls.leave()
        else:
            cls.enter()

    @classmethod
    def enter(cls):
        """Makes $_sdata a text that can be printed: a frame is selected."""
        gdb.execute("delete tvariable $_sdata", False, True)
        gdb.set_convenience_variable("_sdata", None)
        data = cls.read()
        if data is not None:
            character = gdb.Value("x").type.target()
            kind = character.array(len(data) - 1) if data \
                else character.array(0, -1)
            gdb.set_convenience_variable("_sdata", gdb.Value(data, kind))

    @classmethod
    def read(cls):
        """Returns the static data of the selected frame, or None."""
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
