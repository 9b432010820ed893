# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects of C++ as arguments: a part of arguments.Maker.

The header of markers knows a class by its members. So most programs have small
classes with the members of the library's, which compile fast; some have the
library's own.
"""
import values as v

CLASSES = r"""
namespace mini {
template <class T> struct Array {
	const T *p; size_t n;
	const T *data() const { return p; }
	size_t size() const { return n; }
};
struct View {
	const char *p; size_t n;
	const char *data() const { return p; }
	size_t size() const { return n; }
	size_t length() const { return n; }
};
struct Text {
	const char *p;
	const char *c_str() const { return p; }
	size_t size() const { return strlen(p); }
};
struct Wrong {
	const char *p;
	explicit Wrong(const char *text) : p(text) {}
	virtual ~Wrong() {}
	virtual const char *what() const { return "the base"; }
};
struct Worse : Wrong {
	explicit Worse(const char *text) : Wrong(text) {}
	const char *what() const override { return p; }
};
template <class T> struct Maybe {
	T v; bool has;
	bool has_value() const { return has; }
	const T &operator*() const { return v; }
};
template <class T> struct Own {
	typedef T element_type;
	T *p;
	T *get() const { return p; }
};
template <class T> struct Cell {
	T v;
	T load() const { return v; }
};
template <long N, long D> struct Ratio {
	static constexpr long num = N, den = D;
};
template <class R, class P> struct Time {
	typedef P period;
	R n;
	R count() const { return n; }
};
template <class T> struct Since {
	T t;
	T time_since_epoch() const { return t; }
};
template <class T> struct Mine { T v; };
struct Keep { void operator()(const volatile void *) const {} };
}
template <class T> struct taffrail_as_field<mini::Mine<T> > {
	static const T &value_(const mini::Mine<T> &m) { return m.v; }
};
"""
HEADERS = """#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#include <variant>
#endif
"""
# Times: the length of a tick in seconds
PERIODS = ((1, 1), (1, 1000), (1, 1000000), (1, 1000000000), (60, 1),
           (3600, 1), (1, 3), (7, 3), (1, 1000000000000), (31556952, 1))
MOST = (1 << 63) - 1


def nanoseconds(count, num, den):
    exact = abs(count) * num * 1000000000 // den
    return max(-MOST - 1, min(MOST, exact if count >= 0 else -exact))


class Objects:
    def object_kinds(self):
        return (self.object_text, self.object_array, self.object_maybe,
                self.object_owner, self.object_cell, self.object_time,
                self.object_mine)

    def library(self, since=11):
        """Whether to take the library's own class."""
        return (self.program.library and self.program.year >= since
                and self.rng.random() < 0.7)

    def table(self, type, literals):
        """Declares a table; returns its name and its declaration."""
        name = self.program.name("t")
        return name, "static %s %s[] = { %s };\n" % (type, name,
                                                     ", ".join(literals))

    def held(self, type, made, values, kind, top, copied=True):
        """An object of a type: a local, a reference to one, a temporary.
        made: its initialiser, which begins with a bracket."""
        name = self.program.name("q")
        a = self.argument("", values, kind)
        a.top = top + "typedef %s T%s;\n" % (type, name)
        a.whole = True
        how = self.rng.choice(("local", "const", "reference") +
                              ("temporary",) * copied)
        if how == "temporary":
            a.text = "(n_[%d]++, T%s%s)" % (self.counter(a), name, made)
            return self.named(a)
        a.local = "%sT%s %s%s; " % (self.rng.choice(("", "const ")), name,
                                    name, made)
        if how == "reference":
            a.local += "const T%s &r%s = %s; " % (name, name, name)
            name = "r" + name
        a.text = a.name = name
        return self.named(a) if self.rng.random() < 0.2 else a

    def object_text(self):
        texts = [v.random_text(self.rng) for _ in range(self.rounds)]
        table, top = self.table("const char *const",
                                map(v.text_literal, texts))
        made, values = "{ %s[i] }" % table, texts
        type = self.rng.choice(("mini::Text", "mini::Worse", "view"))
        if type == "view":
            sizes = [self.rng.choice((0, len(t) // 2, len(t))) for t in texts]
            lengths, more = self.table("const size_t", map(str, sizes))
            top += more
            values = [t[:n] for t, n in zip(texts, sizes)]
            made = "{ %s[i], %s[i] }" % (table, lengths)
            type = "std::string_view" if self.library(17) else "mini::View"
        elif type == "mini::Worse":
            made = "(%s[i])" % table
        elif self.library():
            type, made = "std::string", "(%s[i])" % table
        return self.held(type, made, [("string", t) for t in values],
                         "string", top)

    def numbers(self):
        """The type of a number, its kind, and what makes a value."""
        name, bits, signed, _ = self.rng.choice(self.program.integers())
        if signed is None:
            signed = not self.program.unsigned_char
        return name, ("int" if signed else "uint") + str(bits), lambda: (
            "int", v.random_integer(self.rng, bits, signed), bits)

    def object_array(self):
        type, kind, item = self.numbers()
        count = self.rng.choice((0, 1, 2, 7))
        rows = [[item() for _ in range(max(count, 1))]
                for _ in range(self.rounds)]
        table = self.program.name("t")
        top = "static const %s %s[%d][%d] = { %s };\n" % (
            type, table, self.rounds, max(count, 1), ", ".join(
                "{ %s }" % ", ".join(v.integer_literal(x[1]) for x in row)
                for row in rows))
        if self.library():
            type = "std::vector<%s>" % type
            made = "(%s[i], %s[i] + %d)" % (table, table, count)
        else:
            type = "mini::Array<%s>" % type
            made = "{ %s[i], %d }" % (table, count)
        return self.held(type, made, [("sequence", row[:count])
                                      for row in rows], kind + "[]", top)

    def object_maybe(self):
        there = [self.rng.randint(0, 1) for _ in range(self.rounds)]
        has, top = self.table("const bool", map(str, there))
        if self.rng.random() < 0.4:
            type, kind = "mini::Text", "string"
            texts = [v.random_text(self.rng) for _ in there]
            literals = map(v.text_literal, texts)
            values = [("string", t if is_ else b"(null)")
                      for t, is_ in zip(texts, there)]
            table, more = self.table("const char *const", literals)
            made = "mini::Text{ %s[i] }" % table
        else:
            type, kind, item = self.numbers()
            kind += "[]"
            items = [item() for _ in there]
            values = [("sequence", [x] if is_ else [])
                      for x, is_ in zip(items, there)]
            table, more = self.table("const " + type, [
                v.integer_literal(x[1]) for x in items])
            made = "%s[i]" % table
        if self.library(17):
            type = "std::optional<%s>" % type
            made = "(%s[i] ? %s(%s) : %s())" % (has, type, made, type)
        else:
            type = "mini::Maybe<%s>" % type
            made = "{ %s, %s[i] }" % (made, has)
        return self.held(type, made, values, kind, top + more)

    def object_owner(self):
        type = self.rng.choice(("int", "const char", "void", "double"))
        numbers = [self.rng.choice((0, 8, 1 << 40)) for _ in
                   range(self.rounds)]
        table, top = self.table("%s *const" % type, [
            "(%s *)%dULL" % (type, n) for n in numbers])
        values = [("pointer", n) for n in numbers]
        if self.library():
            return self.held("std::unique_ptr<%s, mini::Keep>" % type,
                             "(%s[i])" % table, values, "pointer", top)
        return self.held("mini::Own<%s>" % type, "{ %s[i] }" % table, values,
                         "pointer", top)

    def object_cell(self):
        type, kind, item = self.numbers()
        values = [item() for _ in range(self.rounds)]
        table, top = self.table("const " + type, [
            v.integer_literal(x[1]) for x in values])
        if self.library():
            return self.held("std::atomic<%s>" % type, "(%s[i])" % table,
                             values, kind, top, self.program.year >= 17)
        return self.held("mini::Cell<%s>" % type, "{ %s[i] }" % table, values,
                         kind, top)

    def object_time(self):
        num, den = self.rng.choice(PERIODS)
        type, bits, signed = self.rng.choice((
            ("int", 32, True), ("long", 64, True), ("short", 16, True),
            ("unsigned", 32, False), ("unsigned long", 64, False)))
        counts = [v.random_integer(self.rng, bits, signed)
                  for _ in range(self.rounds)]
        table, top = self.table("const " + type,
                                map(v.integer_literal, counts))
        values = [("int", nanoseconds(n, num, den), 64, "ns") for n in counts]
        made = "{ %s[i] }" % table
        if self.library():
            type = "std::chrono::duration<%s, std::ratio<%d, %d> >" % (
                type, num, den)
            made = "(%s[i])" % table
        else:
            type = "mini::Time<%s, mini::Ratio<%d, %d> >" % (type, num, den)
            if self.rng.random() < 0.4:
                type, made = "mini::Since<%s >" % type, "{ %s }" % made
        a = self.held(type, made, values, "int64", top)
        a.shown = "ns"
        return a

    def object_mine(self):
        """A class of the program's own; what it holds may be an object."""
        if self.rng.random() < 0.5:
            type, kind, item = self.numbers()
            values = [item() for _ in range(self.rounds)]
            literals = [v.integer_literal(x[1]) for x in values]
            table, top = self.table("const " + type, literals)
            made = "{ %s[i] }" % table
        else:
            type, kind = "mini::Text", "string"
            texts = [v.random_text(self.rng) for _ in range(self.rounds)]
            table, top = self.table("const char *const",
                                    map(v.text_literal, texts))
            values = [("string", t) for t in texts]
            made = "{ { %s[i] } }" % table
        return self.held("mini::Mine<%s>" % type, made, values, kind, top)
