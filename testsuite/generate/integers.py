# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compound integer expressions of C and C++, with their type and values.

A node has the text of an expression, the type that the language gives it, and
its values, one for each round of the marker. No node has undefined behaviour.
"""
from values import integer_literal, limits, random_integer, wrap

# name: bits, signed, rank
TYPES = {
    "bool": (1, False, 0), "char": (8, True, 1), "signed char": (8, True, 1),
    "unsigned char": (8, False, 1), "short": (16, True, 2),
    "unsigned short": (16, False, 2), "int": (32, True, 3),
    "unsigned int": (32, False, 3), "long": (64, True, 4),
    "unsigned long": (64, False, 4), "long long": (64, True, 5),
    "unsigned long long": (64, False, 5)}


class Node:
    def __init__(self, text, type, values):
        self.text, self.type, self.values = text, type, values

    def field(self):
        """Its values as fields, and the type that `taffrail list` names."""
        bits, signed, _ = TYPES[self.type]
        if self.type == "bool":
            return [("bool", n) for n in self.values], "bool"
        return ([("int", n, bits) for n in self.values],
                ("int" if signed else "uint") + str(bits))


def promoted(type):
    return "int" if TYPES[type][2] < 3 else type


def common(a, b):
    """The usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if TYPES[a][1] == TYPES[b][1]:
        return a if TYPES[a][2] >= TYPES[b][2] else b
    signed, unsigned = (a, b) if TYPES[a][1] else (b, a)
    if TYPES[unsigned][2] >= TYPES[signed][2]:
        return unsigned
    if TYPES[signed][0] > TYPES[unsigned][0]:
        return signed
    return "unsigned " + signed


def converted(values, type):
    bits, signed, _ = TYPES[type]
    if type == "bool":
        return [int(n != 0) for n in values]
    return [wrap(n, bits, signed) for n in values]


def arithmetic(type, values):
    """Values of an operation in that type; None where it has none."""
    bits, signed, _ = TYPES[type]
    low, high = limits(bits, signed)
    if signed and any(not low <= n <= high for n in values):
        return None
    return converted(values, type)


def divide(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b,
    "*": lambda a, b: a * b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}
COMPARISONS = {
    "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


class Maker:
    """leaf() makes a node of a random type; cxx: comparisons are bool."""

    def __init__(self, rng, rounds, cxx, leaf):
        self.rng, self.rounds, self.leaf = rng, rounds, leaf
        self.truth = "bool" if cxx else "int"
        self.cast = "(bool)(%s)" if cxx else "(_Bool)(%s)"

    def make(self, depth):
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf()
        make = self.rng.choice((self.binary, self.binary, self.compare,
                                self.shift, self.division, self.unary,
                                self.converted, self.chosen, self.logical,
                                self.constant))
        return make(depth - 1) or self.leaf()

    def constant(self, _):
        type = self.rng.choice(("int", "unsigned int", "long",
                                "unsigned long long"))
        bits, signed, _ = TYPES[type]
        value = random_integer(self.rng, bits, signed)
        return Node("((%s)%s)" % (type, integer_literal(value)), type,
                    [value] * self.rounds)

    def binary(self, depth):
        a, b = self.make(depth), self.make(depth)
        type = common(a.type, b.type)
        name = self.rng.choice(sorted(OPERATORS))
        values = arithmetic(type, [OPERATORS[name](x, y) for x, y in zip(
            converted(a.values, type), converted(b.values, type))])
        return values and Node("(%s %s %s)" % (a.text, name, b.text), type,
                               values)

    def compare(self, depth):
        a, b = self.make(depth), self.make(depth)
        type = common(a.type, b.type)
        name = self.rng.choice(sorted(COMPARISONS))
        return Node("(%s %s %s)" % (a.text, name, b.text), self.truth, [
            int(COMPARISONS[name](x, y)) for x, y in zip(
                converted(a.values, type), converted(b.values, type))])

    def shift(self, depth):
        a = self.make(depth)
        type = promoted(a.type)
        bits, signed, _ = TYPES[type]
        count = self.rng.randrange(bits)
        left = self.rng.random() < 0.5
        if signed and any(n < 0 for n in a.values):
            return None
        values = arithmetic(type, [n << count if left else n >> count
                                   for n in a.values])
        return values and Node("(%s %s %d)" % (
            a.text, "<<" if left else ">>", count), type, values)

    def division(self, depth):
        a, b = self.make(depth), self.make(depth)
        type = common(a.type, b.type)
        left, right = converted(a.values, type), converted(b.values, type)
        if 0 in right:
            return None
        values = arithmetic(type, [divide(x, y) for x, y in zip(left, right)])
        if values is None:
            return None
        name = self.rng.choice("/%")
        if name == "%":
            values = [x - y * q for x, y, q in zip(left, right, values)]
        return Node("(%s %s %s)" % (a.text, name, b.text), type, values)

    def unary(self, depth):
        a = self.make(depth)
        name = self.rng.choice("-~+!")
        if name == "!":
            return Node("(!%s)" % a.text, self.truth,
                        [int(not n) for n in a.values])
        type = promoted(a.type)
        values = arithmetic(type, [{"-": -n, "~": ~n, "+": n}[name]
                                   for n in converted(a.values, type)])
        return values and Node("(%s%s)" % (name, a.text), type, values)

    def converted(self, depth):
        a = self.make(depth)
        type = self.rng.choice([t for t in TYPES if t != "char"])
        text = self.cast if type == "bool" else "(%s)(%%s)" % type
        return Node("(%s)" % (text % a.text), type,
                    converted(a.values, type))

    def chosen(self, depth):
        a, b, c = (self.make(depth) for _ in range(3))
        if b.type == c.type:
            type = promoted(b.type)
            if self.truth == "bool":        # C++ does not promote these
                type = b.type
        else:
            type = common(b.type, c.type)
        return Node("(%s ? %s : %s)" % (a.text, b.text, c.text), type, [
            y if x else z for x, y, z in zip(
                a.values, converted(b.values, type),
                converted(c.values, type))])

    def logical(self, depth):
        a, b = self.make(depth), self.make(depth)
        name = self.rng.choice(("&&", "||"))
        return Node("(%s %s %s)" % (a.text, name, b.text), self.truth, [
            int(bool(x and y) if name == "&&" else bool(x or y))
            for x, y in zip(a.values, b.values)])
