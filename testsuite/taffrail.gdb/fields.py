# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the texts that taffrail-gdb.py reads; fields.exp sources both."""
import random


def check(name, got, want):
    if got == want:
        print("PASS: " + name)
    else:
        print("# got %r, not %r" % (got, want))
        print("FAIL: " + name)


def told(fields):
    return None if fields is None else [(f.name, f.value) for f in fields]


# As tracepoints/fields/fields.c names them; the same rows are in
# testsuite/unit/tracepoints/fields.c.
for text, names in (
        ("no arguments", ""), (" ", ""), ("id %d url %s", "id url"),
        ("number1 %d number2 %d", "number1 number2"), ("str %s", "str"),
        ("%d %s", "arg1 arg2"), ("x=%d, y=%d", "x y"),
        ("bytes read: %zu of %llu", "read of"),
        ("100%% of %-5.2f", "of"), ("addr 0x%lx", "addr"),
        ("a %d a %d a %d", "a a_2 a_3"), ("text #tracefmt%s", "text"),
        ("s %.*s t %d", "arg1 s t"), ("error %m code %d", "code"),
        ("%d%%%d", "arg1 arg2"), ("9lives %d", "arg1"), ("end %", "")):
    check("names of: " + text, TaffrailFormat(text).names, names.split())

for form, text, want in (
        ("id %d url %s", "id 7 url /x y", [("id", 7), ("url", b"/x y")]),
        ("GET %s took %d ms", "GET a took 1 took 2 ms",
         [("GET", b"a took 1"), ("took", 2)]),
        ("a %-5dz", "a 7    z", [("a", 7)]),
        ("a %5d b %x c %#o", "a   -12 b ff c 017",
         [("a", -12), ("b", 255), ("c", 15)]),
        ("p %p q %p", "p 0x10 q (nil)", [("p", 16), ("q", 0)]),
        ("f %g e %e", "f 2.5 e -1.000000e+10", [("f", 2.5), ("e", -1e10)]),
        ("c %c%%", "c A%", [("c", 65)]),
        ("s %s", "s ", [("s", b"")]),
        ("a %s b %s c %s", "a x b y b z c c",
         [("a", b"x"), ("b", b"y b z"), ("c", b"c")]),
        ("s %.*s t %d", "s abc t 3", [("s", b"abc"), ("t", 3)]),
        ("error %m code %d", "error No such file code 2", [("code", 2)]),
        ("%2$s %1$d", "two 1", [("arg2", b"two"), ("arg1", 1)]),
        ("a%cb n%n", "ab n", [("a", 0)]), ("%m sure", "%m sure", []),
        ("id %d", "id x", None), ("id %d", "id 5 more", None),
        ("no arguments", "no arguments", [])):
    check("%s: %s" % (form, text), told(TaffrailFormat(form).fields(text)),
          want)

# A text that fits in no way at all takes no time to refuse.
check("a hostile text is given up",
      TaffrailFormat("%s,%s,%s,%s,%s,%s!").fields("," * 3000), None)
check("hostile blanks are given up", TaffrailFormat("%d" * 9 + "!").fields(
    ("1" + " " * 300) * 9), None)
check("a hostile format is given up",
      TaffrailFormat("%s" * 2000).fields("x" * 2000), None)

check("a signature", taffrail_signature("int64 rounds, string motto"),
      {"rounds": "int64", "motto": "string"})
check("a signature with a sequence", taffrail_signature("double[] v"),
      {"v": "double[]"})
check("no fields are a signature", taffrail_signature(""), {})
check("a format is none", taffrail_signature("id %d url %s"), None)
check("words are none", taffrail_signature("int hello"), None)

TYPES = "int64 n, string s, int32[] v, double d, bool b, pointer p"
check("typed fields", told(taffrail_fields(
    'n = -5, s = "a, \\"b\\" = {1\\n\\303\\244\\x41", v = {1, -2, 0x10}, '
    'd = 2, b = 1, p = 0xfff', TYPES)),
    [("n", -5), ("s", b'a, "b" = {1\n\xc3\xa4A'), ("v", [1, -2, 16]),
     ("d", 2.0), ("b", True), ("p", 4095)])
check("a sequence in brackets, an empty one",
      told(taffrail_fields("v = [ 1, 2 ], w = {}", "int8[] v, int8[] w")),
      [("v", [1, 2]), ("w", [])])
