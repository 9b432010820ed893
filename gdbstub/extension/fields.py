# SPDX-License-Identifier: LGPL-2.1-or-later
# The part of taffrail-gdb.py (text.py says more) that has fields of markers in
# conditions of tracepoints. gdb translates a condition for the target, and can
# translate a trace state variable, but no function of Python's. The agent takes
# the variable $taffrail_NAME for the field NAME of the event that is hit.
import re

import gdb


class TaffrailFieldNames:
    CALL = re.compile(r'\$_taffrail\s*\(\s*"([^"\\]*)"\s*\)')
    # looked at as a whole: texts, members, words with a "." or "$"
    WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.[0-9a-fA-F]*)\''
                      r'|->\s*\w+|[\w.$]+')
    NAME_BYTES = 54             # the agent's limit of a variable's name
    # in a condition these are words of C, unless $_taffrail has them
    KEYWORDS = ("char short int long signed unsigned float double void struct "
                "union enum const volatile sizeof").split()

    @classmethod
    def rewrite(cls, condition, address):
        """Returns the condition with variables in place of fields. At a marker
        without registers a name alone is a field, too: no variable of the
        program is known there."""
        calls = cls.CALL.search(condition)
        if not address or not (calls or cls.WORD.search(condition)):
            return condition
        kind = taffrail_send("qTaffrail:at:%x" % address) or ""
        if calls and kind not in ("0", "1"):
            raise gdb.GdbError(
                "$_taffrail(%s) in a condition needs the program's own agent, "
                "as `taffrail gdb -p PID' connects to it; not gdbserver"
                % calls.group(1))
        marker = TaffrailMarkerCache.lookup(address) if kind else None
        if not marker or not (calls or kind == "1"):
            return condition
        types = taffrail_signature(marker.extra)
        if types is None:
            types = dict.fromkeys(TaffrailFormat(marker.extra).names)
        condition = cls.CALL.sub(
            lambda match: cls.variable(match.group(1), types, marker),
            condition)
        names = set(types) - set(cls.KEYWORDS) if kind == "1" else ()
        return cls.WORD.sub(
            lambda match: cls.variable(match.group(), types, marker)
            if match.group() in names else match.group(), condition)

    @classmethod
    def variable(cls, name, types, marker):
        """Returns the variable that stands for a field, after it made it."""
        if name not in types:
            raise gdb.GdbError("%s has no field %s; it has %s" % (
                marker.name, name, ", ".join(types) or "none"))
        kind = types[name]
        if "." in name or kind in TAFFRAIL_FLOATS + ("string",) or \
                (kind or "").endswith("[]"):
            raise gdb.GdbError(
                "%s has the type %s, and gdb translates integers alone: "
                "taffrail start -p PID -e '%s if ...' compares it" % (
                    name, kind, marker.name))
        if len(name) > cls.NAME_BYTES:
            raise gdb.GdbError("%s: a name in a condition has at most %d "
                               "characters" % (name, cls.NAME_BYTES))
        gdb.execute("tvariable $taffrail_" + name, False, True)
        # gdb takes such a variable for a signed number; a cast would have
        # words that may be fields
        return ("(0ul + $taffrail_%s)"
                if kind in ("uint64", "pointer") else "$taffrail_%s") % name

    @classmethod
    def typed(cls, number, condition, address):
        """Gives a tracepoint the condition with variables in place of fields.
        Returns it."""
        changed = cls.rewrite(condition, address)
        if changed != condition:
            gdb.execute("condition %d %s" % (number, changed), False, True)
            taffrail_print("Tracepoint %d: its condition is %s"
                           % (number, changed))
        return changed
