# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: events of Python programs, beside logging with LTTng's handler.

# The first Python that has the package, and that this user may run: the one of
# the build, or the distribution's.
python_of()
{
	local python
	for python in "${PYTHON-}" /usr/bin/python3; do
		if PYTHONPATH=$work/python "$python" -c "import $1" \
			2>/dev/null; then
			echo "$python"
			return
		fi
	done
}

step_python()
{
	local here python
	: >"$work/out"
	here=$(dirname "$0")
	python=$(python_of taffrail)
	if test -z "$python"; then
		echo 'value python.missing 1' | results
		return
	fi
	say 'events of Python programs'
	PYTHONPATH=$work/python timeout 100 env LD_PRELOAD="$library" \
		TAFFRAIL_ENABLE='bench/*' "$python" "$here/python.py" | results
	python=$(python_of lttngust)
	if test -z "$python" || ! command -v lttng-sessiond >/dev/null; then
		say 'without python3-lttngust or lttng-tools'
		return
	fi
	{ peer_start && peer_python &&
	  timeout 100 "$python" "$here/python.py" peer >"$work/out"; } \
		>>"$work/peer.log" 2>&1 || cat "$work/peer.log" >&2
	results <"$work/out"
	lttng -q destroy --no-wait python >>"$work/peer.log" 2>&1
	peer_stop
}

# A session takes no new kind of events once it has been started.
peer_python()
{
	lttng -q create python --snapshot --output="$work/lttng/python" &&
	lttng -q enable-event -p -s python -a &&
	lttng -q start python
}
