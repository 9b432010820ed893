# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rooms of the house: who may use whom, and that nothing goes in a circle.

The list of rooms stands in docs/architecture.md, in the block that begins with
the line "layer | may use | rooms". A file may use its own room, the rooms that
stand before it in its layer, and what the second column names: layers, or rooms
of one ("control/." is the folder itself). To use is to include, or to need a
symbol. A second block, "room | headers for other layers", has what a layer shows
to others.

    rooms.py layers            the layers, one a line
    rooms.py rooms             each room and its layer
    rooms.py includes FILE...  includes that go the wrong way, files in no room,
                               rooms that are too large, rooms or headers of one
                               name, guards that are not the header's path,
                               headers that no list shows to other layers, or
                               that no other room gets and that are not named
                               private
    rooms.py symbols BUILD     the same by the symbols of the objects in BUILD,
                               and files that need each other in a circle

Prints a line "FILE:LINE: fact" a violation.
"""
import collections
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LIST = "docs/architecture.md"
HEAD = "layer | may use | rooms"
FACES = "room | headers for other layers"
FILES_MAX = 30
SKIPPED = ("testsuite", "inst", "stage")


class House:
    def __init__(self, text):
        self.rooms = {}         # room: (layer, number in it)
        self.uses = {}          # layer: layers and rooms
        self.users = collections.defaultdict(set)   # header: files
        self.faces = {}         # header: its number of users in other layers
        for line in rows(text, FACES):
            room, headers = (part.split() for part in line.split("|"))
            self.faces.update({room[0] + "/" + name: 0 for name in headers})
        for line in rows(text, HEAD):
            layer, uses, rooms = (part.split() for part in line.split("|"))
            self.uses[layer[0]] = set(uses) - {"-"}
            for number, room in enumerate(rooms):
                self.rooms[under(layer[0], room)] = (layer[0], number)

    def room(self, path):
        folder = os.path.dirname(path)
        return folder if folder in self.rooms else None

    def may(self, user, used):
        """May a file of one room use a file of another?"""
        layer, number = self.rooms[user]
        other, before = self.rooms[used]
        if layer == other:
            return before <= number
        named = {room if not room.endswith("/.") else room[:-2]: room
                 for room in self.uses[layer]}
        if used == other:
            return other in self.uses[layer] or other + "/." in \
                self.uses[layer]
        return other in self.uses[layer] or used in named

    def show(self, user, header):
        """Is this header for that room? Counts the users of those listed."""
        if self.layer(user) == self.layer(self.room(header)):
            return True
        if header in self.faces:
            self.faces[header] += 1
        return header in self.faces

    def layer(self, room):
        return self.rooms[room][0]


def under(layer, room):
    return layer if room == "." else layer + "/" + room


def rows(text, head):
    lines = iter(text.splitlines())
    for line in lines:
        if re.sub(r"\s+", " ", line.strip()) == head:
            break
    for line in lines:
        if "|" not in line:
            return
        yield line


def include_target(house, path):
    """The file that an include names, if it is one of the house's."""
    for start in ("",) + tuple(sorted(room_roots(house))):
        if house.room(start + path) and os.path.isfile(start + path):
            return start + path
    return None


def room_roots(house):
    """What -I names: the folders of headers for programs."""
    return {room[:-len("taffrail")] for room in house.rooms
            if room.endswith("/taffrail")}


def is_private(path):
    return re.search(r"(^|/|-)private\.h$", path)


def is_for_programs(house, path):
    return any(path.startswith(root + word) for root in room_roots(house)
               for word in ("taffrail/", "ust/"))


def includes(house, files):
    found = list(twin_rooms(house))
    sizes = collections.Counter()
    headers = collections.defaultdict(list)
    for path in files:
        room = house.room(path)
        if not room:
            found.append("%s:1: in no room of %s" % (path, LIST))
            continue
        sizes[room] += 1
        name = os.path.basename(path)
        if path.endswith(".h") and name != "private.h" and \
                not is_for_programs(house, path):
            headers[name].append(path)
        found += includes_of(house, path, room)
        found += guard_of(house, path)
    for room, size in sorted(sizes.items()):
        if size > FILES_MAX:
            found.append("%s: %d files in a room" % (room, size))
    if files:
        found += ["%s: no other layer includes %s" % (LIST, header)
                  for header, users in sorted(house.faces.items()) if not users]
    for name, paths in sorted(headers.items()):
        for path in paths[1:]:
            found.append("%s:1: has the name of %s" % (path, paths[0]))
        found += ["%s:1: only its own room includes it: name it private" % path
                  for path in paths if not is_private(name) and
                  not name.endswith("-x86_64.h") and not is_shared(house, path)]
    return found


def is_shared(house, path):
    """Does a file of another room include it, or a header that includes it?"""
    return any(house.room(user) != house.room(path) or
               (user.endswith(".h") and not is_private(user) and
                is_shared(house, user)) for user in house.users[path])


def twin_rooms(house):
    """A room's last name is the word for it: there is one room of each."""
    named = {}
    for room in house.rooms:
        name = room.split("/")[-1]
        if name in named:
            yield "%s: has the last name of %s" % (room, named[name])
        named[name] = room


