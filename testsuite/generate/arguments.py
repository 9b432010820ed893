# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments of markers: random types, places of storage, ways to write them.

Each has its declarations, the text that stands in the marker, the name and the
type of its field, and the value of each round (values.py). The text refers to
the round as `i`, and to counters that say how often it was evaluated.
"""
import composed
import integers
import objects
import shown
import values as v
from values import integer_literal


class Argument:
    def __init__(self, text, values, kind):
        self.text = text
        self.values = values
        self.kind = kind        # as `taffrail list` names it; None: not told
        self.name = None        # None: the number of the argument
        self.top = ""           # declarations of the file
        self.local = ""         # declarations before the marker
        self.counters = []
        self.conversion = None  # of printf, for values of the right type
        self.extra = []         # arguments before it, as of %.*s
        self.named = False      # by TAFFRAIL_FIELD,
        self.bare = None        # whose expression this is
        self.sequence = values[0][0] in ("sequence", "array")
        self.null = False       # a string that no precision cuts
        self.base = 10          # in the trace
        self.shown = ""         # how `list` says that it is shown
        self.whole = False      # only of TAFFRAIL_EVENT and its like
        self.enumeration = None     # type, (label, name, value)s, declaration
        self.members = None     # of several fields: name, kind, how shown

    def unnamed(self):
        """Takes TAFFRAIL_FIELD off."""
        if self.named:
            self.text, self.name, self.named = self.bare, None, False


class Maker(composed.Composed, objects.Objects, shown.Shown):
    """Makes the arguments of one marker of a program."""
    argument = Argument

    def __init__(self, program, rounds):
        self.program, self.rng = program, program.rng
        self.rounds = rounds

    # Parts of texts

    def index(self, argument):
        """`i`, counted or not."""
        if self.rng.random() < 0.7:
            return "hit(%d, i)" % self.counter(argument)
        return "i"

    def counter(self, argument):
        number = self.program.counter(self.rounds)
        argument.counters.append(number)
        return number

    def named(self, argument):
        name = self.program.name("f")
        argument.bare = argument.text
        argument.text = "TAFFRAIL_FIELD(%s, %s)" % (name, argument.text)
        argument.name, argument.named = name, True
        return argument

    # Storage of a table of literals: one of a type that can be declared as
    # `TYPE NAME[]`.

    def stored(self, type, literals, values, kind, conversion=None):
        a = Argument("", values, kind)
        a.conversion = conversion
        table = self.program.name("t")
        how = self.rng.choice(self.program.storages())
        quality = self.rng.choice(self.program.qualities(type))
        if how == "member":
            packed = self.rng.choice(("", " __attribute__((packed))"))
            a.top = "struct S%s { char pad; %s m%s; }%s;\n" % (
                table, type, table, packed)
            a.top += "static struct S%s %s[%d] = { %s };\n" % (
                table, table, self.rounds,
                ", ".join("{ 0, %s }" % x for x in literals))
            a.name = "m" + table
            a.text = self.rng.choice(("%s[%s].m%s", "(%s + %s)->m%s")) % (
                table, self.index(a), table)
            return a
        a.top = "%s %s[%d] = { %s };\n" % (
            quality % type, table, self.rounds, ", ".join(literals))
        a.name = table
        getattr(self, "from_" + how)(a, type, table)
        return a

    def from_table(self, a, _, table):
        a.text = "%s[%s]" % (table, self.index(a))

    def from_pointer(self, a, _, table):
        a.text = "*(%s + %s)" % (table, self.index(a))
        self.named(a)

    def from_comma(self, a, _, table):
        a.text = "(n_[%d]++, %s[i])" % (self.counter(a), table)
        self.named(a)

    def from_function(self, a, type, table):
        a.top += ("static%s %s get%s(int i) { n_[%d]++; return %s[i]; }\n" % (
            self.rng.choice((" inline", " __attribute__((noinline))", "")),
            type, table, self.counter(a), table))
        a.text = "get%s(i)" % table
        self.named(a)

    def from_local(self, a, type, table):
        a.local = "%s l%s = %s[i]; " % (
            self.rng.choice(("%s", "const %s", "volatile %s")) % type, table,
            table)
        a.text = a.name = "l" + table

    def from_assigned(self, a, type, table):
        a.local = "%s l%s; " % (type, table)
        a.text = "l%s = %s[%s]" % (table, table, self.index(a))
        self.named(a)

    def from_macro(self, a, _, table):
        a.top += "#define M%s %s[%s]\n" % (table, table, self.index(a))
        a.text = a.name = "M" + table

    def from_thread(self, a, type, table):
        a.top += "static __thread %s v%s;\n" % (type, table)
        a.local = "v%s = %s[i]; " % (table, table)
        a.text = a.name = "v" + table

    def from_union(self, a, type, table):
        a.top += "static union { %s u%s; char all[32]; } w%s;\n" % (
            type, table, table)
        a.local = "w%s.u%s = %s[i]; " % (table, table, table)
        a.text, a.name = "w%s.u%s" % (table, table), "u" + table

    def from_expression(self, a, type, table):
        a.text = "__extension__ ({ %s r_ = %s[i]; n_[%d]++; r_; })" % (
            type, table, self.counter(a))
        self.named(a)

    def from_reference(self, a, type, table):
        a.local = "const volatile %s &r%s = %s[i]; " % (type, table, table)
        a.text = a.name = "r" + table

    def from_cast(self, a, type, table):
        a.text = "static_cast<%s>(%s[%s])" % (type, table, self.index(a))
        self.named(a)

    def from_lambda(self, a, _, table):
        a.text = "[&] { n_[%d]++; return %s[i]; }()" % (self.counter(a), table)
        self.named(a)

    def from_literal(self, a, type, table):
        a.text = "((%s){ %s[%s] })" % (type, table, self.index(a))
        self.named(a)

    # Kinds of values

    def integer(self):
        name, bits, signed, _ = self.rng.choice(self.program.integers())
        if signed is None:
            signed = not self.program.unsigned_char
        numbers = [v.random_integer(self.rng, bits, signed)
                   for _ in range(self.rounds)]
        kind = ("int" if signed else "uint") + str(bits)
        letters = "di" if signed else "uxXo"
        length = {8: "hh", 16: "h", 32: "", 64: "l"}[bits]
        if "long long" in name:
            length = "ll"
        a = self.stored(name, [integer_literal(n) for n in numbers],
                        [("int", n, bits) for n in numbers], kind,
                        (length, letters))
        if name.endswith(("char16_t", "char32_t")):
            a.conversion = None     # clang warns of them, as in printf
        return a

    def boolean(self):
        numbers = [self.rng.randint(0, 1) for _ in range(self.rounds)]
        return self.stored("bool" if self.program.cxx else "_Bool",
                           [str(n) for n in numbers],
                           [("bool", n) for n in numbers], "bool",
                           ("", "d"))

    def floating(self):
        type, single, suffix, length = self.rng.choice(
            self.program.floats())
        numbers = [v.random_float(self.rng, single, self.program.finite)
                   for _ in range(self.rounds)]
        a = self.stored(type, [v.float_literal(x, suffix) for x in numbers],
                        [("float", x) for x in numbers],
                        "float" if single else "double", (length, "feg"))
        if "_Atomic float" in a.top or "_Float" in type:
            a.conversion = None     # compilers warn of it, as in printf
        return a

    def enumeration(self):
        name = self.program.name("e")
        bits, signed, form = self.rng.choice(self.program.enumerations())
        low, high = v.limits(bits, signed)
        numbers = [v.random_integer(self.rng, bits, signed)
                   for _ in range(self.rounds)]
        # The extremes fix the type that the compiler takes.
        items = [((name + "::" if "class" in form else "") + name + "_%d" % k,
                  name + "_%d" % k, n)
                 for k, n in enumerate([low, high] + numbers)]
        top = form % (name, ", ".join("%s = %s" % (
            item, integer_literal(n)) for _, item, n in items)) + "\n"
        type = ("enum %s" if not self.program.cxx else "%s") % name
        a = self.stored(type, [label for label, _, _ in items[2:]],
                        [("int", n, bits) for n in numbers],
                        ("int" if signed else "uint") + str(bits))
        a.top = top + a.top
        a.enumeration = type, items, top
        if "class" in form and self.program.year >= 14:
            self.spelled(a, items)
        return a

    def spelled(self, a, items):
        """The compiler names small values of an enum class, without a list."""
        names = {}
        for _, name, n in items:
            if -1 <= n <= 126:
                names.setdefault(n, name)
        if names:
            a.values = [("state", n, [names[n]] if n in names else [])
                        for _, n, _ in a.values]
            a.shown = ", ".join("%s=%d" % (names[n], n) for n in sorted(names))

    def pointer(self):
        type = self.rng.choice((
            "void *", "const void *", "int *", "volatile double *",
            "unsigned char *", "const signed char *", "struct nothing *",
            "void (*)(int)", "char **", "const char *const *", "int (*)[7]",
            "wchar_t *"))
        numbers = [self.rng.choice((0, 1, 0x1000, (1 << 47) - 1,
                                    (1 << 64) - 1, self.rng.getrandbits(64)))
                   for _ in range(self.rounds)]
        top = local = self.program.name("p")
        top = "typedef %s;\n" % (type.replace("*)", "*%s)" % local, 1)
                                 if "*)" in type else type + local)
        a = self.stored(local, ["(%s)%dULL" % (local, n) for n in numbers],
                        [("pointer", n) for n in numbers], "pointer")
        if type == "void *":
            a.conversion = ("", "p")
        a.top = top + a.top
        return a

    def address(self):
        """An address that the program tells."""
        thing = self.program.name("o")
        word = "a" + thing
        a = Argument("", [("address", word)] * self.rounds, "pointer")
        form = self.rng.choice(("int %s[3];", "double %s[2][2];", "function",
                                "struct { int x; } %s;"))
        if form == "function":
            a.top = "static void %s(int x) { (void)x; }\n" % thing
        else:
            a.top = "static %s\n" % (form % thing)
        text = thing if "struct" not in form else "&" + thing
        self.program.tells(word, text)
        a.text = "(n_[%d]++, %s)" % (self.counter(a), text)
        return self.named(a)

    def bit_field(self):
        type, bits, signed = self.rng.choice(self.program.bit_fields())
        width = self.rng.choice((1, self.rng.randint(1, bits)))
        table = self.program.name("b")
        numbers = [v.random_integer(self.rng, width, signed)
                   for _ in range(self.rounds)]
        before = self.rng.randint(1, 31)
        a = Argument("", [("int", n, 64) if type not in ("bool", "_Bool")
                          else ("bool", n) for n in numbers], None)
        a.top = ("static struct { unsigned x : %d; %s m%s : %d; } %s[%d] = "
                 "{ %s };\n" % (before, type, table, width, table, self.rounds,
                                ", ".join("{ 1, %s }" % integer_literal(n)
                                          for n in numbers)))
        a.text = self.rng.choice(("%s[%s].m%s", "(%s + %s)->m%s")) % (
            table, self.index(a), table)
        a.name = "m" + table
        return a

    def compound(self):
        counters = []

        def leaf():
            type = self.rng.choice([t for t in integers.TYPES if t != "char"
                                    and t != "bool"])
            bits, signed, _ = integers.TYPES[type]
            numbers = [v.random_integer(self.rng, bits, signed)
                       for _ in range(self.rounds)]
            table = self.program.name("t")
            tops.append("%s %s[%d] = { %s };\n" % (
                self.rng.choice(self.program.qualities(type)) % type, table,
                self.rounds, ", ".join(map(integer_literal, numbers))))
            return integers.Node(table + "[i]", type, numbers)
        tops = []
        node = integers.Maker(self.rng, self.rounds, self.program.cxx,
                              leaf).make(self.rng.randint(1, 3))
        values, kind = node.field()
        a = Argument("(n_[%d]++, %s)" % (self.program.counter(self.rounds),
                                         node.text), values, kind)
        a.counters = counters
        a.top = "".join(tops)
        return self.named(a)

    def literal(self):
        text, value, kind, name = self.rng.choice((
            ("5", ("int", 5, 32), "int32", None),
            ("-7L", ("int", -7, 64), "int64", None),
            ("0xffffffffu", ("int", 0xffffffff, 32), "uint32", None),
            ("2.5", ("float", 2.5), "double", None),
            ("-0.75f", ("float", -0.75), "float", None),
            ("sizeof(int)", ("int", 4, 64), "uint64", "f"),
            ('"a literal"', ("string", b"a literal"), "string", None),
            ('""', ("string", b""), "string", None),
            ('"two " "parts"', ("string", b"two parts"), "string", None),
            ("'c'", ("int", 99, 8), "char", None)))
        if kind == "char":
            kind = "int32"
            if self.program.cxx:
                kind = "uint8" if self.program.unsigned_char else "int8"
        a = Argument(text, [value] * self.rounds, kind)
        return self.named(a) if name else a

    def string(self):
        texts = [v.random_text(self.rng) for _ in range(self.rounds)]
        values = [("string", t) for t in texts]
        how = self.rng.choice(("table", "table", "array", "bytes", "null",
                               "qualified", "object"))
        if how == "null":
            table = self.program.name("t")
            a = Argument("", [("string", b"(null)")] * self.rounds, "string")
            a.top = "static const char *%s[%d];\n" % (table, self.rounds)
            a.text, a.name = "%s[%s]" % (table, self.index(a)), table
            a.conversion, a.null = ("", "s"), True
            return a
        table = self.program.name("t")
        size = max(map(len, texts)) + 1
        literals = [v.text_literal(t) for t in texts]
        if how == "object" and self.program.strings:
            a = Argument("", values, "string")
            a.top = "static const char *const %s[] = { %s };\n" % (
                table, ", ".join(literals))
            a.local = "std::string s%s(%s[i]); " % (table, table)
            a.text = "s%s.c_str()" % table
            a.name = "s" + table
            if self.rng.random() < 0.5:
                a.text = "(n_[%d]++, std::string(%s[i]).c_str())" % (
                    self.counter(a), table)
                self.named(a)
            a.conversion = ("", "s")
            return a
        if how in ("table", "qualified", "object"):
            pointed = "const volatile char" if how == "qualified" else \
                self.rng.choice(("const char", "char"))
            a = self.stored("t" + table, ["(%s *)%s" % (pointed, x)
                                          for x in literals],
                            values, "string",
                            ("", "s") if how == "table" else None)
            a.top = "typedef %s *t%s;\n" % (pointed, table) + a.top
            return a
        a = Argument("", values, "string")
        a.name = table
        a.top = "static %schar %s[%d][%d] = { %s };\n" % (
            "unsigned " if how == "bytes" else "", table, self.rounds, size,
            ", ".join(literals))
        a.text = "%s[%s]" % (table, self.index(a))
        if how == "bytes":
            a.text = "TAFFRAIL_STR(%s)" % a.text
            a.sequence = True
        else:
            a.conversion = ("", "s")
        return a

    def sequence(self):
        count = self.rng.choice((0, 1, 2, 3, 5, 8, 17))
        table = self.program.name("t")
        make = self.rng.choice(("bytes", "integers", "integers", "floats",
                                "pointers", "bools", "null"))
        if make in ("bytes", "null"):
            type, kind = "unsigned char", "uint8"
            item = lambda: ("int", self.rng.getrandbits(8), 8)
        elif make == "integers":
            type, bits, signed, _ = self.rng.choice(self.program.integers())
            if signed is None:
                signed = not self.program.unsigned_char
            kind = ("int" if signed else "uint") + str(bits)
            item = lambda: ("int", v.random_integer(self.rng, bits, signed),
                            bits)
        elif make == "floats":
            single = self.rng.random() < 0.5
            type = kind = "float" if single else "double"
            item = lambda: ("float", v.random_float(self.rng, single,
                                                    self.program.finite))
        elif make == "pointers":
            type, kind = "void *", "pointer"
            item = lambda: ("pointer", self.rng.getrandbits(48))
        else:
            type, kind = "bool" if self.program.cxx else "_Bool", "bool"
            item = lambda: ("bool", self.rng.randint(0, 1))
        rows = [[item() for _ in range(max(count, 1))]
                for _ in range(self.rounds)]
        a = Argument("", [("sequence", [] if make == "null" else row[:count])
                          for row in rows], kind + "[]")
        a.name = table
        a.top = "%s %s[%d][%d] = { %s };\n" % (
            self.rng.choice(("static %s", "static const %s", "static volatile "
                             "%s")) % type, table, self.rounds, max(count, 1),
            ", ".join("{ %s }" % ", ".join(map(literal_of, row))
                      for row in rows))
        length = self.rng.choice(("%d", "(short)%d", "%du", "%dULL")) % count
        whole = count and make != "null" and self.rng.random() < 0.4
        if not whole and self.rng.random() < 0.5:
            length = "(n_[%d]++, %s)" % (self.counter(a), length)
        if make == "null":
            a.top = "static unsigned char *%s[%d];\n" % (table, self.rounds)
        where = "%s[%s]" % (table, self.index(a))
        a.text = "TAFFRAIL_%s(%s, %s)" % (
            "BYTES" if make == "bytes" else "ARRAY", where, length)
        if whole:
            a.kind = "%s[%d]" % (kind, count)
            a.values = [("array", *x[1:]) for x in a.values]
            a.text = "TAFFRAIL_ELEMENTS(%s)" % where
            a.whole = True
        return self.named(a) if self.rng.random() < 0.3 else a

    def any(self, wanted):
        """A random argument for which wanted() holds."""
        program = self.program
        while True:
            counters, addresses = len(program.counters), set(program.addresses)
            a = self.kind()
            header = program.marker.place.header
            if wanted(a) and not (header and a.values[0][0] == "address"):
                return a
            del program.counters[counters:]
            for word in set(program.addresses) - addresses:
                del program.addresses[word]

    def kind(self):
        chance = self.rng.random()
        if chance < 0.08:
            return self.rng.choice(self.composed_kinds())()
        if chance < 0.25:
            return self.rng.choice(self.shown_kinds())()
        if chance < 0.5 and self.program.objects:
            return self.rng.choice(self.object_kinds())()
        return self.rng.choice((
            self.integer, self.integer, self.integer, self.boolean,
            self.floating, self.floating, self.enumeration, self.pointer,
            self.address, self.bit_field, self.compound, self.compound,
            self.literal, self.string, self.string, self.sequence))()


def literal_of(value):
    if value[0] == "int":
        return integer_literal(value[1])
    if value[0] == "bool":
        return str(value[1])
    if value[0] == "pointer":
        return "(void *)%dULL" % value[1]
    # That of infinity is a float's, which becomes a double in braces, too.
    return v.float_literal(value[1], "" if abs(value[1]) < float("inf")
                           else "F")
