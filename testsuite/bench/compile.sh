# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: what 200 markers in a file take the compiler, beside the same
# events of LTTng-UST, whose descriptions stand in a header that is read too.

compile_markers=200

# Writes a file whose functions have a marker each: of taffrail, lttng, or none.
compile_source()
{
	echo "#include <stdio.h>"
	case $1 in
	taffrail)
		echo '#include <taffrail/marker.h>' ;;
	lttng)
		echo '#define TRACEPOINT_CREATE_PROBES'
		echo '#define TRACEPOINT_DEFINE'
		echo '#include "compile-lttng.h"' ;;
	esac
	for i in $(seq $compile_markers); do
		echo "int work$i(int id, const char *url) {"
		case $1 in
		taffrail) echo "TAFFRAIL_EVENT(bench, hit$i, id, url);" ;;
		lttng) echo "tracepoint(bench, hit$i, id, url);" ;;
		esac
		echo "return printf(\"%d %s\", id, url); }"
	done
}

# The descriptions that LTTng needs.
compile_header()
{
	cat <<-'END'
	#undef TRACEPOINT_PROVIDER
	#define TRACEPOINT_PROVIDER bench
	#undef TRACEPOINT_INCLUDE
	#define TRACEPOINT_INCLUDE "./compile-lttng.h"
	#if !defined(COMPILE_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
	#define COMPILE_H
	#include <lttng/tracepoint.h>
	END
	for i in $(seq $compile_markers); do
		echo "TRACEPOINT_EVENT(bench, hit$i,"
		echo 'TP_ARGS(int, id, const char *, url), TP_FIELDS('
		echo 'ctf_integer(int, id, id) ctf_string(url, url)))'
	done
	printf '#endif\n#include <lttng/tracepoint-event.h>\n'
}

# Prints the processor seconds of the compiler, the least of three, or nothing.
compile_seconds()
{
	local n
	for n in 1 2 3; do
		( TIMEFORMAT='%U %S'
		  time "$@" -O2 -I"$prefix/include" -I. -c -o compile.o \
			2>compile.log || echo failed ) 2>&1
	done | awk '
		/failed/ { bad = 1 }
		NF == 2 && (!least || $1 + $2 < least) { least = $1 + $2 }
		END { if (!bad) print least }'
}

# compile_row KEY SOURCE COMPILER...: the seconds more than without markers
compile_row()
{
	local key=$1 source=$2 with without
	shift 2
	with=$(compile_seconds "$@" "compile-$source.c")
	without=$(compile_seconds "$@" compile-none.c)
	if test -n "$with" && test -n "$without"; then
		awk "BEGIN { print \"value $key\", $with - $without }" | results
	else
		say "$key: $(head -n 1 compile.log)"
	fi
}

step_compile()
{
	say "compile time of $compile_markers markers"
	cd "$work" || return
	compile_header >compile-lttng.h
	for i in taffrail lttng none; do
		compile_source $i >compile-$i.c
	done
	compile_row compile.c taffrail "${CC:-gcc}"
	compile_row compile.cxx taffrail "${CXX:-g++}" -x c++
	compile_row compile.lttng.c lttng "${CC:-gcc}"
	compile_row compile.lttng.cxx lttng "${CXX:-g++}" -x c++
	cd "$OLDPWD" || return
}
