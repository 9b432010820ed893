# SPDX-License-Identifier: LGPL-2.1-or-later
# What became of each one's events: awk -f ledger.awk LEDGER -
#
# LEDGER has a line "WHO LEAST MOST [gaps]" each: it has written that many events
# at least, and at most, and given some up on the way; the other input is babeltrace2's, with events that have
# the fields who and n = 0, 1, ...; those that have none are counted as those of
# "-". Prints a line for what is wrong, then
#	KEPT LEAST MOST		events found, and the sums of the ledger
#
# What must stay true: with `whole` set each one's events are 0 to LEAST - 1
# at least, none is missing, none comes twice, nobody else has any. Without,
# some may have been overwritten: those that are left are in order, none comes
# twice, and none was never written.

function wrong(text)
{
	if (wrongs++ < 20)
		print "wrong: " text
}

FILENAME != "-" {
	least[$1] = $2
	most[$1] = $3
	gaps[$1] = $4 == "gaps"
	sum_least += $2
	sum_most += $3
	next
}

/ taffrail:writer: / {
	next
}

{
	kept++
	if (!match($0, / who = "[^"]*"/)) {
		if (++others > most["-"] + 0)
			wrong("too many events of nobody")
		next
	}
	who = substr($0, RSTART + 8, RLENGTH - 9)
	match($0, / n = [0-9]+/)
	n = substr($0, RSTART + 5, RLENGTH - 5) + 0
	if (!(who in most))
		wrong(who " is nobody")
	else if (n >= most[who])
		wrong(who ": " n " was never written")
	else if (n < next_of[who] + 0 ||
		 (whole && !gaps[who] && n > next_of[who] + 0))
		wrong(who ": " n ", not " next_of[who] + 0)
	next_of[who] = n + 1
	has[who]++
}

END {
	has["-"] = others + 0
	if (whole)
		for (who in least)
			if (has[who] + 0 < least[who])
				wrong(who ": " has[who] + 0 \
					" events, not " least[who])
	printf "%d %d %d\n", kept, sum_least, sum_most
}
