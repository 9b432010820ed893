#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The house rules that a script can check. A rule is a function that prints
# one line a violation, "FILE:LINE: fact", and nothing else.
#
# lint.sh            prints violations; exit status 1 when there are any
# lint.sh --results  prints "PASS: RULE", "FAIL: RULE" or "UNSUPPORTED: RULE:
#                    REASON" a rule, for DejaGnu
#
# BUILD is a folder with the objects of the product (default: build). LINT_BUT has
# the names of rules to leave out.
#
# What must stay true: only files that belong to the project are looked at
# (git's list, else everything outside build folders), and an exception is a
# line of lint.allow with its reason, never a change here.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
here=testsuite/lint
CC=${CC:-cc} CXX=${CXX:-c++}
# longer ones have a second subject, or a line of lint.allow that says why not
FILE_LINES_MAX=800
FUNCTION_LINES_MAX=80
HEADER_INCLUDES_MAX=5
COLUMNS_MAX=80
BUILD=${BUILD:-${TAFFRAIL_BUILDDIR:-build}}
# where headers for programs are, and the folders of the product
public=include
layers=$(python3 $here/rooms.py layers | paste -sd '|')
# the binding for Python is looked at where its headers are
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
if test -f "$headers/Python.h"; then
	export C_INCLUDE_PATH=$headers
else
	layers=${layers//bindings|/}
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

list_files()
{
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . \( -path './build*' -o -name .deps -o -name stage -o \
			-name 'auto*.cache' -o -name aclocal.m4 \) \
			-prune -o -type f -print | sed 's,^\./,,'
	fi | while IFS= read -r file; do
		if test -f "$file"; then echo "$file"; fi
	done | sort -u
}

# Files whose name matches an extended regular expression.
files()
{
	grep -E "$1" <<<"$all_files"
}

sources()
{
	files "^($layers)/.*\.[chS]$"
}

headers()
{
	files "^($layers)/.*\.h$"
}

public_headers()
{
	files "^$public/(taffrail|ust)/.*\.h$"
}

models()
{
	files '^testsuite/models/.*\.pml$'
}

rule_spdx()
{
	local wanted pattern
	files '\.(c|h|S|def|cc|exp|t|sh|ac|m4|py|pml)$|(^|/)(bootstrap|run)$' \
		>"$scratch/spdx"
	for wanted in MIT LGPL-2.1-or-later; do
		pattern="^$public/(taffrail|ust)/.*\.h$"
		if test $wanted = MIT; then
			grep -E "$pattern" "$scratch/spdx"
		else
			grep -vE "$pattern" "$scratch/spdx"
		fi >"$scratch/spdx.files"
		xargs awk -v line="SPDX-License-Identifier: $wanted" '
			FNR > 2 { nextfile }
			index($0, line) { print FILENAME }
			' <"$scratch/spdx.files" | sort -u >"$scratch/spdx.have"
		comm -23 "$scratch/spdx.files" "$scratch/spdx.have" |
			sed "s/$/:1: no SPDX line with $wanted/"
	done
}

# See rooms.py: who may include whom, no large room, no two headers of a name.
rule_rooms()
{
	sources | xargs python3 $here/rooms.py includes
}

# A subject of at most so many tests can be looked through. No two of them have
# one name.
rule_test_folders()
{
	files '^testsuite/([^/]*/.*\.(exp|t)|unit/.*\.c)$' |
		sed 's,/[^/]*$,,' | sort | uniq -c |
		while read -r count folder; do
			test "$count" -le 30 || echo "$folder: $count tests"
		done
	files '^testsuite/taffrail\..*\.t$' | while read -r file; do
		test ! -f "${file%.t}.exp" ||
			echo "$file:1: has the name of ${file%.t}.exp"
	done
}

# The same by what the linker sees, and no circles.
rule_symbols()
{
	python3 $here/rooms.py symbols "$BUILD"
}

# A handler of the program's may unwind the agent at each instruction. gcc's -Oz
# pushes and pops constants without unwind information: code that has any is not
# made so.
rule_unwound()
{
	local object name
	case $(uname -m) in
	x86_64) ;;
	*) return ;;
	esac
	find "$BUILD" -path '*/testsuite' -prune -o -path '*/stage' -prune -o \
		\( -name 'libagent_a-*.o' -o -name 'libwrap_a-*.o' -o \
		-name 'libtaffrail_so-*.o' \) -print | sort |
	while read -r object; do
		name=${object##*/}
		name=${name#lib*-}
		object=${object#"$BUILD/"}
		name=${object%/*}/${name%.o}.c
		# an earlier build may have left the object of a file that is gone
		test -f "$name" || continue
		objdump -h "$BUILD/$object" | grep -q '\.eh_frame' || continue
		objdump -d --no-show-raw-insn "$BUILD/$object" |
			awk -v object="$name" '
			pushed && $2 == "pop" { print object ": " name \
				" pushes and pops a constant" }
			/>:$/ { name = $2 }
			{ pushed = $2 == "push" && $3 ~ /^\$/ }'
	done
}

rule_file_length()
{
	files '\.(c|h|S|cc|exp|t|sh|py)$|(^|/)(bootstrap|run)$' |
	xargs wc -l | awk -v max=$FILE_LINES_MAX '
		$1 > max && $2 != "total" {
			print $2 ":" $1 ": longer than " max " lines"
		}'
}

# Kernel style makes it easy: a body is between "{" and "}" in column one.
rule_function_length()
{
	files '\.(c|h)$' | xargs awk -v max=$FUNCTION_LINES_MAX '
	FNR == 1 { start = 0; name = "" }
	/^[A-Za-z_].*\(/ && !/;[ \t]*$/ {
		name = $0
		sub(/\(.*/, "", name)
		sub(/.*[ \t*]/, "", name)
	}
	/^\{/ { start = FNR }
	/^\}/ && start {
		if (FNR - start > max)
			print FILENAME ":" start ": " name "() has " \
				FNR - start " lines"
		start = 0
	}'
}

rule_columns()
{
	files '\.(c|h|S)$' | xargs awk -v max=$COLUMNS_MAX '
	function columns(line,	at, n) {
		n = 0
		while (at = index(line, "\t")) {
			n += at - 1
			n += 8 - n % 8
			line = substr(line, at + 1)
		}
		return n + length(line)
	}
	!/"/ && columns($0) > max {
		print FILENAME ":" FNR ": " columns($0) " columns"
	}'
}

