# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the events of a text of babeltrace2 or view with those of one time in
# order. Which stream comes first then is the reader's choice: babeltrace2 2.0
# and 2.1 differ.
#
# What must stay true: the times, and what is printed of the time since the event
# before, stay where they are. A line is changed in no other way, and a line
# without a time is printed as it is.

function flush_group(	i, j, line)
{
	for (i = 2; i <= n; i++) {
		line = rests[i]
		for (j = i - 1; j > 0 && rests[j] > line; j--)
			rests[j + 1] = rests[j]
		rests[j + 1] = line
	}
	for (i = 1; i <= n; i++)
		print heads[i] rests[i]
	n = 0
}

{
	end = /^\[/ ? index($0, "] ") : 0
	time = end ? substr($0, 1, end) : ""
	if (time == "" || time != last)
		flush_group()
	last = time
	if (match(substr($0, end + 1), /^ \([^)]*\)/))
		end += RLENGTH
	heads[++n] = substr($0, 1, end)
	rests[n] = substr($0, end + 1) ""
}

END {
	flush_group()
}
