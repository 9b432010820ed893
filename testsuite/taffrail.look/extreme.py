# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers at the ends of their types, and what a report must say of them.

Usage: extreme.py make DIR   makes NAME.in, lines for extreme.c; prints all NAMEs
       extreme.py check DIR  compares the reports NAME.json and NAME.text

Python's integers have no end, so all of it is exact. Prints a line for each
difference: "NAME: FORM: ...".
"""
import contextlib
import io
import json
import pathlib
import random
import re
import sys

EXACT = 256         # up to so many numbers, percentiles are exact
PARTS = {'p50': (1, 2), 'p90': (9, 10), 'p99': (99, 100), 'p99.9': (999, 1000)}
U_MAX = 2**64 - 1
S_MAX = 2**63 - 1
S_MIN = -2**63


def edges(low, high):
    """What is beside each power of two between two numbers."""
    found = {low, high, low + 1, high - 1, 0}
    for power in range(65):
        for sign in -1, 1:
            found |= {sign * 2**power + d for d in (-1, 0, 1)}
    return sorted(n for n in found if low <= n <= high)


def sets_of(name):
    """The numbers of each name, with the type's letter; random ones of `name`."""
    rng = random.Random(name)
    return {
        'u_max': ('u', [U_MAX]),
        's_max': ('s', [S_MAX]),
        'below': ('u', [2**60 - 1]),
        's_min': ('s', [S_MIN, S_MIN]),
        'u_sum': ('u', [U_MAX] * 200),
        's_sum': ('s', [S_MAX] * 3 + [S_MIN] * 100),
        'u_edges': ('u', edges(0, U_MAX)),
        's_edges': ('s', edges(S_MIN, S_MAX)),
        'u_many': ('u', 5 * edges(0, U_MAX)),
        's_many': ('s', 5 * edges(S_MIN, S_MAX)),
        'u_top': ('u', [U_MAX - rng.randrange(2**12) for _ in range(1000)]),
        's_random': ('s', [rng.randrange(S_MIN, S_MAX) for _ in range(1000)]),
        'whole': ('r', [0.0, 1.0, -3.0, 2.0**53, 2.0**63]),
        'beyond': ('r', [2.0**64, 2.0**70, -2.0**900]),
        'parts': ('r', [0.1, 0.2, -0.25]),
    }


def numbers_of(name):
    """The type's letter, and the numbers."""
    return sets_of(name)[name]


def same(what, got, want):
    if got != want or (isinstance(want, int) and not isinstance(got, int)):
        print(f'{what}: {got!r}, not {want!r}')


def rank(ordered, part):
    over, under = PARTS[part]
    return ordered[max(-(-len(ordered) * over // under), 1) - 1]


def rows_of(numbers):
    """(from, to, count): powers of two, of negative numbers `to` is in it."""
    rows = {}
    for n in numbers:
        size = int(abs(n)).bit_length()
        low = 2**(size - 1) if size else 0
        row = (low, 2**size) if n >= 0 else (-2**size, -low)
        rows[row] = rows.get(row, 0) + 1
    return [(low, high, n) for (low, high), n in sorted(rows.items())]


def check_percentile(part, got, ordered):
    want = rank(ordered, part)
    if len(ordered) <= EXACT:
        same(part, got, want)
    elif abs(got - want) * 256 > abs(want):
        print(f'{part}: {got!r}, not about {want!r}')


def check_json(name, path):
    kind, numbers = numbers_of(name)
    with open(path, encoding='utf-8') as file:
        field = [one for one in json.load(file)['fields']
                 if one['name'] == kind][0]
    ordered = sorted(numbers)
    same('count', field['count'], len(numbers))
    if name == 'parts':
        for key in 'sum', 'min', 'max':
            want = {'sum': sum, 'min': min, 'max': max}[key](numbers)
            if abs(field[key] - want) > 1e-15:
                print(f'{key}: {field[key]!r}, not {want!r}')
        return
    exact = [int(n) for n in ordered]
    if name == 'beyond':        # floating point: the same double
        same('sum', float(field['sum']), float(sum(exact)))
        same('min', float(field['min']), float(exact[0]))
        same('max', float(field['max']), float(exact[-1]))
    else:
        same('sum', field['sum'], sum(exact))
        same('min', field['min'], exact[0])
        same('max', field['max'], exact[-1])
        for part in PARTS:
            check_percentile(part, field[part], exact)
    same('rows', [(int(row['from']), int(row['to']), row['count'])
                  for row in field['histogram']], rows_of(exact))
    if name != 'beyond':
        same('digits', [row for row in field['histogram'] if not (
            isinstance(row['from'], int) and isinstance(row['to'], int))], [])


def check_text(name, path):
    kind, numbers = numbers_of(name)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if name in ('parts', 'beyond'):
        return
    ordered = sorted(int(n) for n in numbers)
    part = text[text.index(f'Field {kind} of app:{kind}\n'):].splitlines()
    got = part[2].split()
    same('columns', part[1].split(), ['count', 'sum', 'min', 'p50', 'p90',
                                      'p99', 'p99.9', 'max', 'field'])
    same('count, sum, min', [int(n) for n in got[:3]],
         [len(numbers), sum(ordered), ordered[0]])
    for one, number in zip(PARTS, got[3:7]):
        check_percentile(one, int(number), ordered)
    same('max', int(got[7]), ordered[-1])
    same('the columns end together', [
        [match.end() for match in re.finditer(r'\S+', line)][:8]
        for line in part[1:3]][0], [
            match.end() for match in re.finditer(r'\S+', part[2])][:8])
    rows = []
    for line in part[3:]:
        match = re.match(r' *(-?\d+) \.\. (-?\d+) +(\d+) \|', line)
        if match and match[3] != '0':
            rows.append(tuple(int(n) for n in match.groups()))
    same('rows', rows, rows_of(ordered))


def check_report(name, form, path):
    """Prints what differs, each line behind the name and the form."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            {'json': check_json, 'text': check_text}[form](name, path)
    except (ArithmeticError, LookupError, OSError, TypeError,
            ValueError) as error:
        print(repr(error), file=out)
    for line in out.getvalue().splitlines():
        print(f'{name}: {form}: {line}')


def main():
    what, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    for name in sets_of(''):
        if what == 'make':
            kind, numbers = numbers_of(name)
            (directory / f'{name}.in').write_text(
                ''.join(f'{kind} {number!r}\n' for number in numbers),
                encoding='utf-8')
            print(name)
            continue
        for form in 'json', 'text':
            check_report(name, form, directory / f'{name}.{form}')
    if what == 'check':
        print('checked')


main()
