# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands for Taffrail's markers, which gdb alone does not serve well:
strace, the list of markers, trace frames as typed fields.

The build joins text.py, target.py, sdata.py, fields.py, condition.py, actions.py
and commands.py, in this order, to taffrail-gdb.py. What must stay true:
 - it works in gdb 13.1 to 18.1 through the documented Python API alone;
 - sourced twice, or without a target, it changes nothing but its commands;
 - a command leaves the trace frame, thread and frame as the user chose them;
 - text from the target is of unknown origin, and may have any form.

All names begin with "taffrail": sourced files share one name space.
"""
# This part: the texts of values, and the signatures and formats of markers. It
# does not need gdb, so it has a test without gdb.
import errno
import re

TAFFRAIL_MATCH_STEPS = 20000    # to match a text with its format
TAFFRAIL_TOKENS_MAX = 100       # of a format; each is a level of recursion
TAFFRAIL_NAME_BYTES = 59        # of a field's name; longer ones are cut
TAFFRAIL_EXTRA_BYTES = 1023     # of a signature; longer ones are cut
TAFFRAIL_FLOATS = ("float", "double")
TAFFRAIL_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32",
                  "int64", "uint64", "pointer", "bool", "string", "unknown")
TAFFRAIL_INTEGERS = TAFFRAIL_TYPES[:8]
TAFFRAIL_TYPES += TAFFRAIL_FLOATS

TAFFRAIL_ESCAPE = re.compile(
    rb"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
TAFFRAIL_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a",
                    b"b": b"\b", b"f": b"\f", b"v": b"\v", b"e": b"\x1b"}
TAFFRAIL_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
TAFFRAIL_NUMBER = re.compile(r"[-+]?(?:0x[0-9a-f]+|0b[01]+|\d+)", re.I)
TAFFRAIL_CHARACTER = re.compile(r"'(?:[^'\\]|\\.[0-9a-fA-F]*)'", re.DOTALL)
TAFFRAIL_UNIT = re.compile(r"(-?\d+) (?:ns|us|ms|s)")
TAFFRAIL_NAME = re.compile(r"[A-Za-z_]\w*")
TAFFRAIL_FIELD = r"[A-Za-z_]\w*(?:\.\w+)*"     # also a structure's member
TAFFRAIL_FLOAT = re.compile(
    r"[-+]?(?:0x[0-9a-f.]+p[-+]?\d+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
    r"|nan(?:\([^)]*\))?|inf(?:inity)?)", re.I)


def taffrail_unescape(text):
    """Returns the bytes that a text with C escapes stands for."""
    def one(match):
        if match.group(1):
            return bytes([int(match.group(1), 16)])
        if match.group(2):
            return bytes([int(match.group(2), 8) & 255])
        return TAFFRAIL_ESCAPES.get(match.group(3), match.group(3))
    return TAFFRAIL_ESCAPE.sub(one, text.encode("utf-8", "surrogateescape"))


def taffrail_escape(data):
    """Returns a text that shows bytes, in quotation marks."""
    text = data.decode("utf-8", "surrogateescape")
    shown = []
    for c in text:
        if c in '"\\':
            shown.append("\\" + c)
        elif c == "\n":
            shown.append("\\n")
        elif c.isprintable():
            shown.append(c)
        else:
            shown += ["\\%03o" % b
                      for b in c.encode("utf-8", "surrogateescape")]
    return '"' + "".join(shown) + '"'


def taffrail_split(text):
    """Returns the parts of a text, split at each comma that is outside of
    quotes and brackets."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        if c == '"':
            quoted = TAFFRAIL_QUOTED.match(text, i)
            i = quoted.end() if quoted else len(text)
            continue
        character = c == "'" and TAFFRAIL_CHARACTER.match(text, i)
        if character:
            i = character.end()
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth <= 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    last = text[begin:].strip()
    return parts + [last] if parts or last else []


def taffrail_float(text):
    try:
        return float.fromhex(text) if "0x" in text.lower() else float(text)
    except (ValueError, OverflowError):
        return float("nan")


def taffrail_integer_shown(text, kind, named):
    """Returns the number that an integer's text stands for, or None: 'a',
    5 ms, -ENOENT, or a name, for which `named` returns its value."""
    if TAFFRAIL_CHARACTER.fullmatch(text):
        byte = taffrail_unescape(text[1:-1])[0]
        return byte - 256 if kind == "int8" and byte > 127 else byte
    unit = TAFFRAIL_UNIT.fullmatch(text)
    if unit:
        return int(unit.group(1))
    error = getattr(errno, text.lstrip("-"), None) \
        if text.lstrip("-").startswith("E") else None
    if isinstance(error, int):
        return -error if text.startswith("-") else error
    return named(text) if TAFFRAIL_NAME.fullmatch(text) else None


