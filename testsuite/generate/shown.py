# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments that TAFFRAIL_ENUM and its like show in another way, and texts of
a length: a part of arguments.Maker.

TAFFRAIL_FIELD stands in such a macro or around it.
"""
import values as v

# Errors that have one name each.
ERRORS = {1: "EPERM", 2: "ENOENT", 4: "EINTR", 5: "EIO", 9: "EBADF",
          12: "ENOMEM", 22: "EINVAL", 32: "EPIPE", 34: "ERANGE",
          110: "ETIMEDOUT", 133: "EHWPOISON"}


def error_names(number):
    name = ERRORS.get(abs(number))
    return [] if name is None else ["-" * (number < 0) + name]


class Shown:
    def shown_kinds(self):
        return (self.base, self.unit, self.truth, self.character,
                self.error, self.state, self.state, self.text, self.text)

    def wrap(self, a, macro, more=""):
        """Puts the macro TAFFRAIL_... around an argument."""
        form = "TAFFRAIL_%s(%%s%s)" % (macro, more)
        if a.named and self.rng.random() < 0.5:
            a.text = "TAFFRAIL_FIELD(%s, %s)" % (a.name, form % a.bare)
        else:
            a.text = form % a.text
        a.conversion, a.whole = None, True
        a.shown = a.shown or macro.lower()
        return a

    def base(self):
        a = self.integer()
        macro, a.base = self.rng.choice((("HEX", 16), ("OCT", 8)))
        return self.wrap(a, macro)

    def unit(self):
        a = self.integer()
        macro, word = self.rng.choice((("DURATION", ""), ("TIME", "time, ")))
        unit = self.rng.choice(("ns", "us", "ms", "s"))
        a.values = [(*x[:3], unit) for x in a.values]
        a.shown = word + unit
        return self.wrap(a, macro, ", " + unit)

    def truth(self):
        a = self.rng.choice((self.integer, self.floating, self.boolean))()
        a.values = [("told", int(bool(x[1])), ["true" if x[1] else "false"])
                    for x in a.values]
        a.kind = "bool"
        return self.wrap(a, "BOOL")

    def character(self):
        a = self.integer()
        signed = not self.program.unsigned_char
        a.values = [("char", v.wrap(x[1], 8, signed)) for x in a.values]
        a.kind = "int8" if signed else "uint8"
        return self.wrap(a, "CHAR")

    def error(self):
        type, bits = self.rng.choice((("int", 32), ("long", 64),
                                      ("short", 16), ("signed char", 8)))
        high = v.limits(bits, True)[1]
        numbers = [self.rng.choice((-1, 1)) * self.rng.choice(
            [n for n in [*ERRORS, 0, 200, 12345] if n <= high])
            for _ in range(self.rounds)]
        a = self.stored(type, [v.integer_literal(n) for n in numbers],
                        [("told", n, error_names(n)) for n in numbers],
                        "int%d" % bits)
        return self.wrap(a, "ERRNO")

    def state(self):
        """An enumeration; some of its values have names."""
        a = self.enumeration()
        type, items, top = a.enumeration
        items = self.rng.sample(items, self.rng.randint(1, len(items)))
        listed = ", ".join(label for label, _, _ in items)
        a.shown = ", ".join("%s=%d" % (name, v.wrap(n, 64, True))
                            for _, name, n in items)
        a.values = [("state", n, [name for _, name, k in items if k == n])
                    for _, n, _ in a.values]
        if self.rng.random() < 0.4:
            macro = self.program.name("L")
            top += "#define %s %s\n" % (macro, listed)
            a.top = a.top.replace(a.enumeration[2], top, 1)
            listed = macro
        if self.program.cxx:
            a.top = a.top.replace(top, top + "TAFFRAIL_ENUM_NAMES(%s, %s);\n"
                                  % (type, listed), 1)
            a.conversion, a.whole = None, True
            if self.rng.random() < 0.5:
                return a
        return self.wrap(a, "ENUM", ", " + listed)

    def text(self):
        table = self.program.name("t")
        texts = [b"\0".join(v.random_text(self.rng) for _ in range(
            self.rng.choice((1, 1, 2)))) for _ in range(self.rounds)]
        sizes = [self.rng.choice((0, 1, len(t) // 2, len(t)))
                 for t in texts]
        sizes = [min(n, len(t)) for n, t in zip(sizes, texts)]
        null = [self.rng.random() < 0.1 for _ in texts]
        a = self.argument("", [
            ("string", b"(null)" if no else t[:n].split(b"\0")[0])
            for t, n, no in zip(texts, sizes, null)], "string")
        a.top = "static const char *const %s[] = { %s };\n" % (
            table, ", ".join("0" if no else v.text_literal(t)
                             for t, no in zip(texts, null)))
        a.top += "static const unsigned l%s[] = { %s };\n" % (
            table, ", ".join(map(str, sizes)))
        a.text = "TAFFRAIL_TEXT(%s%s[%s], l%s[i])" % (
            self.rng.choice(("", "(const void *)", "(const unsigned char *)")),
            table, self.index(a), table)
        a.name, a.whole = table, True
        return self.named(a) if self.rng.random() < 0.3 else a
