# SPDX-License-Identifier: LGPL-2.1-or-later
# The part of taffrail-gdb.py (text.py says more) that looks at variables around
# markers.
# In an inlined function gcc describes a marker's own variables, taffrail_...,
# as if they were the function's. And gdb refuses a whole run, and does not say
# which variable of which tracepoint was the cause, when it cannot translate one
# of $args or $locals for the target.
#
# What must stay true: a tracepoint keeps its actions, except the words $args
# and $locals.
import re

import gdb

TAFFRAIL_OWN = "taffrail_"      # how names of a marker's own variables begin


def taffrail_scope(block):
    """Yields the symbols of a block and of those around it, up to its
    function, as gdb's own `info locals` does."""
    while block:
        yield from block
        block = None if block.function else block.superblock


def taffrail_locals(level):
    """Returns [[NAME or None, TEXT]]: the lines of `info locals` of the frame
    at this level. A command that replaces another cannot call it, but `bt
    -full` prints the same lines, with eight blanks before each."""
    text = taffrail_told("bt -full -no-filters %d" % (level + 1))
    entries, inside = [], False
    for line in text.splitlines():
        if line.startswith("#"):
            inside = line.startswith("#%d " % level)
        elif inside and line.startswith(" " * 8):
            line = line[8:]
            match = re.match(r"([A-Za-z_$]\w*) = ", line)
            if match or not entries:
                entries.append([match and match.group(1), line])
            else:
                entries[-1][1] += "\n" + line
    return entries


def taffrail_inlined(block):
    """Returns whether the function around a block is inlined there."""
    while block and not block.function:
        block = block.superblock
    block = block and block.superblock
    return bool(block) and not block.is_static


class TaffrailInfoLocals(TaffrailCommand):
    """All local variables of current stack frame or those matching REGEXPs.

info locals [-q] [-t TYPEREGEXP] [NAMEREGEXP]
-q: print nothing when there are none.

This is Taffrail's: it leaves out variables of markers (taffrail_...), which
GDB's own command lists in functions that gcc has inlined."""

    def __init__(self):
        super().__init__("info locals", gdb.COMMAND_STACK)

    def run(self, argument):
        match = re.fullmatch(r"(-q\s*)?(?:-t\s+(\S+)\s*)?(-q\s*)?(?:--\s*)?"
                             r"(.*)", argument)
        quiet = match.group(1) or match.group(3)
        entries = taffrail_locals(gdb.selected_frame().level())
        if match.group(2) or match.group(4):
            wanted = self.matching(match.group(2), match.group(4))
            entries = [e for e in entries if e[0] in wanted]
        shown = [text for name, text in entries
                 if not (name or "").startswith(TAFFRAIL_OWN)]
        if shown:
            gdb.write("\n".join(shown) + "\n")
        elif not quiet:
            taffrail_print("No matching locals." if argument
                           else "No locals.")

    @staticmethod
    def matching(kind, name):
        return {s.name for s in taffrail_scope(gdb.selected_frame().block())
                if re.search(name or "", s.name)
                and re.search(kind or "", str(s.type))}


