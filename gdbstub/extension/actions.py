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
    OTHERS = (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_BLOCK,
              gdb.SYMBOL_LOC_LABEL)

    @classmethod
    def load(cls):
        """Makes `tstart` call start(). A hook that the user has defined
        stays."""
        lacking = TaffrailStaticData.is_lacking()
        try:
            if not lacking and "Taffrail" not in gdb.execute(
                    "show user hook-tstart", False, True):
                return
        except gdb.error:
            pass
        leave = "TaffrailStaticData.leave()\n" if lacking else ""
        gdb.execute("define hook-tstart\npython\n%sTaffrailCollected.start()\n"
                    "end\nend" % leave, False, True)

    @classmethod
    def start(cls):
        if taffrail_trace_frame() >= 0:
            # gdb's tstart leaves the frame, but keeps its registers
            taffrail_tfind(-1)
        places = {}
        for address, numbers in taffrail_tracepoints("ynN").items():
            for number in numbers:
                places.setdefault(number, []).append(address)
        for number, (_, actions) in TaffrailCondition.tracepoints().items():
            if len(places.get(number, [])) == 1 and actions:
                cls.change(number, places[number][0], actions)

    @classmethod
    def change(cls, number, address, actions):
        changed = [cls.line(number, address, line, actions)
                   for line in actions]
        if changed != actions:
            TaffrailCondition.give(number, changed)

    @classmethod
    def line(cls, number, address, line, actions):
        """Returns the line of an action with variables in place of words."""
        match = re.match(r"(\s*)(collect(?:/\S+)?\s+)(.*)", line)
        if not match:
            return line
        items = []
        for item in taffrail_split(match.group(3)):
            word = cls.WORDS.get(item[1:4].lower()) \
                if item.startswith("$") else None
            names = word and cls.names(number, address, word, actions)
            items += [item] if names is None else names
        # an empty list would take the fields of the marker
        return match.group(1) + (match.group(2) + ", ".join(items) if items
                                 else "teval 0")

    @classmethod
    def names(cls, number, address, word, actions):
        """Returns the variables to collect, or None when gdb can collect the
        word. gdb takes arguments of the function around an inlined one for
        $args, whose names are not known there."""
        block = gdb.block_for_pc(address)
        found = list(dict.fromkeys(
            s.name for s in taffrail_scope(block)
            if s.is_argument == (word == "$args")
            and s.addr_class not in cls.OTHERS))
        own = [n for n in found if n.startswith(TAFFRAIL_OWN)]
        good, gone, reasons = [], [], {}
        for name in found:
            if name in own:
                continue
            try:
                TaffrailCondition.give(number, ["collect " + name])
                good.append(name)
            except gdb.error as error:
                reason = str(error).rstrip(".")
                if "optimized" in reason:
                    gone.append(name)
                else:
                    reasons.setdefault(reason, []).append(name)
        TaffrailCondition.give(number, actions)
        if not own and not reasons and not (word == "$args"
                                            and taffrail_inlined(block)):
            return None
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