rule_white_space()
{
	files '\.(c|h|S|def|cc|exp|sh|mk|ac|am|md|pml|[137])$|(^|/)(bootstrap|run)$' |
		xargs grep -nE '[ 	]+$|^        +[^ *]' |
		grep -E '[ 	]$|^[^:]*\.(c|h|S):' |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: blanks at the end or for a tab/'
}

# Headers stand alone; those for programs also in C++11. The halves of a
# header for one language are named -c.h and -cxx.h.
rule_headers_alone()
{
	local tmp
	tmp=$(mktemp -d) || return
	headers | grep -v -- '-cxx\.h$' | while read -r file; do
		echo "#include \"$file\"" >"$tmp/a.c"
		$CC -std=gnu11 -D_GNU_SOURCE -Wall -I. -I$public \
			-fsyntax-only "$tmp/a.c" >"$tmp/log" 2>&1 &&
			test ! -s "$tmp/log" ||
			echo "$file:1: not alone: $(grep -m 1 -E \
				'error|warning' "$tmp/log")"
	done
	public_headers | grep -v -- '-c\.h$' | while read -r file; do
		echo "#include <${file#"$public"/}>" >"$tmp/a.cc"
		$CXX -std=c++11 -Wall -Wextra -I$public \
			-fsyntax-only "$tmp/a.cc" >"$tmp/log" 2>&1 &&
			test ! -s "$tmp/log" ||
			echo "$file:1: not in C++11: $(grep -m 1 -E \
				'error|warning' "$tmp/log")"
	done
	rm -rf "$tmp"
}

# Of the branches of an #if the longest one counts.
rule_header_includes()
{
	headers | xargs awk -v max=$HEADER_INCLUDES_MAX '
	function close_branch() {
		if (n > most[depth])
			most[depth] = n
	}
	FNR == 1 { n = depth = 0 }
	/^#[ \t]*if/ { before[++depth] = n; most[depth] = n }
	/^#[ \t]*(else|elif)/ { close_branch(); n = before[depth] }
	/^#[ \t]*endif/ { close_branch(); n = most[depth--] }
	/^#[ \t]*include/ && ++n == max + 1 {
		print FILENAME ":" FNR ": more than " max " includes" }'
}

# A tag such as RING-HEAD, in a comment and followed by a colon or in
# parentheses, names the two sides of an ordering: one that stands alone has
# lost its other side.
rule_pair_tags()
{
	{ sources; models; } | xargs grep -noE '[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+[:)]' |
	sed 's/[:)]$//' | grep -v ':DATE-' |
	awk -F: '{ n[$3]++; where[$3] = $1 ":" $2 }
		END { for (tag in n) if (n[tag] < 2)
			print where[tag] ": tag " tag " stands alone" }'
}