def guard_of(house, path):
    """Two headers with one guard cannot be included together."""
    with open(path, encoding="utf-8", errors="replace") as file:
        guard = re.search(r"^#ifndef (\w+)\n#define \1$", file.read(), re.M)
    start = next((root for root in room_roots(house) if path.startswith(root)),
                 "")
    want = re.sub(r"\W", "_", path[len(start):]).upper()
    if path.endswith(".h") and guard and guard.group(1) != want:
        yield "%s:1: its guard is %s, not %s" % (path, guard.group(1), want)


def includes_of(house, path, room):
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
            if not match:
                continue
            quote, name = match.groups()
            target = include_target(house, name)
            house.users[target].add(path)
            if "../" in name:
                yield "%s:%d: includes %s" % (path, number, name)
            elif target and is_private(name) and (
                    os.path.dirname(name) != os.path.dirname(path)):
                yield "%s:%d: includes %s, which is private to its room" % (
                    path, number, name)
            elif target and is_private(name) and path.endswith(".h") and \
                    not is_private(path):
                yield "%s:%d: shows %s, which is private" % (path, number,
                                                             target)
            elif target and not house.may(room, house.room(target)):
                yield "%s:%d: %s may not include %s" % (path, number, room,
                                                        target)
            elif target and not house.show(room, target):
                yield "%s:%d: %s does not show %s to other layers" % (
                    path, number, LIST, target)
            elif quote == '"' and "/" not in name and not any(
                    path.startswith(root) for root in room_roots(house)):
                yield "%s:%d: not from the top: %s" % (path, number, name)


class Objects:
    """Who defines and who needs which symbol."""

    def __init__(self, build, house):
        self.needs = collections.defaultdict(set)
        self.defines = collections.defaultdict(set)
        paths = list(objects(build, house))
        for path in paths:
            self.needs[unit(path)]
        for path, kind, symbol in global_symbols(build, paths):
            if kind in "Uvw":
                self.needs[unit(path)].add(symbol)
            else:
                self.defines[symbol].add(unit(path))

    def edges(self):
        """{user: {used: symbols}}; what libc has, too, is libc's to callers."""
        libc = libc_names()
        edges = collections.defaultdict(dict)
        for user, symbols in self.needs.items():
            for symbol in symbols - libc:
                for used in self.defines.get(symbol, ()):
                    if used != user and len(self.defines[symbol]) == 1:
                        edges[user].setdefault(used, set()).add(symbol)
        return edges


def global_symbols(build, paths):
    """(object, kind, name) of each symbol that nm prints."""
    if not paths:
        return
    listed = subprocess.run(["nm", "-A", "-g"] + paths, check=True, cwd=build,
                            stderr=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, text=True).stdout
    for line in listed.splitlines():
        path, rest = line.split(":", 1)
        *_, kind, symbol = rest.split()
        yield path, kind, symbol


def objects(build, house):
    for top, folders, files in os.walk(build):
        folders[:] = sorted(name for name in folders if top != build or
                            name not in SKIPPED)
        for name in sorted(files):
            path = os.path.relpath(os.path.join(top, name), build)
            if name.endswith(".o") and house.room(path) and \
                    has_source(path):
                yield path


def has_source(path):
    """An older build leaves objects of files that have gone: their symbols
    would hide those of today's."""
    stem = os.path.join(os.path.dirname(path),
                        re.sub(r"^.*?_(a|so)-", "", os.path.basename(path)[:-2]))
    return os.path.exists(stem + ".c") or os.path.exists(stem + ".S")


def unit(path):
    """buffers/libagent_a-x-x86_64.o is of buffers/x-x86_64."""
    folder, name = os.path.split(path)
    return folder + "/" + re.sub(r"^.*?_(a|so)-", "", name[:-2])


def libc_names():
    path = subprocess.run(["gcc", "-print-file-name=libc.so.6"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    listed = subprocess.run(["nm", "-D", "--defined-only", path], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in listed.splitlines()}


def circles(edges):
    """Strongly connected components of more than one (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in index:
            visit(node)
    return sorted(circle for circle in found if len(circle) > 1)


def symbols(house, build):
    known = Objects(build, house)
    found = []
    if not known.needs:
        return ["%s: no objects of any room: build first" % build]
    edges = known.edges()
    for user in sorted(edges):
        for used, names in sorted(edges[user].items()):
            if not house.may(house.room(user), house.room(used)):
                found.append("%s: %s may not call %s: %s" % (
                    user, house.room(user), used, " ".join(sorted(names))))
    for circle in circles(edges):
        found.append("circle: " + " ".join(circle))
    return found


def main(word, arguments):
    with open(os.path.join(TOP, LIST), encoding="utf-8") as file:
        house = House(file.read())
    if not house.rooms:
        return ["%s:1: no list of rooms: %s" % (LIST, HEAD)]
    if word == "layers":
        return list(house.uses)
    if word == "rooms":
        return ["%s %s" % (room, layer)
                for room, (layer, _) in house.rooms.items()]
    if word == "includes":
        return includes(house, arguments)
    return symbols(house, arguments[0])


if __name__ == "__main__":
    for violation in main(sys.argv[1], sys.argv[2:]):
        print(violation)
