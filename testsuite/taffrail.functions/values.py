#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random functions with known arguments and results, in all places of the
calling convention: registers, the stack, structures in parts.

values.py make SEED FILE.c       writes a program, which prints each call as
                                 JSON: function, arguments by field, value
values.py compare CALLS EVENTS.json SAID
    compares events of the entries and returns with the calls. SAID is what the
    recorder printed: a value without a field must be named there.

With -DFAULT the program prints one argument otherwise than it is.
"""
import json
import random
import re
import struct
import sys

HEAD = """\
#include <stdbool.h>
#include <stdio.h>
#ifdef __clang__
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone))
#endif
#ifdef FAULT
#define FAULTY(n) (n) + 1
#else
#define FAULTY(n) (n)
#endif
enum color { RED, GREEN = 5, BLUE, DARK = -7 };
static const char *name_of(enum color c)
{
\treturn c == RED ? "RED" : c == GREEN ? "GREEN" : c == BLUE ? "BLUE" : "DARK";
}
volatile int sum;
"""
CALLS, FUNCTIONS = 5, 12


def integer(bits, signed):
    def make(rng):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else \
            (0, (1 << bits) - 1)
        n = rng.choice([low, high, 0, rng.randint(low, high), 1])
        return f"({n + 1}ll - 1)" if signed else f"{n}ull"
    return ("%lld", "(long long)%s") if signed else \
        ("%llu", "(unsigned long long)%s"), make


def real(rng):
    return repr(rng.choice([0.0, -0.5, 1e10, rng.randint(-9999, 9999) * 0.25]))


# C type: how it is printed, what makes a value
TYPES = {
    "signed char": integer(8, True), "unsigned char": integer(8, False),
    "short": integer(16, True), "unsigned short": integer(16, False),
    "int": integer(32, True), "unsigned int": integer(32, False),
    "long": integer(64, True), "unsigned long": integer(64, False),
    "bool": (("%d", "%s"), lambda rng: rng.choice("01")),
    "float": (("%.9g", "%s"), real), "double": (("%.17g", "%s"), real),
    "enum color": (('\\"%s\\"', "name_of(%s)"), lambda rng:
                   rng.choice(["RED", "GREEN", "BLUE", "DARK"])),
    "const char *": (('\\"%s\\"', "%s"), lambda rng: rng.choice(
        ['""', '"pear"', '"two words"', f'"{"x" * rng.randint(1, 40)}"'])),
}
NO_FIELD = "long double"


def structure(rng, parameter):
    """Gives members, (name, type, bits)."""
    members = []
    for i in range(rng.randint(1, 4)):
        name, kind = f"{parameter}m{i}", rng.choice(list(TYPES))
        bits = rng.randint(2, 7) if kind in ("int", "unsigned int") and \
            rng.random() < 0.4 else 0
        members.append((name, kind, bits))
    return members


def value_of(rng, kind, bits):
    if not bits:
        return TYPES[kind][1](rng)
    low = -(1 << bits - 1) if kind == "int" else 0
    return str(rng.randint(low, low + (1 << bits) - 1))


def make(seed, path):
    rng = random.Random(seed)
    text, calls = HEAD, ""
    for f in range(FUNCTIONS):
        parameters, shown, made = [], [], []
        for i in range(rng.randint(1, 9)):
            name, pick = f"p{i}", rng.random()
            if pick < 0.25:
                members = structure(rng, name)
                kind = f"struct s{f}_{i}"
                text += kind + " { " + "".join(
                    f"{k} {n}{f' : {b}' if b else ''}; "
                    for n, k, b in members) + "};\n"
                shown += [(n, k, f"{name}.{n}") for n, k, b in members]
                made.append(lambda kind=kind, members=members: f"({kind}){{ "
                            + ", ".join(value_of(rng, k, b)
                                        for n, k, b in members) + " }")
            else:
                kind = NO_FIELD if pick > 0.96 else rng.choice(list(TYPES))
                if kind != NO_FIELD:
                    shown.append((name, kind, name))
                made.append(lambda kind=kind: value_of(
                    rng, "double" if kind == NO_FIELD else kind, 0))
            parameters.append(f"{kind} {name}")
        result = rng.choice(list(TYPES) + ["void"])
        values = []
        for n, k, e in shown:
            if not f and k not in ("enum color", "const char *"):
                e = f"FAULTY({e})"
            values.append(", " + TYPES[k][0][1] % f"({e})")
        names = ", ".join(f'\\"{n}\\": {TYPES[k][0][0]}' for n, k, e in shown)
        text += f"FUNCTION {result} f{f}({', '.join(parameters)})\n{{\n" \
            f'\tprintf("{{\\"f\\": \\"f{f}\\", \\"fields\\": {{{names}}}"' \
            f"{''.join(values)});\n"
        for p in parameters:
            text += f"\tsum += *(char *)&{p.split()[-1].strip('*')};\n"
        if result == "void":
            text += '\tprintf("}\\n");\n}\n'
        else:
            # of a text that is returned, the address
            shape, how = TYPES[result][0] if "*" not in result else \
                ("%lu", "(unsigned long)%s")
            text += f"\tstatic const {result} results[] = {{ " + \
                ", ".join(value_of(rng, result, 0) for i in range(CALLS)) + \
                f" }};\n\tstatic int n;\n\t{result} value = results[n++];\n" \
                f'\tprintf(", \\"value\\": {shape}}}\\n", ' \
                f"{how % 'value'});\n\treturn value;\n}}\n"
        for i in range(CALLS):
            calls += f"\tf{f}({', '.join(m() for m in made)});\n"
    with open(path, "w") as file:
        file.write(f"{text}int main(void)\n{{\n{calls}\treturn 0;\n}}\n")


def same(known, told):
    if isinstance(told, dict):
        told = told["name"]
    if isinstance(known, float) or isinstance(told, float):
        # a float has nine digits
        return known == told or struct.pack("f", known) == \
            struct.pack("f", told) and abs(known) < 1e30
    return known == told


def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def compare(calls, events, said):
    known, told, values, wrong = {}, {}, 0, 0
    for call in lines_of(calls):
        known.setdefault(call["f"], []).append(call)
    for event in lines_of(events):
        told.setdefault(event["event"].split(":")[1], []).append(
            event["fields"])
    with open(said) as file:
        limits = dict(re.findall(r"limits of (f\d+): (.*)", file.read()))
    for f, of in known.items():
        for end in "", "%return":
            found = told.get(f + end, [])
            if len(found) != len(of):
                print(f"{f}{end}: {len(found)} events, {len(of)} calls")
                wrong += 1
            for call, fields in zip(of, found):
                have = {k: v for k, v in call.items() if k == "value"} if end \
                    else call["fields"]
                for name, value in have.items():
                    values += 1
                    if name in fields and same(value, fields[name]) or \
                       name not in fields and \
                       re.search(rf"\b({name}\b|{name.split('m')[0]} )",
                                 limits.get(f, "")):
                        continue
                    wrong += 1
                    print(f"{f}{end}: {name} = {fields.get(name)}, not {value}")
    print(f"{values} values, {wrong} wrong")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3])
else:
    compare(*sys.argv[2:5])