# See order.py: both sides of each pair of ordered accesses, and the page that
# lists the pairs.
rule_order()
{
	# shellcheck disable=SC2046
	python3 $here/order.py check $(sources)
	python3 $here/order.py page | cmp -s - docs/memory-order.md ||
		echo "docs/memory-order.md:1: differs from order.py page"
}

# See figures.py: size, comments, helpers of one caller, names, words.
rule_figures()
{
	python3 $here/figures.py limits $here/figures.limits
}

# See truth.py: functions whose int is a truth.
rule_truth()
{
	sources | xargs python3 $here/truth.py
}

# See owners.py: fields of a structure are for the files of a module.
rule_owners()
{
	sources | xargs python3 $here/owners.py $here/owners.table
}

# See guarantees.py: numbers of rows, and the tests that rows name.
rule_guarantees()
{
	# shellcheck disable=SC2046
	python3 $here/guarantees.py $(files '^(docs|testsuite)/.*\.(md|exp)$')
}

# Files that pages name are there; docs/renamed.md has names that were.
rule_doc_files()
{
	# shellcheck disable=SC2046
	python3 $here/docs.py $(files '^(README|CONTRIBUTING.*|docs/.*\.md)$' |
		grep -vxF docs/renamed.md) <<<"$all_files"
}

# What a model takes for granted has its name in the code that makes it true,
# and in the models' README.
rule_model_names()
{
	models | xargs grep -noE '[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+[:)]' |
	sed 's/[:)]$//' | while IFS=: read -r file line name; do
		sources | xargs grep -qE "${name}[:)]" ||
			echo "$file:$line: $name is not in the code"
		grep -q "^ *$name " testsuite/models/README ||
			echo "$file:$line: $name is not in the README"
	done
}

# Machine code and tests of the machine are in files named after it. Others
# may choose such a file, in the line before its include.
rule_machine_code()
{
	sources | grep -vE -- '-(x86_64|aarch64)\.[chS]$' | xargs awk '
	function flush() { if (held != "") print held; held = "" }
	FNR == 1 { flush() }
	{ if (held != "" && /#[ \t]*include.*-(x86_64|aarch64)\.h/)
		held = ""
	  flush() }
	/^[ \t]*(\*|\/\*|\/\/)/ { next }
	/(^|[^A-Za-z0-9_])_*asm_*[ \t]*(volatile|goto|__volatile__)*[ \t]*\(/ &&
	!/asm[a-z_ ]*\((""|"\.symver )/ {
		print FILENAME ":" FNR ": machine code" }
	/immintrin\.h|x86intrin\.h|__builtin_ia32_|__rdtsc/ {
		print FILENAME ":" FNR ": machine code" }
	/__x86_64|__aarch64|__i386|__ARM_/ {
		held = FILENAME ":" FNR ": tests the machine" }
	END { flush() }'
}

# Nothing of the machine on which a line was written.
rule_local_paths()
{
	files . | grep -v '^COPYING' |
		xargs grep -nIE '(^|[^A-Za-z0-9_$})./])/([w]ork|[h]ome/[a-z]+)/' |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: a path of some machine/'
}

# A file that no local.mk names is neither built nor distributed.
rule_listed()
{
	grep -hoE '[A-Za-z0-9_./-]+' ./*/local.mk | sort -u >"$scratch/listed"
	sources | comm -23 - "$scratch/listed" |
		sed 's,^\([^/]*\)/.*,&:1: not in \1/local.mk,'
	files '^testsuite/unit/.*\.c$' | sed 's/\.c$//' |
		sort | comm -23 - "$scratch/listed" |
		sed 's,$,.c:1: not in testsuite/local.mk,'
	files '^testsuite/taffrail\..*\.(exp|t)$' | sed 's,/[^/]*$,,' |
		sort -u | while read -r folder; do
		grep -qF "$folder" testsuite/local.mk ||
			echo "$folder:1: not in testsuite/local.mk"
	done
}

# fork.exp drives fork.c; a program that no test names is dead.
rule_test_programs()
{
	files '^testsuite/taffrail\..*\.(c|cc)$' | while read -r file; do
		local name=${file##*/} dir=${file%/*}
		test -f "${file%.*}.exp" || test -f "${file%.*}.t" ||
			grep -rqF --include='*.exp' --include='*.t' \
				--include='*.sh' "${name%.*}" "$dir" ||
			echo "$file:1: no test names it"
	done
	files '^testsuite/shared/.*\.(c|cc|py)$' | while read -r file; do
		local name=${file##*/}
		grep -rqF "${name%.*}" testsuite/taffrail.* testsuite/lib \
			testsuite/shared --include='*.exp' --include='*.t' \
			--include='*.py' ||
			echo "$file:1: no test names it"
	done
}

# The lists of check/run: each test file has its seconds, each subject a quick
# file, each file that takes long a reason, and no line names a file that is not
# there. awk reads the names of all files first.
rule_test_lists()
{
	files '^testsuite/taffrail\..*\.(exp|t)$' |
		sed 's,^testsuite/taffrail\.,,; s,\.[a-z]*$,,' |
	awk -v here=testsuite/check/ '
		FILENAME == "-" {
			is[$1] = 1
			sub("/.*", "")
			subjects[$1] = 1
			next
		}
		FNR == 1 { list = FILENAME; sub(".*/", "", list) }
		/^#/ { next }
		!($1 in is) {
			print FILENAME ":" FNR ": no test file " $1
		}
		list == "seconds" { timed[$1] = 1 }
		list == "tiers" && $2 ~ /quick/ {
			split($1, part, "/")
			quick[part[1]] = 1
		}
		list == "tiers" && $2 ~ /long|more/ && NF < 3 {
			print FILENAME ":" FNR ": no reason"
		}
		END {
			for (name in is)
				if (!(name in timed))
					print here "seconds:1: lacks " name
			for (name in subjects)
				if (!(name in quick))
					print here "tiers:1: no quick file of " name
		}' - testsuite/check/seconds testsuite/check/tiers \
			testsuite/check/alone | sort
}

rule_scripts_parse()
{
	files '\.sh$|(^|/)(bootstrap|run)$' | while read -r file; do
		case $(head -n 1 "$file") in
		'#!/bin/sh') sh -n "$file" 2>&1 ;;
		'#!'*bash) bash -n "$file" 2>&1 ;;
		esac | sed "s,^,$file:1: ,"
	done
	# mawk takes less than gawk does
	files '\.awk$' | while read -r file; do
		for awk in mawk gawk original-awk; do
			command -v $awk >/dev/null || continue
			$awk -f "$file" </dev/null 2>&1 >/dev/null |
				sed "s,^,$file:1: $awk: ,"
		done
	done
}

