# SPDX-License-Identifier: LGPL-2.1-or-later
# A part of taffrail-gdb.py (text.py says more): fields in expressions of gdb.
import re
import struct

import gdb


class TaffrailFieldFunction(gdb.Function):
    """$_taffrail("FIELD"): in a trace frame, the value of the marker's field
of that name: a number, an address, a string or an array."""

    def __init__(self, name="_taffrail"):
        super().__init__(name)
        self.name = name

    def invoke(self, *names):
        if len(names) != 1:
            raise gdb.GdbError("which field? $%s(\"FIELD\")" % self.name)
        try:
            return self.find(names[0].string())
        except gdb.error as error:
            raise gdb.GdbError("$%s: %s" % (self.name, error))

    def find(self, name):
        number = taffrail_trace_frame()
        if number < 0:
            raise gdb.GdbError("no trace frame is selected; see tfind")
        frame = TaffrailFrame.told(number) or TaffrailFrame.selected()
        if frame.fields is None:
            raise gdb.GdbError(
                "the frame has no fields: its tracepoint has to collect "
                "$_sdata, which no trace file keeps" if frame.text is None else
                "the frame's text does not tell its fields: " + frame.text)
        for field in frame.fields:
            if field.name == name:
                return self.make(field)
        raise gdb.GdbError("%s has no field %s; it has %s" % (
            frame.marker or "the frame", name,
            ", ".join(f.name for f in frame.fields) or
            "none, unless its tracepoint collects $_sdata"))

    def make(self, field):
        if isinstance(field.value, bytes):
            character = gdb.Value("x").type.target()
            return self.kept(field.value + b"\0", character)
        if isinstance(field.value, list):
            return self.array(field)
        if isinstance(field.value, int) and field.kind == "pointer":
            return gdb.Value(field.value).cast(self.pointer())
        if isinstance(field.value, int) and field.kind == "uint64":
            return gdb.Value(field.value).cast(self.integer(64, False))
        return gdb.Value(field.value)

    @classmethod
    def pointer(cls):
        """Returns the type whose values gdb prints with their symbol. Not each
        language has it."""
        try:
            return gdb.lookup_type("void").pointer()
        except gdb.error:
            return cls.integer(64, False)

    @staticmethod
    def integer(bits, is_signed):
        architecture = gdb.selected_inferior().architecture()
        return architecture.integer_type(bits, is_signed)

    def array(self, field):
        kind = (field.kind or "").replace("[]", "")
        values = field.value
        if any(isinstance(v, (bytes, list)) for v in values):
            raise gdb.GdbError("%s is no array of numbers" % field.name)
        if kind in TAFFRAIL_FLOATS or \
                any(isinstance(v, float) for v in values):
            element = gdb.lookup_type("float" if kind == "float"
                                      else "double")
            code = "f" if kind == "float" else "d"
        else:
            match = re.fullmatch(r"(u?)int(\d+)", kind)
            unsigned = bool(match and match.group(1)) or kind == "pointer"
            bits = int(match.group(2)) if match else \
                8 if kind == "bool" else 64
            element = self.integer(bits, not unsigned)
            code = {8: "b", 16: "h", 32: "i", 64: "q"}[bits]
            values = [int(v) & ((1 << bits) - 1) for v in values]
            code = code.upper()
        return self.kept(struct.pack("=%d%s" % (len(values), code), *values),
                         element)

    @staticmethod
    def kept(data, element):
        """Returns bytes as an array in a variable of gdb: gdb prints such a
        string (%s) without the program's memory."""
        length = len(data) // element.sizeof
        kind = element.array(length - 1) if length else element.array(0, -1)
        gdb.set_convenience_variable("_taffrail_value", gdb.Value(data, kind))
        value = gdb.parse_and_eval("$_taffrail_value")
        if value.type.code != gdb.TYPE_CODE_ARRAY:
            raise gdb.GdbError("a trace state variable has the name of the "
                               "extension's own $_taffrail_value; delete "
                               "tvariable $_taffrail_value")
        return value


class TaffrailTextFunction(TaffrailFieldFunction):
    """$_taffrail_text("FIELD"): the same value as the text that $_sdata has:
the name of a number that has one, as an enumerator, and its unit; behind an
address the symbol there."""

    def __init__(self):
        super().__init__("_taffrail_text")

    def make(self, field):
        text = field.value if isinstance(field.value, bytes) \
            else taffrail_located(field).encode("utf-8", "surrogateescape")
        return self.kept(text + b"\0", gdb.Value("x").type.target())
