# SPDX-License-Identifier: LGPL-2.1-or-later
# Reads the text of babeltrace2, and prints its events without the writer records:
# each event behind one gets its thread as the context vtid, and where processes
# share the trace its process, as ":?:(PID)". Lines that are no event stay.

!match($0, / [^ ]+: \{ cpu_id = [0-9]+ \}, /) {
	print
	next
}

{
	before = substr($0, 1, RSTART - 1)
	middle = substr($0, RSTART, RLENGTH)
	rest = substr($0, RSTART + RLENGTH)
	# behind the two words of the time
	at = index(before, " ")
	at += index(substr(before, at + 1), " ")
	colon = index(substr(before, at + 1), ":")
	process = colon ? substr(before, at + colon) : ""
	if (colon)
		before = substr(before, 1, at + colon - 1)
	pid = process
	sub(/.*:\(/, "", pid)
	cpu = middle
	sub(/.* cpu_id = /, "", cpu)
	sub(/ .*/, "", cpu)
	key = pid "," cpu
}

middle ~ /^ taffrail:writer: / {
	match(rest, /vpid = [0-9]+, vtid = [0-9]+/)
	split(substr(rest, RSTART, RLENGTH), word, /[ ,]+/)
	writer[key] = word[6]
	who[key] = pid == "" ? ":?:(" word[3] ")" : process
	next
}

!(key in writer) {
	print
	next
}

{ print before who[key] middle "{ vtid = " writer[key] " }, " rest }