VALUES = {"RUNNING": 5, "LAST": -1}
check("what has another text than its number", told(taffrail_fields(
    "a = RUNNING, b = 017, c = 0xa5, d = 'a', e = '\\'', f = -ENOENT, "
    "g = 5 ms, h = -1 ns, i = LAST, j = EAGAIN, k = true, l = NOBODY",
    ", ".join("int32 " + c for c in "abcdefghijkl"), VALUES.get)),
    [("a", 5), ("b", 15), ("c", 165), ("d", 97), ("e", 39), ("f", -2),
     ("g", 5), ("h", -1), ("i", -1), ("j", 11), ("k", True), ("l", b"NOBODY")])
check("characters that split a text elsewhere", told(taffrail_fields(
    "a = '(', b = '[', c = '{', d = ',', e = '\\\"', f = ')', g = '\\'', "
    "h = '\\\\', i = '\udcff', j = '\\x00', k = '\udcff'",
    ", ".join("int8 " + c for c in "abcdefghij") + ", uint8 k")),
    [("a", 40), ("b", 91), ("c", 123), ("d", 44), ("e", 34), ("f", 41),
     ("g", 39), ("h", 92), ("i", -1), ("j", 0), ("k", 255)])
check("members of structures", told(taffrail_fields(
    "at.x = -5, at.by.n = 7, s = \"at.x = 3\", at.1 = '('",
    "int32 at.x, uint8 at.by.n, string s, int8 at.1")),
    [("at.x", -5), ("at.by.n", 7), ("s", b"at.x = 3"), ("at.1", 40)])
check("a variant that is no sequence", told(taffrail_fields(
    "which = 1, what = 5, which_2 = 0, what_2 = \"a[\"",
    "int32 which, uint8[] what, int32 which_2, uint8[] what_2")),
    [("which", 1), ("what", 5), ("which_2", 0), ("what_2", b"a[")])
names = ["n%060d" % i for i in range(16)]
check("a signature that the target has cut", told(taffrail_fields(
    ", ".join("%s = 'a'" % n for n in names[:3]),
    ", ".join("int8 " + n for n in names)[:1023])),
    [(n, 97) for n in names[:3]])
check("strings in a sequence", told(taffrail_fields(
    'v = {"a,", "}"}', "string[] v")), [("v", [b"a,", b"}"])])
for text, want in (
        ('n = 5, s = "ab\\n...', [("n", 5), ("s", b"ab\n")]),
        ("n = 5, ...", [("n", 5)]), ("...", []),
        ("v = {1, 2, ...", [("v", [1, 2])]), ("v = {...", [("v", [])])):
    check("cut short: " + text, told(taffrail_fields(text, TYPES)), want)
check("escapes as babeltrace2 writes them", told(taffrail_fields(
    r's = "\?\'\x1b1\e"', TYPES)), [("s", b"?'\x1b1\x1b")])
check("not finite", [str(v) for _, v in told(taffrail_fields(
    "a = nan, b = -inf", "double a, float b"))], ["nan", "-inf"])
check("without a marker known", told(taffrail_fields(
    'a = 1, b = "x"', None)), [("a", 1), ("b", b"x")])
check("without fields", told(taffrail_fields("", "")), [])
check("something else", told(taffrail_fields("hello", "int8 a")), None)

# A time since 1970 is one of day; a gdbserver's clock began with the machine
frame = TaffrailFrame(7)
frame.time_ns = 12735839516000
check("a steady clock", frame.when(), "12735.839516 s")
frame.time_ns = 1795519092746411113
check("a time of day", frame.when()[2::3][:2] + frame.when()[-10:],
      "::.746411113")

# Whatever the text, an answer or None, in bounded time; and what is shown
# reads as what it was.
randomizer = random.Random(1)
for _ in range(3000):
    text = "".join(randomizer.choice('a =,"\\{}[]()0x1.5e-%ds\n\udcff')
                   for _ in range(randomizer.randrange(40)))
    for extra in (None, "", "a %d b %s", TYPES, text):
        taffrail_fields(text, extra)
    data = bytes(randomizer.randrange(256) for _ in range(20))
    if taffrail_value(taffrail_escape(data)) != data:
        check("random bytes", taffrail_escape(data), data)
check("random texts end", True, True)
