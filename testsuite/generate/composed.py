# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments that are several fields, as structures, unions by tag and
std::variant: a part of arguments.Maker. Each is one value of a row: ("struct",
[(member, value)]) or ("variant", number, label, bytes, value or None)."""
import values as v

LISTED = {"float64": "double", "float32": "float", "text": "string",
          "empty": "nothing"}


class Composed:
    def composed_kinds(self):
        kinds = [self.structure, self.structure, self.union]
        if self.program.library and self.program.year >= 17:
            kinds += [self.variant] * 4
        return kinds

    def part(self):
        """A random type: its declaration, with a %s for the name; its kind;
        what makes a literal and a value."""
        rng, chance = self.rng, self.rng.random()
        if chance < 0.5:
            type, bits, signed, _ = rng.choice(self.program.integers())
            if signed is None:
                signed = not self.program.unsigned_char
            numbers = [v.random_integer(rng, bits, signed)
                       for _ in range(self.rounds)]
            return (type + " %s", ("int" if signed else "uint") + str(bits),
                    [v.integer_literal(n) for n in numbers],
                    [("int", n, bits) for n in numbers], bits // 8)
        if chance < 0.65:
            single = rng.random() < 0.5
            numbers = [v.random_float(rng, single, self.program.finite)
                       for _ in range(self.rounds)]
            return ("float %s" if single else "double %s",
                    "float" if single else "double",
                    [v.float_literal(x, "F" if single else "")
                     for x in numbers],
                    [("float", x) for x in numbers], 4 if single else 8)
        if chance < 0.85:
            # none is empty: see reader.stale_strings
            texts = [v.random_text(rng) or b"e" for _ in range(self.rounds)]
            return ("const char *%s", "string",
                    [v.text_literal(t) for t in texts],
                    [("string", t) for t in texts], None)
        size = rng.choice((1, 4, 9))
        texts = [bytes(rng.randint(1, 255) for _ in range(
            rng.randint(1, size))) for _ in range(self.rounds)]
        # C++ takes no literal whose NUL has no room
        return ("char %%s[%d]" % size, "string",
                ["{ %s }" % ", ".join("(char)%d" % c for c in t)
                 for t in texts],
                [("string", t) for t in texts], None)

    def placed(self, a, table, macro, more):
        """Writes the argument: element `i` of a table, in a macro."""
        how = self.rng.random()
        if how < 0.3:
            a.local = "const %s l%s = %s[i]; " % (a.type, table, table)
            where = "l" + table
        else:
            form = "%s[%s]" if how < 0.7 else "*(%s + %s)"
            where = form % (table, self.index(a))
        name = self.program.name("f")
        a.name = name
        a.text = "TAFFRAIL_FIELD(%s, %s(%s, %s))" % (name, macro, where, more)
        if self.rng.random() < 0.5:
            a.text = "%s(TAFFRAIL_FIELD(%s, %s), %s)" % (macro, name, where,
                                                         more)
        a.whole = a.named = a.sequence = True
        return a

    def listed(self, names):
        """The list as it stands in a marker: it may be a macro."""
        if self.rng.random() < 0.5:
            return names, ""
        macro = self.program.name("L")
        return macro, "#define %s %s\n" % (macro, names)

    def structure(self):
        type = self.program.name("St")
        parts = [(self.program.name("m"), *self.part())
                 for _ in range(self.rng.randint(1, 5))]
        table = self.program.name("t")
        a = self.argument("", [
            ("struct", [(name, values[r]) for name, _, _, _, values, _
                        in parts]) for r in range(self.rounds)], None)
        a.members = [(name, kind, "") for name, _, kind, _, _, _ in parts]
        a.type = "struct " + type
        names, macro = self.listed(", ".join(p[0] for p in parts))
        a.top = "struct %s { char x; %s };\n%s" % (type, " ".join(
            "%s;" % (declared % name) for name, declared, *_ in parts), macro)
        a.top += "TAFFRAIL_STRUCT_MEMBERS(struct %s, %s);\n" % (type, names)
        a.top += "static %sstruct %s %s[] = { %s };\n" % (
            self.rng.choice(("", "const ")), type, table, ", ".join(
                "{ 0, %s }" % ", ".join(p[3][r] for p in parts)
                for r in range(self.rounds)))
        return self.placed(a, table, "TAFFRAIL_STRUCT", names)

    def union(self):
        type = self.program.name("Un")
        parts = [(self.program.name("m"), self.program.name("Op"),
                  *self.part())
                 for _ in range(self.rng.randint(1, 5))]
        numbers = self.rng.sample((-5, 0, 1, 2, 7, 99, 1000), len(parts) + 1)
        chosen = [self.rng.randint(0, len(parts)) for _ in range(self.rounds)]
        table, tags = self.program.name("t"), self.program.name("t")
        values = []
        for r, k in enumerate(chosen):
            if k == len(parts):
                values.append(("variant", k, "none", 0, None))
                continue
            _, label, _, _, _, every, size = parts[k]
            if size is None:
                size = len(every[r][1])
            values.append(("variant", k, label, size, every[r]))
        a = self.argument("", values, None)
        labels = [p[1] for p in parts] + ["none"]
        a.members = [
            ("tag", "uint32", ", ".join("%s=%d" % (label, k) for k, label
                                        in enumerate(labels))),
            ("value", "uint8[]", ", ".join("%s: %s" % (label, kind)
                                           for label, kind in zip(labels, [
                                               p[3] for p in parts] +
                                               ["nothing"])))]
        a.type = "union " + type
        options, macro = self.listed(", ".join(
            "(%s, %s)" % (p[1], p[0]) for p in parts))
        a.top = "enum { %s };\nunion %s { %s };\n%s" % (
            ", ".join("%s = %d" % (p[1], n) for p, n in zip(parts, numbers)),
            type, " ".join("%s;" % (p[2] % p[0]) for p in parts), macro)
        a.top += "TAFFRAIL_UNION_OPTIONS(union %s, %s);\n" % (type, options)
        a.top += "static const int %s[] = { %s };\n" % (
            tags, ", ".join(str(numbers[k]) for k in chosen))
        # filled in where the marker stands: C++ before 20 has no designators
        a.top += "static union %s %s[%d];\n" % (type, table, self.rounds)
        a.top += "static union %s *at%s(int i)\n{\n\tswitch (i) {\n" % (
            type, table)
        for r, k in enumerate(chosen):
            if k == len(parts):
                continue
            name, _, declared, _, literals, every, _ = parts[k]
            if "[" in declared:
                text = every[r][1]
                fill = "memcpy(%s[i].%s, %s, %d); if (%d < (int)sizeof(%s" \
                    "[i].%s)) %s[i].%s[%d] = 0;" % (
                        table, name, v.text_literal(text), len(text),
                        len(text), table, name, table, name,
                        min(len(text), int(declared.split("[")[1][:-1]) - 1))
            else:
                fill = "%s[i].%s = %s;" % (table, name, literals[r])
            a.top += "\tcase %d: %s break;\n" % (r, fill)
        a.top += "\tdefault: break;\n\t}\n\treturn &%s[i];\n}\n" % table
        where = "*at%s(%s)" % (table, self.index(a))
        a.name = self.program.name("f")
        a.text = "TAFFRAIL_FIELD(%s, TAFFRAIL_UNION(%s, %s[i], %s))" % (
            a.name, where, tags, options)
        a.whole = a.named = a.sequence = True
        return a

    def variant(self):
        words, types, every = [], [], []
        for _ in range(self.rng.randint(1, 5)):
            declared, kind, literals, values, size = self.part()
            if "[" in declared:
                continue
            text = kind == "string"
            types.append(self.rng.choice(("std::string", "const char *"))
                         if text else declared[:-3])
            words.append({"string": "text", "double": "float64",
                          "float": "float32"}.get(kind, kind))
            every.append((literals, values, size))
        types.append("std::monostate")
        words.append("empty")
        labels = [w + ("_%d" % (words[:k].count(w) + 1) if w in words[:k]
                       else "") for k, w in enumerate(words)]
        chosen = [self.rng.randint(0, len(every)) for _ in range(self.rounds)]
        type, table = self.program.name("Va"), self.program.name("t")
        values, made = [], []
        for r, k in enumerate(chosen):
            place = "std::in_place_index<%d>" % k
            if k == len(every):
                values.append(("variant", k, labels[k], 0, None))
            else:
                literals, told, size = every[k]
                values.append(("variant", k, labels[k], len(told[r][1])
                               if size is None else size, told[r]))
                place += ", " + literals[r]
            made.append("%s(%s)" % (type, place))
        a = self.argument("", values, None)
        labels.append("none")
        a.members = [
            ("tag", "uint32", ", ".join("%s=%d" % (label, k) for k, label
                                        in enumerate(labels))),
            ("value", "uint8[]", ", ".join(
                "%s: %s" % (label, LISTED.get(w, w)) for label, w
                in zip(labels, words + ["empty"])))]
        a.top = "typedef std::variant<%s> %s;\n" % (", ".join(types), type)
        a.top += "static const %s %s[] = { %s };\n" % (type, table,
                                                      ", ".join(made))
        a.text = "%s[%s]" % (table, self.index(a))
        a.name, a.sequence, a.whole = table, True, True
        return self.named(a) if self.rng.random() < 0.3 else a
