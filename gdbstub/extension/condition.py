# SPDX-License-Identifier: LGPL-2.1-or-later
# The part of taffrail-gdb.py (text.py says more) that looks at conditions.
# gdb accepts any condition that it can parse. When gdb cannot translate one of
# them for the target, tstart refuses the whole run, and does not say which. gdb
# translates an action when it is given, so a condition is made an action here
# for a moment.
#
# What must stay true: a tracepoint keeps the actions that it had.
import re

import gdb


def taffrail_without_debug(address):
    """Returns the end of a message: gdb has no debug information there."""
    return "" if gdb.find_pc_line(address).symtab else \
        "; gdb has no debug information there, which -g makes"


class TaffrailSurvival:
    """Lets gdb go on after an internal error of its own, which is an error
    inside of `with`. Outside gdb would ask its user whether to quit; and quits,
    if nobody can be asked."""
    SETTINGS = ("quit", "corefile", "backtrace")

    def __enter__(self):
        self.before = {}
        for name in self.SETTINGS:
            try:
                text = taffrail_told("maint show internal-error " + name)
                gdb.execute("maint set internal-error %s %s" % (
                    name, "off" if name == "backtrace" else "no"), False, True)
            except gdb.error:
                continue                # a gdb that does not have it
            match = re.search(r'is "?(\w+)"?\.', text)
            self.before[name] = match.group(1) if match else "ask"
        return self

    def __exit__(self, *error):
        for name, value in self.before.items():
            gdb.execute("maint set internal-error %s %s" % (name, value),
                        False, True)


class TaffrailSizes:
    """What gdb translates without a word, but to something else: it computes
    with 64 bits, and takes the size of each array for a constant."""
    NUMBER = re.compile(r"(?<![\w.$])(?:0x([0-9a-f]+)|0b([01]+)|(\d+))"
                        r"[ul]*(?![\w.])", re.I)
    NAME = re.compile(r"(?<![\w.$])(?<!->)[A-Za-z_]\w*")
    OPERAND = re.compile(r"[*&\s]*[A-Za-z_]\w*(?:\s*\[[^]]*\])*")

    @classmethod
    def reason(cls, condition, address):
        """Returns why the condition would not be what it says, or None."""
        text = TAFFRAIL_CHARACTER.sub("0", TAFFRAIL_QUOTED.sub("0", condition))
        for number in cls.NUMBER.finditer(text):
            digits = number.group(1) or number.group(2) or number.group(3)
            base = 16 if number.group(1) else 2 if number.group(2) else 10
            if int(digits, base) >> 64:
                return "%s has more than 64 bits" % number.group()
        rest = ""
        while text:
            before, word, text = text.partition("sizeof")
            rest += before + " "
            if word and not re.search(r"\w$", before) and \
                    not re.match(r"\w", text):
                operand = cls.operand(text)
                text = text[len(operand):]
                if cls.varies(operand, address):
                    return "sizeof %s: gdb does not know the size of an " \
                        "array of variable length" % operand.strip()
        for name in cls.NAME.findall(rest):
            if cls.is_wide(name):
                return "%s has more than 64 bits" % name
        return None

    @classmethod
    def operand(cls, text):
        """Returns the operand of sizeof at the start of the text."""
        depth, at = 0, 0
        if not text.lstrip().startswith("("):
            match = cls.OPERAND.match(text)
            return match.group() if match else ""
        for at, c in enumerate(text):
            depth += (c in "([") - (c in ")]")
            if c in ")]" and not depth:
                break
        return text[:at + 1]

    @classmethod
    def varies(cls, operand, address):
        """Returns whether the operand is, or may be, an array of variable
        length."""
        inner = operand.strip()
        while inner.startswith("(") and cls.operand(inner) == inner:
            inner = inner[1:-1].strip()
        found = {}
        for symbol in taffrail_scope(gdb.block_for_pc(address)):
            found.setdefault(symbol.name, symbol)
        element = re.fullmatch(r"([*\s]*)([A-Za-z_]\w*)((?:\s*\[[^]]*\])*)",
                               inner)
        if element and element.group(2) in found:
            kind = cls.bare(found[element.group(2)])
            for _ in range(element.group(1).count("*")
                           + element.group(3).count("[")):
                if kind.code not in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
                    return False
                kind = kind.target().strip_typedefs()
            return cls.is_dynamic(kind)
        return any(cls.is_dynamic(cls.bare(found[name]))
                   for name in cls.NAME.findall(inner)
                   if name in found and found[name].type)

    @staticmethod
    def is_dynamic(kind):
        """A pointer has one size; gdb 16 says of one to an array of variable
        length that it is dynamic, too."""
        return kind.code != gdb.TYPE_CODE_PTR and kind.dynamic

    @staticmethod
    def bare(symbol):
        return symbol.type.strip_typedefs()

    @staticmethod
    def is_wide(name):
        try:
            kind = gdb.lookup_type(name).strip_typedefs()
        except gdb.error:
            return False
        return kind.code == gdb.TYPE_CODE_INT and kind.sizeof > 8