class TaffrailCollected:
    """The words $args and $locals in `collect` of tracepoints. tstart puts
    the variables that gdb can translate in their places, where gdb could not
    translate all, or would take a marker's own."""
    WORDS = {"arg": "$args", "loc": "$locals"}
    # what gdb translates of a place (dwarf2_compile_expr_to_ax())
    OPERATORS = re.compile(
        r"DW_OP_(?:fbreg|breg(?:\d+|x)|reg(?:\d+|x)|lit\d+|const[us1248]+|addr|"
        r"plus|plus_uconst|minus|mul|neg|not|and|or|xor|shl|shr|shra|dup|drop|"
        r"over|swap|deref|deref_size|call_frame_cfa|stack_value)")
    OTHERS = (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_BLOCK,
              gdb.SYMBOL_LOC_LABEL)

    @classmethod
    def load(cls):
        """Makes `tstart` call start(), by a command: gdb shows the error of a
        command alone. A hook that the user has defined stays."""
        lacking = TaffrailStaticData.is_lacking()
        try:
            if not lacking and "taffrail check" not in gdb.execute(
                    "show user hook-tstart", False, True):
                return
        except gdb.error:
            pass
        leave = "python TaffrailStaticData.leave()\n" if lacking else ""
        gdb.execute("define hook-tstart\n%staffrail check\nend" % leave,
                    False, True)

    @classmethod
    def start(cls):
        if taffrail_trace_frame() >= 0:
            # gdb's tstart leaves the frame, but keeps its registers
            taffrail_tfind(-1)
        places = {}
        for address, numbers in taffrail_tracepoints("ynN").items():
            for number in numbers:
                places.setdefault(number, []).append(address)
        TaffrailCondition.check(places)
        for number, (_, actions) in TaffrailCondition.tracepoints().items():
            if places.get(number) and actions:
                cls.change(number, places[number], actions)

    @classmethod
    def change(cls, number, addresses, actions):
        changed = [cls.line(number, addresses, line, actions)
                   for line in actions]
        if changed != actions:
            TaffrailCondition.give(number, changed)

    @classmethod
    def line(cls, number, addresses, line, actions):
        """Returns the line of an action with variables in place of words."""
        match = re.match(r"(\s*)(collect(?:/\S+)?\s+)(.*)", line)
        if not match:
            return line
        items = []
        for item in taffrail_split(match.group(3)):
            word = cls.WORDS.get(item[1:4].lower()) \
                if item.startswith("$") else None
            names = word and cls.names(number, addresses, word, actions)
            items += [item] if names is None else names
        # an empty list would take the fields of the marker
        return match.group(1) + (match.group(2) + ", ".join(items) if items
                                 else "teval 0")

    @classmethod
    def found(cls, block, word):
        """Returns the names of a word's variables, and of those among them
        that an inner variable of the same name hides: by that name gdb would
        take the other."""
        names, seen, hidden = [], set(), set()
        for symbol in taffrail_scope(block):
            if symbol.addr_class in cls.OTHERS:
                continue
            if symbol.is_argument == (word == "$args"):
                if symbol.name in seen:
                    hidden.add(symbol.name)
                else:
                    names.append(symbol.name)
            seen.add(symbol.name)
        return names, sorted(hidden)

    @staticmethod
    def places(address):
        """Returns NAME -> where its variables are at an address, the inner one
        first; "" where the compiler does not tell."""
        text = taffrail_told("info scope *%d" % address)
        found = {}
        for part in re.split(r"^Symbol ", text, flags=re.MULTILINE)[1:]:
            name, _, place = part.partition(" is ")
            if re.match("a typedef|a label|a function", place):
                continue
            if place.startswith("optimized out"):
                place = ""
            elif place.startswith("multi-location:"):
                place = "".join(
                    what for low, high, what in re.findall(
                        r"Range 0x([0-9a-f]+)-0x([0-9a-f]+): "
                        r"((?:(?!Range 0x).)*)", place, re.DOTALL)
                    if int(low, 16) <= address < int(high, 16))
            found.setdefault(name, []).append(place)
        return found

    @classmethod
    def place_reason(cls, place):
        """Returns why gdb cannot translate a place, or None. It translates what
        is hidden only at tstart, for the word."""
        for operator in re.findall(r"DW_OP_\w+", place):
            if not cls.OPERATORS.fullmatch(operator):
                return "DWARF operator %s cannot be translated to an agent " \
                    "expression" % operator
        return None

    @classmethod
    def reason(cls, number, what):
        """Returns why gdb cannot collect it, or None."""
        try:
            with TaffrailSurvival():
                TaffrailCondition.give(number, ["collect " + what])
        except gdb.error as error:
            return str(error).rstrip(".")
        except KeyboardInterrupt:
            return "an internal error of gdb's"
        return None

    @classmethod
    def scope(cls, addresses, word):
        """Returns the names of a word's variables at all places, those that
        are hidden, and why gdb cannot translate some that it would take for
        the word and that names() does not try one by one."""
        names, hides, why = [], [], None
        for address in addresses:
            found, hidden = cls.found(gdb.block_for_pc(address), word)
            several = len(addresses) > 1
            places = cls.places(address) if hidden or several else {}
            # a compiler may describe a variable once more, without a place
            hidden = [n for n in hidden if not n.startswith(TAFFRAIL_OWN)
                      and any(places.get(n, [])[1:])]
            tried = found if several else hidden + [
                n for n in found if n.startswith(TAFFRAIL_OWN)]
            why = why or next(filter(None, (
                cls.place_reason(place) for n in tried
                for place in places.get(n, []))), None)
            names += [n for n in found if n not in names]
            hides += [n for n in hidden if n not in hides]
        return names, hides, why

    @classmethod
    def names(cls, number, addresses, word, actions):
        """Returns the variables to collect, or None when gdb can collect the
        word. gdb takes arguments of the function around an inlined one for
        $args, whose names are not known there. Of several places, gdb knows
        the names of each; where it cannot translate one, only variables that
        it can collect at each place are left."""
        found, hidden, whole = cls.scope(addresses, word)
        inlined = word == "$args" and any(
            taffrail_inlined(gdb.block_for_pc(a)) for a in addresses)
        if len(addresses) > 1 and not whole and not inlined:
            return None
        own = [n for n in found if n.startswith(TAFFRAIL_OWN)]
        good, gone, reasons = [], [], {}
        for name in found:
            reason = None if name in own else cls.reason(number, name)
            if reason and "optimized" in reason:
                gone.append(name)
            elif reason:
                reasons.setdefault(reason, []).append(name)
            elif name not in own:
                good.append(name)
        TaffrailCondition.give(number, actions)
        # only the word has what is hidden, and beside it a marker's own
        if not inlined and not whole and not reasons and (hidden or not own):
            return None
        if hidden:
            reasons["hidden by an inner variable of the same name" +
                    ("; " + whole if whole and len(addresses) == 1 else "")
                    ] = hidden
        cls.tell(number, word, good, gone, reasons)
        return good

    @staticmethod
    def tell(number, word, good, gone, reasons):
        lacking = ["%s (%s)" % (", ".join(names), reason)
                   for reason, names in reasons.items()]
        if gone:
            lacking.append("%s (optimized out)" % ", ".join(gone))
        if lacking:
            taffrail_print("Tracepoint %d: gdb cannot collect %s; %s is %s" % (
                number, "; ".join(lacking), word,
                ", ".join(good) or "empty"))


class TaffrailCheck(TaffrailCommand):
    """Check tracepoints before a run, as `tstart' does.

taffrail check
Puts variables in place of $args and $locals where gdb could not translate
them, says which of them cannot be collected and why, and refuses a condition
of which gdb would end."""

    def __init__(self):
        super().__init__("taffrail check", gdb.COMMAND_TRACEPOINTS)

    def run(self, argument):
        TaffrailCollected.start()
