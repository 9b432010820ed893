# SPDX-License-Identifier: LGPL-2.1-or-later
# The part of taffrail-gdb.py (text.py says more) for dprintf in the agent, and for
# editors that speak the Debug Adapter Protocol to gdb (`gdb -i=dap`, 14 and
# later). gdb has a class for their log points, whose breakpoints stop the
# program and evaluate the message in gdb. Where the agent serves gdb, a dprintf
# of the agent prints in its place.
#
# What must stay true: on other connections gdb's class does what it does.
import re
import sys
import types

import gdb


class TaffrailDprintf:
    """gdb says nothing when it cannot translate a dprintf for the target: it
    sends a breakpoint in place of all dprintfs at the address, or leaves out a
    condition."""
    told = {}

    @classmethod
    def load(cls):
        """Makes gdb look behind commands. A hook that the user has defined
        stays; that of `condition` is TaffrailCondition's."""
        try:
            gdb.execute("show user hookpost-dprintf", False, True)
        except gdb.error:
            gdb.execute("define hookpost-dprintf\npython TaffrailDprintf.tell()"
                        "\nend", False, True)
            gdb.events.before_prompt.connect(cls.refused)

    @staticmethod
    def refused():
        """Says at the prompt why the agent has refused one."""
        try:
            why = TaffrailPrints.before and taffrail_send("qTaffrail:refused")
        except gdb.error:               # gdb waits for the program
            return
        if why:
            taffrail_print("The agent has refused it: " + taffrail_unhex(why))

    @classmethod
    def tell(cls):
        """Says once of each dprintf what it does not do."""
        if TaffrailPrints.before:
            now = {number: " ".join(cls.reasons(*one))
                   for number, one in cls.listed().items()}
            for number, why in now.items():
                if why and cls.told.get(number) != why:
                    taffrail_print("Dprintf %d: %s" % (number, why))
            cls.told = now

    @classmethod
    def listed(cls):
        """Returns NUMBER -> a place of the dprintf, its condition if the target
        has none, and its text."""
        found, number = {}, None
        for line in taffrail_told("info breakpoints").splitlines():
            match = re.match(r"(\d+)\s+(\w+)", line)
            if match:
                number = match.group(2) == "dprintf" and int(match.group(1))
            if not number:
                continue
            place, condition, text = found.get(number, (None, None, ""))
            match = re.search(r"\s0x([0-9a-f]+)", line) if not place else None
            host = re.match(r"\tstop only if (.*) \(host evals\)$", line)
            shown = re.match(r"\s+agent-printf (.*)", line)
            found[number] = (int(match.group(1), 16) if match else place,
                             host.group(1) if host else condition,
                             shown.group(1) if shown else text)
        return found

    @classmethod
    def reasons(cls, address, condition, text):
        sal = address and gdb.find_pc_line(address)
        if not sal or not sal.symtab:
            return []
        where = "%s:%d" % (sal.symtab.filename, sal.line)
        arguments = re.sub(r'^"(?:[^"\\]|\\.)*",?', "", text)
        why = arguments and cls.untranslated(where, arguments)
        if why:
            return ["gdb cannot translate it: %s; nothing is printed at its "
                    "address until it is deleted" % why]
        return ["its condition does not hold: %s" % (
            cls.untranslated(where, condition) or "another dprintf at its "
            "address has none, or it is not valid in all places")] \
            if condition else []

    @staticmethod
    def untranslated(where, expressions):
        """Returns why gdb cannot translate expressions; commas compute all."""
        try:
            with TaffrailSurvival():
                gdb.execute("maint agent-eval -at %s,%s" % (
                    where, expressions), False, True)
        except gdb.error as error:
            why = str(error).rstrip(".")
            # gdb sees no pointer in a member whose type is a typedef of one
            return why + "; write (*POINTER).MEMBER" \
                if "operand of `->'" in why else why
        return None