# make reports a script without execute permission as missing.
rule_scripts_run()
{
	files . | while read -r file; do
		test -x "$file" || echo "$file"
	done | xargs awk '
		FNR > 1 { nextfile }
		/^#!/ { print FILENAME ":1: not executable" }'
}

# What runs in the program's signal handlers: every layer but those of the
# command, and what other layers have for the command. See sigsafe.py.
rule_sigsafe()
{
	case $(uname -m) in
	x86_64) ;;
	*) return ;;
	esac
	# shellcheck disable=SC2046
	python3 $here/sigsafe.py "${SIGSAFE_CC:-gcc}" $public $(
		files "^($layers)/.*\.c$" | grep -vE \
		'^(traces|command|bindings|buffers/reader|tracepoints/providers)/|/filter/')
}

. $here/tools.sh

# Drops what lint.allow permits: RULE, a blank, a pattern of how a line begins.
allowed()
{
	local rule=$1 line word text
	while IFS= read -r line; do
		local permitted=
		while read -r word text; do
			if test "$word" = "$rule" &&
			   [[ $line == $text* ]]; then
				permitted=1
			fi
		done < <(grep -v '^#' $here/lint.allow 2>/dev/null)
		test -n "$permitted" || echo "$line"
	done
}

# One rule's violations, or why it is skipped.
judge()
{
	local rule=$1 results=$2 without found
	without=$(lacking "$rule")
	if test -n "$without"; then
		if test -n "$results"; then
			echo "UNSUPPORTED: $rule: no $without"
		else
			echo "lint: $rule is skipped: no $without" >&2
		fi
		return
	fi
	found=$("rule_$rule" </dev/null | allowed "$rule")
	test -z "$found" || echo "$found"
	if test -z "$results"; then
		test -z "$found"
	elif test -z "$found"; then
		echo "PASS: $rule"
	else
		echo "FAIL: $rule"
	fi
}

main()
{
	local rule results=''
	test "${1-}" != --results || results=1
	all_files=$(list_files)
	for rule in $(compgen -A function rule_); do
		[[ " ${LINT_BUT-} " != *" ${rule#rule_} "* ]] || continue
		while test "$(jobs -pr | wc -l)" -ge "$(nproc)"; do
			wait -n
		done
		judge "${rule#rule_}" "$results" >"$scratch/$rule" ||
			: >"$scratch/bad" &
	done
	wait
	cat "$scratch"/rule_*
	test ! -e "$scratch/bad"
	exit
}

main "$@"