def taffrail_value(text, kind=None, named=lambda text: None):
    """Returns the value of a text: int, float, bool, bytes or a list of
    these. A text that was cut ends with "..."."""
    if TAFFRAIL_QUOTED.fullmatch(text):
        return taffrail_unescape(text[1:-1])
    if text[:1] == '"' and text.endswith("..."):
        return taffrail_unescape(text[1:-3])
    if kind == "string":
        return taffrail_unescape(text)
    # the value of a variant, whose type is that of bytes, has no brackets
    inner = kind[:-2] if kind and kind.endswith("[]") else None
    if text[:1] in ("[", "{", "("):
        text = text[1:] if text.endswith("...") else text[1:-1]
        return [taffrail_value(part, inner) for part in taffrail_split(text)
                if part != "..."]
    if text in ("true", "false"):
        return text == "true"
    if kind in TAFFRAIL_FLOATS:
        return taffrail_float(text)
    if TAFFRAIL_NUMBER.fullmatch(text):
        octal = re.fullmatch("-?0[0-7]+", text)
        number = int(text, 16 if "0x" in text.lower() else
                     2 if "0b" in text.lower() else 8 if octal else 10)
        return bool(number) if kind == "bool" else number
    if TAFFRAIL_FLOAT.fullmatch(text):
        return taffrail_float(text)
    number = taffrail_integer_shown(text, kind, named) \
        if kind in TAFFRAIL_INTEGERS else None
    return taffrail_unescape(text) if number is None else number


def taffrail_shown(value):
    """Returns the text of a value for the user."""
    if isinstance(value, bytes):
        return taffrail_escape(value)
    if isinstance(value, list):
        return "{" + ", ".join(map(taffrail_shown, value)) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "%.17g" % value if isinstance(value, float) else str(value)


class TaffrailField:
    """A field of an event. `shown` is the target's text of its value."""

    def __init__(self, name, kind, value, shown=None):
        self.name, self.kind, self.value = name, kind, value
        self.shown = taffrail_shown(value) if shown is None else shown


def taffrail_signature(extra):
    """Returns NAME -> TYPE of a signature such as "int32 id, string url";
    None for another text."""
    types = {}
    for part in extra.split(", ") if extra else []:
        match = re.fullmatch(r"(\w+)((?:\[\])?) (%s)" % TAFFRAIL_FIELD,
                             part)
        if not match or match.group(1) not in TAFFRAIL_TYPES:
            # the target has cut a long one
            return types if types and len(extra) >= TAFFRAIL_EXTRA_BYTES \
                else None
        types[match.group(3)] = match.group(1) + match.group(2)
    return types


def taffrail_assignments(text, types, named=lambda text: None):
    """Returns the fields of "NAME = VALUE, NAME = VALUE", or None. "..."
    stands for the fields that did not fit."""
    fields = []
    parts = taffrail_split(text)
    for part in parts[:-1] if parts[-1:] == ["..."] else parts:
        match = re.match("(%s) = " % TAFFRAIL_FIELD, part)
        if not match:
            return None
        shown = part[match.end():]
        kind = types.get(match.group(1))
        fields.append(TaffrailField(match.group(1), kind,
                                    taffrail_value(shown, kind, named),
                                    shown))
    return fields


TAFFRAIL_DIRECTIVE = re.compile(r"%([-+ #0-9.'$*hlLqjzZt]*)(.)", re.DOTALL)
# The text that a conversion prints, and the number in that text.
TAFFRAIL_CONVERSIONS = {
    "d": (r" *[-+]?[\d',]+ *", lambda s: int(s.replace("'", ""))),
    "x": (r" *(?:0x)?[0-9a-f]+ *", lambda s: int(s, 16)),
    "o": (r" *[0-7]+ *", lambda s: int(s, 8)),
    "p": (r" *(?:0x[0-9a-f]+|\(nil\)) *",
          lambda s: 0 if "nil" in s else int(s, 16)),
    "f": (" *" + TAFFRAIL_FLOAT.pattern + " *",
          lambda s: taffrail_float(s.strip())),
    # the agent leaves out the character 0
    "c": (r" *\S? *", lambda s: ord(s.strip() or ("\0" if not s else " "))),
}
for taffrail_letter, taffrail_same in zip("iuXFeEgGaA", "ddxfffffff"):
    TAFFRAIL_CONVERSIONS[taffrail_letter] = TAFFRAIL_CONVERSIONS[taffrail_same]


