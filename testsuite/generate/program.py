# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program of a seed: its compiler and options, its source, and what its
markers must say.

The source has 3 to 7 markers. Channel `on` is recorded, channel `off` is not.
At its end the program tells on its standard output how often each argument was
evaluated ("count SEED N ...") and the addresses that only it knows ("address
SEED WORD N"). With the argument "wait" it prints "ready", reads a line, runs
its markers, prints "done" and reads another line: gdb's tracepoints are made
and read then.
"""
import random
import re

import arguments
import objects
import places
import values as v

FIELDS_MAX = 16
SDT_MAX = 12

# What the sources do on purpose
QUIET = {
    "": "-Wall -Wextra -Werror -Wno-unused -Wno-sign-compare -Wno-overflow "
        "-Wno-parentheses -Wno-type-limits -Wno-missing-field-initializers "
        "-Wno-implicit-fallthrough -Wno-attributes -Wno-missing-braces "
        "-Wno-div-by-zero -Wno-ignored-qualifiers -Wno-int-to-pointer-cast",
    "gcc": "-Wno-bool-operation -Wno-int-in-bool-context -Wno-bool-compare "
           "-Wno-shift-count-overflow -Wno-clobbered -Wno-logical-op "
           "-Wno-packed-not-aligned -Wno-maybe-uninitialized "
           "-Wno-array-bounds -Wno-stringop-overflow "
           "-Wno-stringop-overread",
    "gcc c": "-Wno-absolute-value",
    "gcc c++": "-Wno-volatile",
    "clang": "-Wno-unknown-warning-option -Wno-constant-logical-operand "
             "-Wno-tautological-compare -Wno-tautological-constant-compare "
             "-Wno-deprecated-volatile -Wno-bitfield-constant-conversion "
             "-Wno-literal-conversion -Wno-constant-conversion "
             "-Wno-tautological-bitwise-compare -Wno-bool-operation "
             "-Wno-tautological-overlap-compare -Wno-int-in-bool-context "
             "-Wno-tautological-unsigned-zero-compare -Wno-unused-value "
             "-Wno-unused-command-line-argument -Wno-self-assign",
    "clang c": "-Wno-static-in-inline"}


def quiet(program):
    kinds = ("", program.family, program.family + " " + program.language)
    return " ".join(QUIET.get(kind, "") for kind in kinds).split()


START = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#ifdef __cplusplus
#include <initializer_list>
#endif
#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif
%s
extern volatile unsigned n_[%d];
static volatile int now_;
struct nothing;
static inline int hit(int k, int i) { n_[k]++; return i; }
static __attribute__((noinline)) void use(const volatile void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}
"""

END = r"""
volatile unsigned n_[%d];
static void line_(const char *word)
{
	char c_;

	puts(word);
	fflush(stdout);
	do {
		if (read(0, &c_, 1) != 1)
			break;
	} while (c_ != '\n');
}
#ifdef __cplusplus
extern "C"
#endif
int run(int wait_);
int run(int wait_)
{
	if (wait_)
		line_("ready");
%s
	if (wait_)
		line_("done");
	return 0;
}
__attribute__((destructor(101))) static void told_(void)
{
	unsigned k_;

%s
	printf("count %d");
	for (k_ = 0; k_ < %d; k_++)
		printf(" %%u", n_[k_]);
	puts("");
	fflush(stdout);
}
"""

MAIN = """
int main(int argc, char **argv)
{
	(void)argv;
	return run(argc > 1);
}
"""

LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	int (*run)(int);

	(void)argv;
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&run = dlsym(handle, "run");
	run(argc > 1);
	return dlclose(handle);
}
"""


class Marker:
    def __init__(self, number, kind, channel, name, rounds):
        self.number, self.kind, self.rounds = number, kind, rounds
        self.channel, self.name = channel, name
        self.arguments = []
        self.fields = []        # (name, type, base) of each
        self.shown = {}         # how they are, in words, by name
        self.members = {}       # by name, of arguments of several fields
        self.rows = []          # the values of each round
        self.format = None
        self.place = None

    @property
    def id(self):
        return self.channel + "/" + self.event

    @property
    def event(self):
        """The name of the event that has the fields."""
        return self.name + "_begin" * (self.kind == "TAFFRAIL_SCOPE")

    @property
    def recorded(self):
        return self.channel != "off"


class Program:
    def __init__(self, seed, toolchain):
        self.seed = seed
        self.rng = random.Random("taffrail %d" % seed)
        self.names = 0
        self.counters = []      # (evaluated while off, while on), each
        self.marker = None
        self.addresses = {}
        toolchain.choose(self)
        # The library's headers take long to compile.
        self.strings = self.cxx and self.rng.random() < 0.04
        self.objects = self.cxx and self.rng.random() < 0.3
        self.library = self.objects and self.rng.random() < 0.08
        self.markers = [self.make_marker(k)
                        for k in range(self.rng.randint(3, 7))]
        self.sources = self.write()

    # What the toolchain set: compiler, language, year, family, flags, features

    @property
    def cxx(self):
        return self.language == "c++"

    def name(self, letter):
        self.names += 1
        return "%s%d" % (letter, self.names)

    def counter(self, rounds):
        on = rounds if self.marker.recorded or self.early_values else 0
        self.counters.append((rounds if self.early_values else 0, on))
        return len(self.counters) - 1

    def tells(self, word, text):
        self.addresses[word] = text

    def storages(self):
        both = ["table", "pointer", "comma", "function", "local", "macro",
                "member", "thread", "union", "assigned"]
        # gcc takes two of them for different kinds of data there.
        if "-mcmodel=medium" in self.flags:
            both.remove("thread")
        if not self.early_values:
            both.append("expression")
        if self.cxx:
            both += ["reference", "cast"]
            if self.year >= 20:
                both.append("lambda")
        else:
            both.append("literal")
        return both

    def qualities(self, type):
        choice = ["%s", "static %s", "static const %s", "static volatile %s",
                  "static const volatile %s", "const %s"]
        if not self.cxx and self.year >= 11 and type != "long double":
            choice.append("static _Atomic %s")
        if self.marker.place.header:
            choice = [q for q in choice if q.startswith("static")]
        return choice

    def integers(self):
        return [t for t in v.INTEGERS if not t[3] or self.cxx]

    def floats(self):
        """type, whether it is a float, suffix, length of the conversion"""
        every = [("float", True, "F", ""), ("double", False, "", ""),
                 ("long double", False, "L", "L")]
        if self.language == "c" and self.family == "gcc":
            every += [("_Float32", True, "F", ""), ("_Float64", False, "", ""),
                      ("_Float32x", False, "", "")]
        return every

    def enumerations(self):
        """bits, signed, declaration"""
        every = [(32, True, "enum %s { %s };"), (32, False, "enum %s { %s };")]
        if "short enums" in self.features:
            every = []
        every.append((8, True, "enum %s { %s } __attribute__((packed));")
                     if not self.cxx else
                     (8, True, "enum class %s : signed char { %s };"))
        if self.cxx:
            every += [(64, False, "enum %s : unsigned long { %s };"),
                      (16, True, "enum class %s : short { %s };"),
                      (64, True, "enum class %s : long long { %s };"),
                      (32, False, "enum %s : unsigned { %s };")]
        return every

    def bit_fields(self):
        """type, bits, signed"""
        return [("unsigned", 32, False), ("int", 32, True),
                ("signed char", 8, True), ("unsigned short", 16, False),
                ("long", 64, True), ("unsigned long long", 64, False),
                ("bool" if self.cxx else "_Bool", 1, False)]

    # Markers

    def make_marker(self, number):
        rng = self.rng
        rounds = rng.randint(1, 4)
        channel = rng.choice(("on", "on", "on", "off"))
        if number == 0:
            channel = "on"      # so each program has an event to record
        kind = rng.choice(self.kinds())
        if kind == "ust_marker":
            channel = "ust"
        marker = self.marker = Marker(number, kind, channel, "p%d_m%d" % (
            self.seed, number), rounds)
        marker.place = rng.choice([p for p in places.PLACES if p.fits(self)])
        most = SDT_MAX if self.early_values else FIELDS_MAX
        count = rng.choice((0, 1, 1, 2, 3, 4, 6, most, rng.randint(0, most)))
        maker = arguments.Maker(self, rounds)
        if kind in ("TAFFRAIL_EVENT", "TAFFRAIL_SCOPE", "probe"):
            self.fill_event(marker, maker, count)
        else:
            self.fill_format(marker, maker, count)
        marker.rows = [[a.values[r] for a in marker.arguments]
                       for r in range(rounds)]
        return marker

    def kinds(self):
        kinds = ["TAFFRAIL_EVENT"] * 4 + ["TAFFRAIL_MARK"] * 2
        kinds += ["TAFFRAIL_SCOPE"] * self.cxx
        if "sdt.h" in self.features:
            return kinds + ["probe"] * 6
        return kinds + ["trace_mark", "_trace_mark", "ust_marker"]

    def fill_event(self, marker, maker, count):
        seen, left = {}, count
        while left > 0:
            a = maker.any(lambda a: len(a.members or "1") <= left and (
                marker.kind != "probe" or not (
                    a.sequence or a.whole or a.kind in ("string", None))))
            if marker.kind == "probe":
                a.unnamed()
            marker.arguments.append(a)
            left -= len(a.members or "1")
            if (a.name and not a.named and not a.counters and not a.sequence
                    and not a.local and left >= len(a.members or "1")
                    and self.rng.random() < 0.2):
                marker.arguments.append(a)
                left -= len(a.members or "1")
        number = 1
        for a in marker.arguments:
            name = a.name or "arg%d" % number
            if marker.kind == "probe":
                name = "arg%d" % number
            number += len(a.members or "1")
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                name = "%s_%d" % (name, seen[name])
            marker.fields.append((name, a.kind, a.base))
            marker.shown[name] = a.shown
            if a.members:
                marker.members[name] = a.members

    def fill_format(self, marker, maker, count):
        words = []
        while len(marker.fields) < count:
            a = maker.any(lambda a: a.conversion)
            a.unnamed()
            self.add_conversion(marker, a, words,
                                len(marker.fields) + 2 <= count)
        if len(words) == len(marker.arguments) and self.rng.random() < 0.2:
            words = [word.replace("%", "%%%d$" % k)
                     for k, word in enumerate(words, 1)]
            self.rng.shuffle(words)
        marker.format = self.rng.choice((" ", ", ", " 100%% ")).join(
            words) or "no arguments"

    def add_conversion(self, marker, a, words, room):
        name, rng = self.name("w"), self.rng
        length, letters = a.conversion
        letter = rng.choice(letters)
        base = {"x": 16, "X": 16, "o": 8}.get(letter, 10)
        flags = rng.choice(("", "", "-", "0", "+")) + rng.choice(("", "5"))
        if letter in "sp":
            flags = rng.choice(("", "-9", "9"))
        elif letter not in "difeg":
            flags = flags.replace("+", "")
        if letter == "s" and rng.random() < 0.5:
            length = self.cut(marker, a, room)
        words.append("%s%s%%%s%s%s" % (name, rng.choice((" ", "=", ": ")),
                                       flags, length, letter))
        marker.arguments.append(a)
        marker.fields.append((name, a.kind, base))

    def cut(self, marker, a, room):
        """A precision: the string is cut, and may be an argument itself."""
        size = self.rng.choice((0, 1, 3, 400))
        if not a.null:
            a.values = [("string", x[1][:size]) for x in a.values]
        if not room or self.rng.random() < 0.5:
            return ".%d" % size
        star = arguments.Argument("(int)%d" % size, [("int", size, 32)] *
                                  marker.rounds, "int32")
        marker.arguments.append(star)
        marker.fields.append(("arg%d" % len(marker.arguments), "int32", 10))
        return ".*"

    # The source

    def statement(self, marker):
        texts = [a.text for a in marker.arguments]
        if self.cxx and self.early_values:
            texts = ["(%s)" % t if "," in t and not t.startswith("TAFFRAIL_")
                     else t for t in texts]
        head = [marker.channel, marker.name]
        kind = marker.kind
        if kind == "ust_marker":
            head = head[1:]
        if kind == "probe":
            kind = self.rng.choice(("DTRACE_PROBE", "STAP_PROBE"))
            if texts:
                kind += str(len(texts))
                if self.rng.random() < 0.2:
                    kind = "STAP_PROBEV"
        if marker.format is not None:
            head.append('"%s"' % marker.format)
            if marker.kind != "TAFFRAIL_MARK" and not texts:
                head[-1] = "MARK_NOARGS"
        text = "%s(%s)" % (kind, ", ".join(head + texts))
        if kind == "TAFFRAIL_SCOPE":
            return "do { %s; use(0); } while (0)" % text
        return text

    def placed(self, marker):
        place = marker.place
        words = {"K": str(marker.number), "R": str(marker.rounds),
                 "LOCAL": "".join(dict.fromkeys(
                     a.local for a in marker.arguments)),
                 "CHANNEL": marker.channel, "NAME": marker.name,
                 "SERIES": ", ".join(map(str, range(marker.rounds))),
                 "M": self.statement(marker)}

        def filled(text):
            return re.sub("@([A-Z]+)@", lambda m: words[m.group(1)], text)
        tops = "".join(dict.fromkeys(a.top for a in marker.arguments))
        return tops + filled(place.top), filled(place.drive)

    def write(self):
        """Returns the files: the first is the main source."""
        tops, drives, header, second = [], [], [], []
        name = "p%d" % self.seed
        for marker in self.markers:
            top, drive = self.placed(marker)
            (header if marker.place.header else tops).append(top)
            drives.append("\t{ %s }\n" % drive if drive else "")
            if marker.place.header:
                tops.append("void second%d(int i);\n" % marker.number)
                second.append("void second%d(int i);\nvoid second%d(int i) "
                              "{ m%d(i); }\n" % ((marker.number,) * 3))
        size = max(len(self.counters), 1)
        start = "#include <unistd.h>\n" + START % (self.includes(), size)
        ends = "".join(
            '\tprintf("address %d %s %%llu\\n", (unsigned long long)'
            '(uintptr_t)(%s));\n' % (self.seed, word, text)
            for word, text in self.addresses.items())
        end = END % (size, "".join(drives), ends, self.seed,
                     len(self.counters))
        if "library" not in self.features:
            end += MAIN
        include = '#include "%s.h"\n' % name if header else ""
        suffix = ".cc" if self.cxx else ".c"
        files = {name + suffix: start + include + "".join(tops) + end}
        if header:
            files[name + ".h"] = "".join(header)
            files[name + "-second" + suffix] = start + include + "".join(
                second)
        if "library" in self.features:
            files["main%d.c" % self.seed] = LOADER
        return files

    def includes(self):
        lines = []
        if "sdt args" in self.features:
            lines.append("#define TAFFRAIL_SDT_ARGS")
        if "sdt.h" in self.features:
            lines.append("#include <taffrail/sdt.h>")
        lines.append("#include <taffrail/marker.h>")
        if "sdt.h" not in self.features:
            lines.append("#include <ust/marker.h>")
        # A guard is 0 while its marker is off, but then the arguments of an
        # early marker would not be evaluated.
        lines.append("#define ALWAYS %d" % self.early_values)
        if self.strings:
            lines.append("#include <string>")
        if self.library:
            lines.append(objects.HEADERS)
        if self.objects:
            lines.append(objects.CLASSES)
        return "\n".join(lines)

    # What the trace must have

    def expected(self, marker, told):
        for row in marker.rows:
            yield b", ".join(
                v.field_shown(name, value, base, told)
                for (name, _, base), value in zip(marker.fields, row))

    def signature(self, marker):
        return [(name + "." * bool(member) + member, kind, shown)
                for field, kind, _ in marker.fields
                for name, member, kind, shown in (
                    [(field, *m) for m in marker.members[field]]
                    if field in marker.members else
                    [(field, "", kind, marker.shown.get(field, ""))])]
