#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random programs with known variables at each line, against a second build of
the same source that prints them.

values.py make SEED FILE.c          writes a program
values.py rules LIST.json           prints a rule a line, by `list --lines`
values.py compare ORACLE EVENTS.json RULES EXACT [WRONG.json]
    compares events with what the second build has printed. EXACT 1: each line
    has an event each time; else each event must be one of the moments of its
    line, and all in the same order where they are as many. WRONG.json gets the
    wrong values: line, events there, which of these, name, value.

A line of the oracle is "LINE NAME=VALUE ...", before the line has run.
"""
import json
import random
import re
import sys

HEAD = """\
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#ifdef ORACLE
#define L(...) printf(__VA_ARGS__);
#else
#define L(...)
#endif
enum kind { NONE, FIRST = 3, SECOND, LAST = 200 };
struct inner { short x; const char *text; };
struct part {
\tint a; unsigned b : 5; int c : 7; uint64_t d; const char *name;
\tstruct inner in; struct part *next; double e; char code[6]; enum kind kind;
};
static volatile uint64_t in = 88172645463325252u, sink;
static struct part parts[4];
static const char *const names[] = { "", "one", "two words", "three" };
static uint64_t next(void)
{
\tuint64_t x = in;
\tx ^= x << 13;
\tx ^= x >> 7;
\treturn in = x ^ x << 17;
}
"""
# C type: format, how it is printed, a value
TYPES = {
    "int": ("%d", "%s", "(int)next()"),
    "unsigned": ("%u", "%s", "(unsigned)next()"),
    "int8_t": ("%d", "%s", "(int8_t)next()"),
    "uint16_t": ("%u", "%s", "(uint16_t)next()"),
    "int64_t": ("%lld", "(long long)%s", "(int64_t)next()"),
    "uint64_t": ("%llu", "(unsigned long long)%s", "next()"),
    "bool": ("%d", "%s", "next() & 1"),
    "double": ("%.17g", "%s", "(int)next() * 0.25"),
    "float": ("%.9g", "%s", "(int16_t)next() * 0.5f"),
    "enum kind": ("%d", "(int)%s", "(enum kind)(next() % 5)"),
    "const char *": ("\\\"%s\\\"", "%s", "names[next() % 4]"),
    "struct part *": ("%p", "(void *)%s", "&parts[next() % 4]"),
}
LOOP = "a counter"  # an int, which no statement changes
MEMBERS = [("a", "int"), ("b", "unsigned"), ("c", "int"), ("d", "uint64_t"),
           ("name", "const char *"), ("in.x", "int"),
           ("in.text", "const char *"), ("e", "double"), ("kind", "enum kind"),
           ("next->a", "int"), ("next->name", "const char *")]
NUMBERS = ["int", "unsigned", "int8_t", "uint16_t", "int64_t", "uint64_t"]


def derived(names):
    """Gives expressions of integers and of floating-point numbers, by names."""
    integers, reals = names
    for i, name in enumerate(integers):
        before = integers[i - 1]
        yield [f"(char){name}", f"{name}*3-{before}", f"({name}^{before})&0xff",
               f"{name}/7", f"(short)({name}+{before})", f"-{name}%5",
               f"{name}<<3", f"(bool){name}", f"~{name}>>2",
               f"(double){name}/2"][int(name[1:]) % 10]
    for i, name in enumerate(reals):
        yield [f"(long){name}", f"{name}*2-1.5", f"-{name}",
               f"{name}+{reals[i - 1]}"][int(name[1:]) % 4]


def by_number(names):
    return sorted(names, key=lambda name: int(name[1:]))


class Function:
    def __init__(self, rng, name, others):
        self.rng, self.name, self.others = rng, name, others
        self.scopes = [[]]
        self.lines = []
        self.count = 0

    def variable(self, kind):
        self.count += 1
        name = f"v{self.count}"
        self.scopes[-1].append((name, kind))
        return name

    def known(self, kinds=None):
        return [(n, k) for scope in self.scopes for n, k in scope
                if not kinds or k in kinds]

    def show(self):
        shown = []
        for name, kind in self.known():
            shown.append((name, kind))
            if kind == "struct part *":
                shown += [(f"{name}->{m}", k)
                          for m, k in self.rng.sample(MEMBERS, 3)]
        shown = [(n, "int" if k == LOOP else k) for n, k in shown]
        text = "".join(f" {n}={TYPES[k][0]}" for n, k in shown)
        values = "".join(f", {TYPES[k][1] % n}" for n, k in shown)
        for name in derived([
                by_number([n for n, k in self.known() if k in kinds])
                for kinds in (NUMBERS + [LOOP], ["double", "float"])]):
            text += f" {name.replace('%', '%%')}=%.17g"
            values += f", (double)({name})"
        return f'L("%d{text}\\n", __LINE__{values}) '

    def put(self, text, shows=True):
        tabs = "\t" * len(self.scopes)
        self.lines.append(tabs + (self.show() if shows else "") + text)

    def number(self):
        rng = self.rng
        choices = [n for n, k in self.known(NUMBERS)] + [str(rng.randrange(99))]
        for n, k in self.known(["struct part *"]):
            choices.append(f"{n}->a")
        a, b = rng.choice(choices), rng.choice(choices)
        return f"(uint64_t){a} {rng.choice('+-*^|')} (uint64_t){b}"

    def statement(self, depth):
        rng = self.rng
        what = rng.randrange(12)
        if what < 3:
            kind = rng.choice(list(TYPES))
            name = f"v{self.count + 1}"
            self.put(f"{kind} {name} = {TYPES[kind][2]};")
            self.variable(kind)
        elif what < 6 and self.known(NUMBERS):
            name, kind = rng.choice(self.known(NUMBERS))
            self.put(f"{name} = ({kind})({self.number()});")
        elif what == 6 and self.known(["struct part *"]):
            name, _ = rng.choice(self.known(["struct part *"]))
            self.put(f"{name}->a = (int)({self.number()});")
        elif what == 7 and depth < 2:
            self.put(f"if ((({self.number()}) & 3) < {rng.randrange(1, 4)}) {{")
            self.block(depth + 1)
            self.put("}", False)
        elif what == 8 and depth < 2:
            name = f"v{self.count + 1}"
            self.count += 1
            self.put(f"for (int {name} = 0; {name} < {rng.randrange(2, 4)}; "
                     f"{name}++) {{", False)
            self.block(depth + 1, [(name, LOOP)])
            self.put("}", False)
        elif what == 9 and self.others:
            self.put(self.rng.choice(self.others))
        elif what == 10:
            self.put(f"sink += {self.number()};")
        else:
            self.put(f"sink ^= {self.number()};")

    def block(self, depth, first=()):
        self.scopes.append(list(first))
        for _ in range(self.rng.randrange(2, 6)):
            self.statement(depth)
        self.scopes.pop()

    def make(self, inline):
        kinds = [self.rng.choice(list(TYPES))
                 for _ in range(self.rng.randrange(1, 8))]
        head = "static inline" if inline else "__attribute__((noinline)) static"
        names = [self.variable(k) for k in kinds]
        body = ", ".join(f"{k} {n}" for k, n in zip(kinds, names))
        self.lines.append(f"{head} uint64_t {self.name}({body})")
        self.lines.append("{")
        for _ in range(self.rng.randrange(6, 14)):
            self.statement(0)
        self.put(f"return {self.number()};")
        self.lines.append("}")
        # compilers evaluate arguments in any order
        values = " ".join(f"{k} t{i} = {TYPES[k][2]};"
                          for i, k in enumerate(kinds))
        names = ", ".join(f"t{i}" for i in range(len(kinds)))
        return f"{{ {values} sink += {self.name}({names}); }}"


def make(seed, path):
    rng = random.Random(seed)
    text, calls = [HEAD], []
    for i in range(6):
        f = Function(rng, f"f{i}", list(calls))
        calls.append(f.make(rng.randrange(2)))
        text += [line + "\n" for line in f.lines]
    text.append("int main(void)\n{\n\tfor (int i = 0; i < 4; i++)\n"
                "\t\tparts[i] = (struct part){ i * 1000, (unsigned)i * 9, "
                "(int)(i * 20 - 30), 1ull << (60 + i), names[3 - i], "
                "{ (short)(-i), names[i] }, &parts[(i + 1) % 4], i * 1.5, "
                '"code", i ? SECOND : LAST };\n'
                "\tfor (int i = 0; i < 5; i++) {\n")
    text += [f"\t\t{call}\n" for call in calls]
    text.append("\t}\n\treturn 0;\n}\n")
    with open(path, "w") as file:
        file.write("".join(text))


def rules(path):
    """Prints rules for variables, and for members where there is a pointer."""
    lines, functions = {}, {}
    with open(path) as file:
        for row in json.load(file):
            lines.setdefault(row["rule"], []).extend(row["fields"])
            functions.setdefault(row["rule"], set()).add(row["function"])
    for rule, names in functions.items():
        if len(names) > 1 or not min(names).startswith("f"):
            del lines[rule]
    for rule, fields in sorted(lines.items(),
                               key=lambda r: int(r[0].split(":")[1])):
        names = list(dict.fromkeys(
            f.split(" ", 1)[1] for f in fields if " v" in f))[:10]
        if int(rule.split(":")[1]) % 3 == 0:
            kinds = [{f.split(" ", 1)[1] for f in fields if re.match(k, f)}
                     for k in (r"u?int\d+ v", r"(double|float) v")]
            names = list(derived([by_number(k) for k in kinds]))[:14]
            if names:
                print(f"{rule}({', '.join(names)})")
            continue
        for name in names:
            if f"pointer {name}" in fields:
                names += [f"{name}->{m}" for m, _ in MEMBERS]
                break
        names = names[:14]
        if names:
            print(f"{rule}({', '.join(names)})")


def same(printed, event):
    """Tells whether a value of the oracle is that of an event."""
    if isinstance(event, dict):
        event = event["value"]
    if printed.startswith('"'):
        return printed[1:-1] == event
    if printed == "(nil)":
        return event in (0, "0x0")
    if printed.startswith("0x"):
        # the second build is elsewhere: the distance decides
        return True
    return float(printed) == float(event)


def moment_of(line):
    number, _, rest = line.partition(" ")
    values, name = {}, None
    for word in rest.split(" "):
        if "=" in word and word[0] in "v(-~":
            name, _, text = word.partition("=")
            values[name] = text
        elif name:
            values[name] += " " + word
    return int(number), values


def fits(moment, event):
    return all(same(moment[n], v) for n, v in event if n in moment)


def expressions_of(path):
    with open(path) as file:
        for line in file:
            where, _, rest = line[:-2].partition("(")
            yield int(where.split(":")[1]), rest.split(", ")


def named(expressions, fields):
    """Gives fields by expressions. A place may lack some of them."""
    rest = iter(expressions)
    for field, value in fields.items():
        for expression in rest:
            last = re.findall(r"[A-Za-z_]\w*", expression)[-1]
            if last == re.sub(r"_\d+$", "", field):
                yield expression, value
                break


def wrong_of(moments, event):
    """Gives what does not fit the moment that is nearest."""
    return min(([(n, v["value"] if isinstance(v, dict) else v)
                 for n, v in event if n in m and not same(m[n], v)]
                for m in moments), key=len)


def compare(oracle, events, chosen, exact, list_of_wrong=None):
    moments, seen, names = {}, {}, dict(expressions_of(chosen))
    with open(oracle) as file:
        for line in file:
            number, values = moment_of(line.rstrip("\n"))
            moments.setdefault(number, []).append(values)
    with open(events) as file:
        for line in file:
            event = json.loads(line)
            number = int(event["event"].rsplit(":", 1)[1])
            seen.setdefault(number, []).append(
                list(named(names[number], event["fields"])))
    wrong = values = 0
    told = []
    for number, found in sorted(seen.items()):
        known = moments.get(number)
        if not known:
            continue
        pairs = len(found) == len(known)
        if exact and not pairs:
            print(f"line {number}: {len(found)} events, {len(known)} times")
            wrong += 1
        for i, event in enumerate(found):
            values += len(event)
            if fits(known[i], event) if pairs else \
               any(fits(m, event) for m in known):
                continue
            wrong += 1
            told += [(number, len(found), i, *value) for value in
                     wrong_of([known[i]] if pairs else known, event)]
            print(f"line {number}: {event} is none of",
                  known[i] if pairs else known[:3])
    missing = [n for n in moments if n in names and n not in seen]
    if exact and missing:
        print(f"no events of lines {missing}")
        wrong += 1
    if list_of_wrong:
        with open(list_of_wrong, "w") as file:
            json.dump(told, file)
    print(f"{values} values, {len(seen)} lines, {wrong} wrong")
    return wrong > 0


def main():
    if sys.argv[1] == "make":
        return make(int(sys.argv[2]), sys.argv[3])
    if sys.argv[1] == "rules":
        return rules(sys.argv[2])
    return compare(*sys.argv[2:5], int(sys.argv[5]), *sys.argv[6:])


sys.exit(main())