class TaffrailFormat:
    """A marker's format: names its fields as the agent does (the word before
    a conversion), and finds their values in formatted text."""

    def __init__(self, text):
        self.tokens = []        # text, or (name, letter)
        self.names = []
        end = 0
        for match in TAFFRAIL_DIRECTIVE.finditer(text):
            words = text[end:match.start()]
            end = match.end()
            self.add_text(words)
            letter = match.group(2)
            if letter == "%":
                self.add_text("%")
                continue
            # each * takes a field that the text does not show
            for _ in range(match.group(1).count("*")):
                self.add_name("")
            # %m takes no field, %n prints none
            name = None if letter == "m" else self.add_name(words)
            position = re.match(r"(\d+)\$", match.group(1))
            if letter != "n":
                self.tokens.append((int(position.group(1)) - 1 if position
                                    else name, letter))
        self.add_text(text[end:])
        # %2$s prints the second field, wherever it is in the format
        self.tokens = [self.at_position(t) for t in self.tokens]

    def at_position(self, token):
        if isinstance(token, str) or not isinstance(token[0], int):
            return token
        return ((self.names[token[0]:] or [None])[0], token[1])

    def add_text(self, text):
        if text and self.tokens and isinstance(self.tokens[-1], str):
            self.tokens[-1] += text
        elif text:
            self.tokens.append(text)

    def add_name(self, words):
        found = re.findall(r"(?<![#\w])[A-Za-z_]\w*", words, re.ASCII)
        base = found[-1][:TAFFRAIL_NAME_BYTES] if found \
            else "arg%d" % (len(self.names) + 1)
        name, k = base, 2
        while name in self.names:
            name, k = "%s_%d" % (base, k), k + 1
        self.names.append(name)
        return name

    def fields(self, text):
        """Returns the fields, or None when the text is not of this format."""
        if len(self.tokens) > TAFFRAIL_TOKENS_MAX:
            return None
        self.steps = TAFFRAIL_MATCH_STEPS
        found = self.match(0, text, 0)
        return None if found is None else found[::-1]

    def match(self, i, text, at):
        """Returns the fields of the tokens from i on, the last one first. A
        string ends where the rest of the format fits. That may take many
        tries, so they are counted."""
        if i == len(self.tokens):
            return [] if at == len(text) else None
        token = self.tokens[i]
        if isinstance(token, str):
            if not text.startswith(token, at):
                return None
            return self.match(i + 1, text, at + len(token))
        name, letter = token
        if letter not in TAFFRAIL_CONVERSIONS:
            return self.match_string(i, name, text, at)
        pattern, convert = TAFFRAIL_CONVERSIONS[letter]
        found = re.compile(pattern, re.I | re.DOTALL).match(text, at)
        # blanks behind the value may belong to the next token
        while found:
            rest = self.match(i + 1, text, found.end())
            self.steps -= 1
            if rest is not None or self.steps <= 0 or not found.group() or \
                    not (letter == "c" or found.group().endswith(" ")):
                break
            found = re.compile(pattern, re.I | re.DOTALL).match(
                text, at, found.end() - 1)
        if not found or rest is None:
            return None
        try:
            value = convert(found.group())
        except ValueError:
            return None
        return rest + [TaffrailField(name, None, value)] if name else rest

    def match_string(self, i, name, text, at):
        following = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        end = len(text) if following is None else at
        while self.steps > 0 and 0 <= end <= len(text):
            self.steps -= 1
            if isinstance(following, str):
                end = text.find(following, end)
                if end < 0:
                    break
            rest = self.match(i + 1, text, end)
            if rest is not None and name is None:
                return rest
            if rest is not None:
                value = text[at:end].encode("utf-8", "surrogateescape")
                return rest + [TaffrailField(name, "string", value)]
            end += 1
        return None


def taffrail_fields(text, extra, named=lambda text: None):
    """Returns the fields in a frame's text, or None when it does not tell
    them. `named` returns the value of an enumerator, or None."""
    types = taffrail_signature(extra) if extra is not None else None
    if types is not None:
        return taffrail_assignments(text, types, named)
    if extra is not None:
        fields = TaffrailFormat(extra).fields(text)
        if fields is not None:
            return fields
    return taffrail_assignments(text, {})