class TaffrailMessage:
    """A log message, "text {expression} text", as a format and arguments of
    dprintf."""
    CONST = re.compile(r"\b(?:const|volatile)\b\s*")

    def __init__(self, message, address):
        self.address, self.format, self.arguments = address, "", []
        for index, part in enumerate(re.split("{(.*?)}", message)):
            if index % 2:
                self.take(part)
            else:
                self.format += part.replace("%", "%%").replace(
                    "\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    def text(self):
        return '"%s\\n"%s' % (self.format, "".join(
            ",(%s)" % argument for argument in self.arguments))

    def take(self, expression):
        kind, size = self.kind(expression)
        argument = expression
        if re.search(r"\bchar \*$|_M_dataplus", kind):
            conversion = "s"
            argument += "._M_dataplus._M_p" if kind.endswith("}") else ""
        elif re.search(r"\bchar \[\d+\]$", kind):
            conversion, argument = "s", "&(%s)[0]" % expression
        elif re.search(r"[*)]$", kind):
            conversion = "p"
        elif kind == "char":
            conversion = "c"
        elif re.search(r"\b(?:float|double)\b|^(?!enum).*[]}]$", kind) or \
                size > 8:
            raise gdb.error("the agent does not print %s: a value of type %s"
                            % (expression, kind.partition(" {")[0]))
        else:
            conversion = ("l" if size == 8 else "") + (
                "u" if "unsigned" in kind or kind == "bool" else "d")
        self.format += "%" + conversion
        self.arguments.append(argument)

    def kind(self, expression):
        """Returns the type of an expression at the address, as ptype says it in
        one line, and its size. gdb parses it where no frame is: each variable
        becomes what a null pointer of its type leads to, which is not read."""
        names = []

        def pointed(match):
            symbol = gdb.lookup_symbol(match.group(),
                                       gdb.block_for_pc(self.address))[0]
            if not symbol or not (symbol.is_variable or symbol.is_argument):
                return match.group()
            names.append("_taffrail_type_%d" % len(names))
            gdb.set_convenience_variable(names[-1], gdb.Value(0).cast(
                symbol.type.pointer()))
            return "(*$%s)" % names[-1]

        try:
            text = TaffrailSizes.NAME.sub(pointed, expression)
            size = int(gdb.parse_and_eval("sizeof (%s)" % text))
            kind = taffrail_told("ptype " + text).partition(" = ")[2]
        finally:
            for name in names:
                gdb.set_convenience_variable(name, None)
        return self.CONST.sub("", " ".join(kind.split())).rstrip(" &"), size


class TaffrailLogPoint:
    """What gdb's class makes, or, where the agent serves gdb, a dprintf in its
    place: gdb tells the target of none beside a breakpoint."""
    made = getattr(globals().get("TaffrailLogPoint"), "made", [])
    dap = base = None           # gdb's module and class

    def __init__(self, logMessage, **place):
        self.message, self.place, self.dprintf = logMessage, place, None
        self.point = self.base(logMessage, **place)
        self.number, self.rule = self.point.number, None
        if TaffrailPrints.before:
            self.lead()
        self.made.append(self)

    def lead(self):
        """Sets the dprintf, once the place is there."""
        found = [types.SimpleNamespace(
            source=one.source, fullname=one.fullname, address=one.address)
            for one in self.point.locations if one.address]
        if not found:
            return
        self.locations, where = found, self.point.location
        self.drop()
        last = taffrail_integer("$bpnum")
        try:
            gdb.execute("dprintf %s,%s" % (where, TaffrailMessage(
                self.message, found[0].address).text()), False, True)
            self.dprintf = taffrail_integer("$bpnum")
            self.condition = self.rule
        except gdb.error as error:
            why = str(error)
            if "Cannot insert" in why:      # gdb does not tell the reason
                why = taffrail_unhex(taffrail_send("qTaffrail:refused")) or why
                for one in found:           # it is gone, and not gdb's retry
                    taffrail_send("z0,%x,1" % one.address)
            made = taffrail_integer("$bpnum")
            self.dprintf = made if made != last else None
            self.drop()
            raise gdb.error(why)

    def leave(self):
        """Has gdb's class in its place."""
        self.drop()
        self.point = self.base(self.message, **self.place)
        self.point.condition = self.rule

    def drop(self):
        """Deletes what there is."""
        point, number, self.point, self.dprintf = self.point, self.dprintf, \
            None, None
        if point and point.is_valid():
            point.delete()
        if number:
            try:
                gdb.execute("delete %d" % number, False, True)
            except gdb.error:           # its user has deleted it
                pass

    def delete(self):
        self.drop()
        if self in self.made:
            self.made.remove(self)

    def __getattr__(self, name):
        """Returns what is not here: of gdb's breakpoint."""
        return getattr(self.__dict__.get("point"), name, None)

    @property
    def condition(self):
        return self.rule

    @condition.setter
    def condition(self, value):
        self.rule = value
        if self.dprintf:
            gdb.execute("condition %d %s" % (self.dprintf, value or ""), False,
                        True)
            why = TaffrailDprintf.reasons(
                *TaffrailDprintf.listed()[self.dprintf])
            if why:
                raise gdb.error(why[0])
        elif self.point:
            self.point.condition = value
        else:                       # refused; an editor names all anew
            self.point = self.base(self.message, **self.place)
            self.lead()

    @property
    def ignore_count(self):
        return self.point.ignore_count if self.point else 0

    @ignore_count.setter
    def ignore_count(self, value):
        if self.point:
            self.point.ignore_count = value
        elif value:
            raise gdb.error("the agent does not count the hits of a log point")

    @classmethod
    def choose(cls, agent):
        """At a stop, and when a connection ends."""
        for point in list(cls.made):
            try:
                with cls.dap.suppress_new_breakpoint_event():
                    if agent and point.point:
                        point.lead()
                    elif not agent and not point.point:
                        point.leave()
            except (gdb.error, gdb.GdbError) as error:
                cls.dap.send_event("breakpoint", {
                    "reason": "changed",
                    "breakpoint": {"id": point.number, "verified": False,
                                   "message": str(error)}})

    @classmethod
    def load(cls):
        """Takes the place of gdb's class. The extension may be sourced
        again."""
        cls.dap = sys.modules.get("gdb.dap.breakpoint")
        base = getattr(cls.dap, "_PrintBreakpoint", None)
        cls.base = getattr(base, "base", base)
        if not base or not hasattr(cls.dap, "suppress_new_breakpoint_event"):
            return
        cls.dap._PrintBreakpoint = cls
        events = sys.modules["gdb.dap.events"]
        run = getattr(events.exec_and_log, "run", events.exec_and_log)

        def run_here(command, *rest, **named):
            """gdb keeps to itself what comes while it waits in `continue`."""
            return run("continue &" if command == "continue" and
                       TaffrailPrints.before else command, *rest, **named)

        run_here.run, events.exec_and_log = run, run_here
