# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fields of a structure belong to one module.

owners.py TABLE FILE...   prints a line "FILE:LINE: fact" a violation

A row of the table is "STRUCT... | FILE..." or "STRUCT... | FILE... | read". Only
these files touch fields of the structures; with "read", others may read fields,
but not change them. A file stands for all with that beginning: a/b for a/b.c and
a/b-private.h.

What must stay true: a variable's type is known by a declaration "struct NAME
..." in the same function, or outside of functions in the same file; a field's
type by the structure's definition, in one of the files.
"""
import collections
import os
import re
import sys

TOKEN = re.compile(r"\w+|->|\+\+|--|[-+*/|&^%]=|<<=|>>=|[=!<>]=|[^\s\w]")
NO_CODE = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
                     re.S)
DECLARED = re.compile(r"\bstruct (\w+)(?:\s|\*|const\b)*(\w+)")
MORE = re.compile(r"\s*(?:\[[^\]]*\]\s*)*,[\s*]*(\w+)\s*(?=[\[,;])")
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.S | re.M)
FIELD = re.compile(r"(\w+)\s*(?:\[[^;]*?\]|:\s*\d+)?\s*[,;]")
MADE = re.compile(r"\bstruct (\w+)(?: \w+(?:\[\w*\])? = |\)\s*)\{")
CHANGES = {"=", "+=", "-=", "|=", "&=", "*=", "/=", "^=", "%=", "<<=", ">>=",
           "++", "--"}


def declared(text):
    """Returns {variable or field: structure} of the declarations in text."""
    names = {}
    for match in DECLARED.finditer(text):
        names[match.group(2)] = match.group(1)
        more = MORE.match(text, match.end())
        while more:
            names[more.group(1)] = match.group(1)
            more = MORE.match(text, more.end())
    return names


def structures(text):
    """Returns {structure: {field: structure or None}} of a file's text."""
    found = {}
    for match in STRUCT.finditer(text):
        found[match.group(1)] = dict.fromkeys(FIELD.findall(match.group(2)))
        found[match.group(1)].update(declared(match.group(2)))
    return found


def parts(text):
    """Returns (position, text, whether it is a function) of all of a file."""
    begin, found = 0, []
    for match in re.finditer(r"^\{\n.*?^\}", text, re.S | re.M):
        head = max(begin, text.rfind("\n\n", begin, match.start()))
        found.append((begin, text[begin:head], False))
        found.append((head, text[head:match.end()], True))
        begin = match.end()
    return found + [(begin, text[begin:], False)]


def chain(tokens, number):
    """Returns [(field, position)] of an access ".a[i]->b", and the number of the
    token behind it."""
    fields = []
    while number + 1 < len(tokens):
        if tokens[number][0] == "[":
            depth = 1
            while depth and number + 1 < len(tokens):
                number += 1
                depth += {"[": 1, "]": -1}.get(tokens[number][0], 0)
            number += 1
        elif tokens[number][0] in (".", "->"):
            fields.append(tokens[number + 1])
            number += 2
        else:
            break
    return fields, number


def accesses(text, structs):
    """Yields (position, structure, field, whether it changes) of a text."""
    every = parts(text)
    outside = {}
    for _, part, inside in every:
        if not inside:
            outside.update(declared(STRUCT.sub("", part)))
    for start, part, inside in every:
        names = dict(outside, **declared(part)) if inside else outside
        tokens = [(m.group(0), m.start()) for m in TOKEN.finditer(part)]
        for number, (word, _) in enumerate(tokens[:-1]):
            before = tokens[number - 1][0] if number else ""
            kind = names.get(word)
            if not kind or before in (".", "->", "struct"):
                continue
            fields, behind = chain(tokens, number + 1)
            changes = before in ("++", "--") or tokens[behind][0] in CHANGES
            for field, position in fields:
                yield start + position, kind, field, changes
                kind = structs.get(kind, {}).get(field)
        # "struct a b = { .c = 1" and "(struct a){ .c = 1"
        for match in MADE.finditer(part):
            field = re.match(r"\s*\.(\w+)", part[match.end():])
            if field:
                yield start + match.end(), match.group(1), field.group(1), True


def main(table, files):
    owners, reads = {}, set()
    with open(table) as file:
        for line in file:
            row = [part.split() for part in line.split("#")[0].split("|")]
            if len(row) > 1:
                owners.update(dict.fromkeys(row[0], row[1]))
                reads.update(row[0] if len(row) > 2 else ())
    texts, known, homes = {}, {}, collections.defaultdict(set)
    for path in files:
        with open(path, errors="replace") as file:
            texts[path] = NO_CODE.sub(
                lambda m: "\n" * m.group(0).count("\n") or "0", file.read())
        for name, fields in structures(texts[path]).items():
            homes[name].add(os.path.dirname(path))
            if path.endswith(".h"):
                known[name] = fields
    for path, text in texts.items():
        own = structures(text)
        folder = os.path.dirname(path)
        for position, kind, field, changes in accesses(text,
                                                       {**known, **own}):
            if kind not in owners or (kind in reads and not changes):
                continue
            # another structure of that name, of this folder
            if folder in homes[kind] and \
                    os.path.dirname(owners[kind][0]) != folder:
                continue
            if not any(path.startswith(owner) and path[len(owner)] in ".-"
                       for owner in owners[kind]):
                print("%s:%d: %s of struct %s is for %s" % (
                    path, text.count("\n", 0, position) + 1, field, kind,
                    " ".join(owners[kind])))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
