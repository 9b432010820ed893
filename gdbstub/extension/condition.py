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


class TaffrailCondition:
    checked = {}                # number -> a condition that is right
    deadly = {}                 # number -> one that would end gdb

    @staticmethod
    def load():
        """Makes `condition` call typed(). A hook that the user has defined
        stays."""
        try:
            if "TaffrailCondition" not in gdb.execute(
                    "show user hookpost-condition", False, True):
                return
        except gdb.error:
            pass
        gdb.execute("define hookpost-condition\n"
                    "python TaffrailCondition.typed()\nend", False, True)

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
    def reason(cls, number, condition, actions):
        """Returns why gdb cannot translate the condition, or None. In
        parentheses, a comma is the operator that it is in a condition."""
        cls.deadly.pop(number, None)
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
    def check_deadly(cls):
        """Refuses a run in which gdb would end itself."""
        found = cls.tracepoints()
        for number, condition in cls.deadly.items():
            if found.get(number, [None])[0] == condition:
                raise gdb.GdbError(
                    "tracepoint %d: gdb would end, because it translates the "
                    "condition by an internal error: %s" % (number, condition))

    @classmethod
    def typed(cls):
        """Checks all conditions, after the user has typed `condition` for any
        breakpoint."""
        found = cls.tracepoints()
        places = {n: address for address, all_n in
                  taffrail_tracepoints().items() for n in all_n}
        # gdb has told where a condition is not valid, and translates it for
        # the other locations alone, but actions for all of them
        partly = {n for all_n in taffrail_tracepoints("N").values()
                  for n in all_n}
        right = {}
        for number, (condition, actions) in found.items():
            reason = None
            if condition and number not in partly and \
                    cls.checked.get(number) != condition:
                reason = cls.reason(number, condition, actions)
            if not reason:
                right[number] = condition
                continue
            taffrail_print("Tracepoint %d: gdb cannot translate its "
                           "condition: %s; tstart will refuse it%s"
                           % (number, reason, taffrail_without_debug(
                               places.get(number, 0))))
        cls.checked = right
