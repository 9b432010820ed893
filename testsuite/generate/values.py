# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of fields: what they are in a source, in a trace and in gdb.

A value is a tuple of a kind and what it holds:

    ("int", n, bits)     an integer of so many bits
    ("bool", n)          0 or 1
    ("float", x)         a float or a double
    ("pointer", n)       an address; ("address", word): one that the program
                         tells, because the linker or the stack chose it
    ("string", b)        bytes without a NUL
    ("sequence", [...])  values; ("array", [...]): always as many
    ("int", n, bits, unit)      one that has a unit
    ("char", n)          a character; ("told", n, names): a number that has
                         names in the trace; ("state", n, names): in gdb, too

What must stay true: nothing here asks a compiler; a wrong header cannot make a
wrong expectation right.
"""
import struct

# name, bits, signed (None: as the options tell), C++ only
INTEGERS = (
    ("char", 8, None, False), ("signed char", 8, True, False),
    ("unsigned char", 8, False, False), ("short", 16, True, False),
    ("unsigned short", 16, False, False), ("int", 32, True, False),
    ("unsigned int", 32, False, False), ("long", 64, True, False),
    ("unsigned long", 64, False, False), ("long long", 64, True, False),
    ("unsigned long long", 64, False, False), ("int8_t", 8, True, False),
    ("uint16_t", 16, False, False), ("int32_t", 32, True, False),
    ("uint64_t", 64, False, False), ("size_t", 64, False, False),
    ("ptrdiff_t", 64, True, False), ("wchar_t", 32, True, False),
    ("char16_t", 16, False, True), ("char32_t", 32, False, True))


def limits(bits, signed):
    if signed:
        return -1 << (bits - 1), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def random_integer(rng, bits, signed):
    """Extreme values more often than others."""
    low, high = limits(bits, signed)
    if rng.random() < 0.5:
        return rng.choice((low, high, 0, min(1, high), max(-1, low),
                           low + 1 if low < 0 else high - 1 if high else 0,
                           high // 2, min(high, 0x7f), min(high, 0x80),
                           min(high, 0xff), min(high, 0x8000)))
    return wrap(rng.getrandbits(rng.randint(1, bits)), bits, signed)


def integer_literal(value):
    """An integer as a constant of C and C++, of any type that has room."""
    if value == -1 << 63:
        return "(-9223372036854775807LL - 1)"
    if value < 0:
        return "(%d%s)" % (value, "LL" if value < -(1 << 31) + 1 else "")
    if value >= 1 << 63:
        return "%dULL" % value
    return "%d%s" % (value, "LL" if value >= 1 << 31 else "")


def as_float(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


# Numbers that a lost half, a lost sign or a float in between would change.
DOUBLES = (0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e-300, 5e-324, 2.0 ** 53,
           1.7976931348623157e308, 2.2250738585072014e-308, 123456.0,
           -9.87654e-5, 3.0e9, float("inf"), float("-inf"), float("nan"))
FLOATS = (0.0, -0.0, 1.0, -2.5, as_float(0.1), as_float(3.4028235e38),
          as_float(1.17549435e-38), as_float(1e-45), 16777216.0, -65504.0,
          float("inf"), float("-inf"), float("nan"))


def plain_number(value):
    """Whether options like -ffast-math keep it."""
    return value == value and 1e-30 < abs(value) < 1e38 or value == 0.0


def random_float(rng, single, finite):
    if rng.random() < 0.6:
        choice = FLOATS if single else DOUBLES
        value = rng.choice([x for x in choice
                            if not finite or plain_number(x)])
    else:
        value = rng.choice((-1, 1)) * rng.random() * 10 ** rng.randint(-20, 20)
    return as_float(value) if single else value


def float_literal(value, suffix):
    sign = "-" if str(value).startswith("-") else ""
    if value != value:
        return '__builtin_nan%s("")' % suffix.lower()
    if value in (float("inf"), float("-inf")):
        return "(%s__builtin_inf%s())" % (sign, suffix.lower())
    text = repr(abs(value))
    if "." not in text and "e" not in text:
        text += ".0"
    return "(%s%s%s)" % (sign, text, suffix)


TEXTS = (b"", b"a", b"two words", "gr\u00f6\u00dfe \u2713 \U0001f600".encode(),
         b'"quoted" \\ \'x\' ?? %d %s', b"\t\n\r\a\b\f\v\x1b", b"\x01\x7f",
         b"\xff\xfe\x80 not UTF-8", b"{ a = 1, b = [ 2 ] }", b"(null)",
         b"0123456789" * 30)


def random_text(rng):
    if rng.random() < 0.7:
        return rng.choice(TEXTS)
    return bytes(rng.randint(1, 255) for _ in range(rng.randint(0, 40)))


def text_literal(data):
    """Octal escapes have three digits: what follows never joins them."""
    return '"%s"' % "".join(
        chr(c) if 32 <= c < 127 and chr(c) not in '"\\?' else "\\%03o" % c
        for c in data)


# As they are read.

LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r",
           27: "e"}


def escaped(data):
    """The bytes of a string as babeltrace2 and the agent print them."""
    out = bytearray()
    for c in data:
        if c in b"\\\"'?":
            out += b"\\" + bytes([c])
        elif c in LETTERS:
            out += b"\\" + LETTERS[c].encode()
        elif c < 32 or c == 127:
            out += b"\\x%02x" % c
        else:
            out.append(c)
    return b'"' + bytes(out) + b'"'


def shown(value, base, told):
    """A value as babeltrace2 prints it; told: addresses of the program."""
    kind = value[0]
    if kind == "int":
        if base == 16:
            return b"0x%X" % (value[1] & (1 << value[2]) - 1)
        if base == 8:       # of a negative one it prints whole digits
            bits = value[2] if value[2] == 64 else -(-value[2] // 3) * 3
            return b"0%o" % (value[1] & (1 << bits) - 1)
        return b"%d" % value[1]
    if kind == "bool":
        return b"%d" % value[1]
    if kind == "float":
        return b"%g" % value[1]
    if kind == "address":
        return b"0x%X" % told.get(value[1], -1 & (1 << 64) - 1)
    if kind == "pointer":
        return b"0x%X" % value[1]
    if kind == "string":
        return escaped(value[1])
    if kind == "char":
        return escaped(bytes([value[1] & 255]).rstrip(b"\0"))
    if kind in ("told", "state"):
        names = ", ".join('"%s"' % name for name in value[2])
        return ("( %s : container = %d )" % (names or "<unknown>",
                                             value[1])).encode()
    raise ValueError(kind)


def field_shown(name, value, base, told):
    """A field of an event as babeltrace2 prints it."""
    if value[0] == "struct":
        return b"%s = { %s }" % (name.encode(), b", ".join(
            field_shown(member, inner, 10, told)
            for member, inner in value[1]))
    if value[0] == "variant":
        number, label, size, inner = value[1:]
        return b"%s = { %s, _value_length = %d, value = { %s } }" % (
            name.encode(), field_shown("tag", ("told", number, [label]), 10,
                                       told), size,
            shown(inner, 10, told) if inner else b"{ }")
    name = name.encode()
    if value[0] not in ("sequence", "array"):
        return name + b" = " + shown(value, base, told)
    if not value[1]:
        items = b"[ ]"
    else:
        items = b"[ " + b", ".join(
            b"[%d] = " % i + shown(item, base, told)
            for i, item in enumerate(value[1])) + b" ]"
    if value[0] == "array":
        return b"%s = %s" % (name, items)
    return b"_%s_length = %d, %s = %s" % (name, len(value[1]), name, items)


def parts_for_gdb(name, value, told, base=10):
    """A field as the agent's text for $_sdata has it: bytes, and floats, which
    are compared as numbers."""
    if value[0] == "struct":
        parts = []
        for member, inner in value[1]:
            parts += [b", "] * bool(parts) + parts_for_gdb(
                name + "." + member, inner, told)
        return parts
    if value[0] == "variant":
        return [b"%s.tag = %s, %s.value = " % (
            name.encode(), value[2].encode(), name.encode())] + (
                scalar_for_gdb(value[4], told) if value[4] else [b"{}"])
    parts = [name.encode() + b" = "]
    if value[0] in ("sequence", "array"):
        parts.append(b"{")
        for i, item in enumerate(value[1]):
            parts += [b", "] * bool(i) + scalar_for_gdb(item, told)
        parts.append(b"}")
    else:
        parts += scalar_for_gdb(value, told, base)
    return parts


def scalar_for_gdb(value, told, base=10):
    if value[0] == "int" and base != 10:
        return [(b"0x%x" if base == 16 else b"0%o") % (
            value[1] & (1 << value[2]) - 1)]
    if value[0] == "int" and len(value) > 3:
        return [b"%d %s" % (value[1], value[3].encode())]
    if value[0] == "char":
        return [b"'" + escaped(bytes([value[1] & 255]))[1:-1] + b"'"]
    if value[0] == "float":
        return [value[1]]
    if value[0] in ("pointer", "address"):
        return [shown(value, 0, told).lower()]
    if value[0] in ("told", "state"):
        return [value[2][0].encode() if value[2] else b"%d" % value[1]]
    return [shown(value, 0, told)]
