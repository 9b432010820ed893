#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a program whose functions branch in all the ways that compilers know.

    branches.py SEED

Prints source in C that is also C++: dense and sparse switches, computed gotos,
loops around a whole function, early returns, calls in tail position, calls through
pointers, longjmp, and in C++ exceptions. The program prints a number for each of
its functions, which depends on every way through it. Functions call those of lower
numbers only, so each call ends.
"""
import random
import sys

FUNCTIONS = 60

HEAD = """#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#define KEEP __attribute__((noinline))
typedef uint64_t function(uint64_t a, uint64_t b);
static uint64_t counts[8];
static jmp_buf back;
"""


class Writer:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.number = 0
        self.loops = 0
        self.lines = []

    def callee(self):
        """Returns the number of a function far below, or None in a loop."""
        if self.loops or self.number < 4:
            return None
        return self.chance.randrange(self.number // 4)

    def constant(self):
        return str(self.chance.choice((1, 3, 5, 7, 255, 65537, 0x9E3779B9)))

    def value(self):
        pick = self.chance.randrange(6)
        if pick == 0:
            return "a * %s" % self.constant()
        if pick == 1:
            return "(a ^ b >> %d)" % self.chance.randint(1, 9)
        if pick == 2:
            return "(b + counts[a & 7])"
        if pick == 3:
            return "(uint64_t)((int32_t)a / %d)" % self.chance.choice((3, 7, 10))
        if pick == 4 and self.chance.random() < 0.4:
            other = self.callee()
            if other is not None:
                return "f%d(%s, b + 1)" % (other, self.constant())
        return "(a + %s)" % self.constant()

    def part(self, depth):
        """Returns lines of one statement."""
        pick = self.chance.randrange(9)
        if pick <= 1 and depth < 2:
            step = self.chance.choice((1, 1, 1, 37))
            ways = self.chance.randint(3, 24)
            lines = ["switch (%s %% %d) {" % (self.value(), ways * step + 1)]
            for way in range(ways):
                lines.append("case %d:" % (way * step))
                lines += self.part(depth + 1)
                if self.chance.random() < 0.3:
                    lines.append("return %s;" % self.value())
                elif self.chance.random() < 0.8:
                    lines.append("break;")
            return lines + ["default:", "b ^= %s;" % self.constant(), "}"]
        if pick == 2 and depth < 2:
            self.loops += 1
            inner = self.part(depth + 1)
            self.loops -= 1
            return ["do {", *inner, "b = b * 5 + 1;",
                    "} while ((b >> 7 & 7) > 4 && ++counts[7] % 64 < 60);"]
        if pick == 3:
            return ["if (%s & %d) {" % (self.value(), 1 << self.chance.randrange(5)),
                    "return %s;" % self.value(), "}"]
        if pick == 4:
            return ["if (b & %d)" % (1 << self.chance.randrange(4)),
                    "a += %s;" % self.value(), "else", "b ^= %s;" % self.value()]
        if pick == 5:
            return ["counts[%d] += a;" % self.chance.randrange(8)]
        if pick == 6 and self.chance.random() < 0.3 and self.callee() is not None:
            return ["a ^= table[a %% %d](b, a);" % (self.number // 4)]
        return ["a = %s;" % self.value(), "b += %s;" % self.value()]

    def computed(self):
        n = self.chance.randint(3, 9)
        labels = ", ".join("&&l%d" % k for k in range(n))
        lines = ["static void *const labels[] = { %s };" % labels,
                 "uint64_t steps = 3 + (a & 7);", "goto *labels[b %% %d];" % n]
        self.loops += 1
        for k in range(n):
            lines += ["l%d:" % k, *self.part(2), "if (!steps--)",
                      "return a ^ %s;" % self.constant(),
                      "goto *labels[(a + %d) %% %d];" % (k, n)]
        self.loops -= 1
        return lines

    def function(self):
        name = "f%d" % self.number
        kind = self.chance.randrange(10)
        if kind == 0:
            body = ["return %s;" % self.value()]
        elif kind == 1:
            body = self.computed()
        elif kind == 2 and self.number > 3:
            other = self.callee()
            body = [*self.part(1), "return f%d(a, b);" % other]
        elif kind == 3 and self.number > 3:
            other = self.callee()
            body = ["if (a & %d)" % (1 << self.chance.randrange(3)),
                    "return f%d(b, a);" % other, "return a - b;"]
        elif kind == 4:
            body = ["if (b % 11 == 3)", "leave(a);", *self.part(0), "return a + b;"]
        else:
            body = []
            for _ in range(self.chance.randint(1, 5)):
                body += self.part(0)
            body.append("return a + b;")
        self.lines += ["KEEP static uint64_t %s(uint64_t a, uint64_t b)" % name, "{",
                       *body, "}"]
        self.number += 1

    def write(self):
        self.lines += [HEAD, "extern function *const table[];",
                       "#ifdef __cplusplus",
                       "KEEP static void leave(uint64_t a) { throw a; }",
                       "#else",
                       "KEEP static void leave(uint64_t a)",
                       "{ counts[1] ^= a; longjmp(back, 1); }", "#endif"]
        for _ in range(FUNCTIONS):
            self.function()
        names = ", ".join("f%d" % k for k in range(FUNCTIONS))
        self.lines += [
            "extern function *const table[] = { %s };" % names,
            "KEEP static uint64_t call(int i, uint64_t a, uint64_t b)", "{",
            "#ifdef __cplusplus",
            "try { return table[i](a, b); }",
            "catch (uint64_t thrown) { return thrown ^ 77; }",
            "#else",
            "if (setjmp(back))", "return counts[1] ^ 77;",
            "return table[i](a, b);",
            "#endif", "}",
            "int main(void)", "{",
            "for (int i = 0; i < %d; i++) {" % FUNCTIONS,
            "uint64_t sum = 0;",
            "for (uint64_t k = 0; k < 40; k++)",
            "sum = sum * 31 + call(i, k * 0x9E3779B97F4A7C15u >> (k & 31), k);",
            'printf("%d %llx\\n", i, (unsigned long long)sum);', "}",
            "return 0;", "}"]
        return "\n".join(self.lines)


print(Writer(int(sys.argv[1])).write())