class TaffrailCondition:
    checked = {}                # number -> a condition that is right
    deadly = {}                 # number -> one that would end gdb
    told = {}                   # number -> one that was told of
    silent = False              # `strace` looks at it itself

    @classmethod
    def load(cls):
        """Makes commands that take a condition call typed(). A hook that the
        user has defined stays."""
        for command in "condition", "trace", "ftrace":
            try:
                if "TaffrailCondition" not in gdb.execute(
                        "show user hookpost-" + command, False, True):
                    continue
            except gdb.error:
                pass
            gdb.execute("define hookpost-%s\npython TaffrailCondition.typed()"
                        "\nend" % command, False, True)

    @staticmethod
    def tracepoints():
        """Returns NUMBER -> [condition or None, lines of its actions]."""
        found, last = {}, None
        text = gdb.execute("info tracepoints", False, True)
        for line in text.splitlines():
            match = re.match(r"(\d+)\s+[a-z ]*tracepoint\s", line)
            if match:
                last = found[int(match.group(1))] = [None, []]
            elif last and line.startswith("\ttrace only if "):
                last[0] = line[len("\ttrace only if "):]
            elif last and line.startswith(" " * 8):
                last[1].append(line[8:])
        return found

    @staticmethod
    def give(number, actions):
        gdb.execute("\n".join(["commands %d" % number] + actions + ["end"]),
                    False, True)

    @classmethod
    def reason(cls, number, condition, actions, address):
        """Returns why gdb cannot translate the condition, or None. In
        parentheses, a comma is the operator that it is in a condition."""
        cls.deadly.pop(number, None)
        reason = address and TaffrailSizes.reason(condition, address)
        if reason:
            return reason
        try:
            with TaffrailSurvival():
                cls.give(number, ["teval (%s)" % condition])
        except gdb.error as error:
            # this limit is of actions, and not of conditions
            return None if "too complicated" in str(error) \
                else str(error).rstrip(".")
        except KeyboardInterrupt:
            # gdb's word for "the command is aborted"
            cls.deadly[number] = condition
            return "an internal error of gdb's%s" % (
                ", as of a comma behind a variable" if "," in condition
                else "")
        cls.give(number, actions)
        return None

    @classmethod
    def check(cls, places):
        """Refuses a run in which gdb would end itself, or in which a condition
        would not be what it says. `places` are the tracepoints' addresses."""
        found = cls.tracepoints()
        partly = cls.partly()
        for number, (condition, actions) in found.items():
            if not condition or number not in places:
                continue
            condition = TaffrailFieldNames.typed(number, condition,
                                                 places[number][0])
            # MI, and a run that is on, have not called typed()
            seen = number in partly or number in cls.deadly or \
                cls.checked.get(number) == condition
            reason = TaffrailSizes.reason(condition, places[number][0]) \
                if seen else cls.reason(number, condition, actions,
                                        places[number][0])
            if reason:
                raise gdb.GdbError(
                    "tracepoint %d: gdb cannot translate its condition: %s: %s"
                    % (number, reason, condition))
        for number, condition in cls.deadly.items():
            if found.get(number, [None])[0] == condition:
                raise gdb.GdbError(
                    "tracepoint %d: gdb would end, because it translates the "
                    "condition by an internal error: %s" % (number, condition))

    @staticmethod
    def partly():
        """Returns the tracepoints whose condition gdb translates for some of
        their locations alone, as it has told; but actions for all of them."""
        return {n for all_n in taffrail_tracepoints("N").values()
                for n in all_n}

    @classmethod
    def typed(cls):
        """Checks all conditions, after the user has typed one for any
        breakpoint."""
        if cls.silent:
            return
        found = cls.tracepoints()
        places = {n: address for address, all_n in
                  taffrail_tracepoints().items() for n in all_n}
        partly, right, wrong = cls.partly(), {}, {}
        for number, (condition, actions) in found.items():
            reason = None
            if condition and number not in partly and \
                    cls.checked.get(number) != condition:
                try:
                    condition = TaffrailFieldNames.typed(number, condition,
                                                         places.get(number))
                    reason = cls.reason(number, condition, actions,
                                        places.get(number))
                except gdb.GdbError as error:
                    reason = str(error)
            if not reason:
                right[number] = condition
                continue
            wrong[number] = condition
            if cls.told.get(number) == condition:
                continue
            taffrail_print("Tracepoint %d: gdb cannot translate its "
                           "condition: %s; tstart will refuse it%s"
                           % (number, reason, taffrail_without_debug(
                               places.get(number, 0))))
        cls.checked, cls.told = right, wrong
        TaffrailDprintf.tell()
