#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Markers under every compiler, language standard, level of optimisation,
# kind of program and linker that this machine has: gcc, clang, and those with a
# version in their name; compilers are asked which standards and levels they
# know, from C99 and C++11 on. Each combination is built
# with warnings as errors, runs its cases (harness.h), and its USDT notes must
# name exactly the sites. One line a combination: PASS: or FAIL: and its name.
#
#	matrix.sh [INCLUDEDIR]		default: the source's own headers
#
# CHOICE: few, as make check; some, as make check-long: each standard and each
# level of every compiler; all, which takes hours. Without it, some.

set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-${TAFFRAIL_INCLUDEDIR:-$here/../../include}}
work=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-markers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
jobs=$(nproc)
choice=${CHOICE:-some}
warnings='-Wall -Wextra -pedantic -Werror'

have() { command -v "$1" >/dev/null 2>&1; }

cc_of() { # LANGUAGE COMPILER
	case $1:$2 in
	c++:gcc*) echo "g++${2#gcc}" ;;
	c++:clang*) echo "clang++${2#clang}" ;;
	*) echo "$2" ;;
	esac
}

# Flags to compile with, and to link with.
kind_cflags() {
	case $1 in
	pie | gcpie) echo -fPIE -ffunction-sections -fdata-sections ;;
	nopie | static) echo -fno-pie ;;
	staticpie) echo -fPIE ;;
	shared) echo -fPIC -DHARNESS_SHARED ;;
	lto) echo -flto -fPIE ;;
	flag) echo -DTAFFRAIL_FLAG_SITES ;;
	gcmacro) echo -DTAFFRAIL_GC_SECTIONS -ffunction-sections -fPIE ;;
	sdt) echo -DTAFFRAIL_SDT_ARGS ;;
	intel) echo -masm=intel ;;
	large) echo -mcmodel=large ;;
	medium) echo -mcmodel=medium -mlarge-data-threshold=1 ;;
	cfi) echo -flto -fvisibility=hidden -fsanitize=cfi-icall ;;
	esac
}

kind_ldflags() {
	case $1 in
	pie) echo -pie ;;
	gcpie | gcmacro) echo -pie -Wl,--gc-sections ;;
	nopie) echo -no-pie ;;
	static) echo -static -no-pie ;;
	staticpie) echo -static-pie ;;
	lto) echo -flto -pie ;;
	medium) echo -mcmodel=medium ;;
	cfi) echo -flto -fsanitize=cfi-icall ;;
	esac
}

# gcc's LTO needs a linker with plugins, and gold makes no static PIE.
exists() { # LANGUAGE COMPILER STD LEVEL KIND LINKER
	have "$(cc_of "$1" "$2")" && have "ld.$6" || return 1
	case $2:$5:$6 in
	gcc*:lto:lld | *:staticpie:gold) return 1 ;;
	esac
}

compile() { # COMPILER FLAGS... : logs the command when it fails
	"$@" >log 2>&1 || { echo "# $*"; sed 's/^/# /' log | head -20; false; }
}

build() { # LANGUAGE COMPILER STD LEVEL KIND LINKER: ./cases
	local cc harness_cc flags ldflags x object

	cc=$(cc_of "$1" "$2")
	harness_cc="$2 -std=gnu11"
	flags="$4 $(kind_cflags "$5") -I$include -I$here"
	ldflags="$4 $(kind_ldflags "$5") -fuse-ld=$6"
	x=-xc
	object=-DHARNESS_NO_CXX
	[ "$1" = c++ ] && x=-xc++ && object=
	compile $harness_cc $flags $object -c "$here/harness.c" \
		-o harness.o || return
	compile $cc -std=$3 $flags $warnings $x -c "$here/cases.c" \
		-o cases.o || return
	compile $cc -std=$3 $flags $warnings $x -c "$here/second.c" \
		-o second.o || return
	object='cases.o second.o'
	if [ "$1" = c++ ]; then
		compile $cc -std=$3 $flags $warnings -c "$here/cxx.cc" \
			-o cxx.o || return
		object="$object cxx.o"
	fi
	if [ "$5" != shared ]; then
		compile $cc harness.o $object $ldflags -o cases
		return
	fi
	# The libraries need each other; symbols are found at run time.
	printf '%s\n' 'int harness_main(int argc, char **argv);' \
		'int main(int argc, char **argv)' \
		'{ return harness_main(argc, argv); }' >main.c
	compile $cc -shared harness.o $ldflags -o libharness.so &&
	compile $cc -shared $object $ldflags -L. -lharness -o libcases.so &&
	compile $2 main.c $ldflags -L. -Wl,--no-as-needed -lcases -lharness \
		-Wl,-rpath,"$PWD" -o cases -Wl,--allow-shlib-undefined
}

# The USDT notes of FILE, as "address provider name"; not those of the C and C++
# libraries, which a static program holds too.
notes() {
	readelf -n "$1" | awk '
		$1 == "Provider:" { provider = $2 }
		$1 == "Name:" { name = $2 }
		$1 == "Location:" {
			sub(/,/, "", $2)
			sub(/^0x0*/, "0x", $2)
			if (provider !~ /^(libstdcxx|libc|libm|rtld)$/)
				print $2, provider, name
		}' | sort
}

check_notes() { # KIND
	local file=cases operands

	[ -e libcases.so ] && file=libcases.so
	# shellcheck disable=SC2094  # a function and what it printed
	notes $file >notes
	./cases --sites | sort >sites
	if [ ! -s notes ] || ! cmp -s notes sites; then
		echo '# USDT notes and sites differ:'
		diff notes sites | head -5 | sed 's/^/# /'
		return 1
	fi
	operands=$(readelf -n $file | grep -A4 stapsdt |
		grep -c 'Arguments: -*[0-9]*@')
	if [ "$1" = sdt ] && [ "$operands" -lt 10 ]; then
		echo "# only $operands notes have operands"
		return 1
	fi
	if readelf -d $file | grep -q TEXTREL; then
		echo '# text relocations'
		return 1
	fi
	if nm $file | grep -q '_ZGV.*taffrail'; then
		echo '# an object is initialised at run time'
		return 1
	fi
}

combination() { # NUMBER LANGUAGE COMPILER STD LEVEL KIND LINKER
	local n=$1

	shift
	mkdir "$work/$n" && cd "$work/$n" || return
	if build "$@" && timeout 20 ./cases && check_notes "$5"; then
		echo "PASS: $3 $4, $2, $5, $6"
	else
		echo "FAIL: $3 $4, $2, $5, $6"
	fi
	rm -rf "${work:?}/$n"
}

# Those of make check, too, are the few.
chosen() {
	cat <<-'EOF'
	c gcc c99 -O0 pie bfd few
	c gcc gnu99 -O1 nopie gold
	c gcc c11 -O2 shared bfd few
	c gcc gnu11 -O2 lto bfd few
	c gcc gnu17 -O3 gcpie bfd
	c gcc c2x -Os static bfd few
	c gcc gnu17 -O2 pie lld
	c gcc c99 -O2 flag bfd
	c gcc gnu17 -O2 sdt bfd few
	c gcc gnu17 -O2 gcmacro bfd few
	c gcc gnu99 -O0 sdt bfd
	c gcc gnu17 -O2 intel bfd
	c gcc c99 -O0 large bfd
	c gcc gnu17 -O2 large bfd
	c gcc c11 -O3 medium bfd
	c clang c99 -O0 shared bfd
	c clang gnu99 -O1 gcpie gold
	c clang c11 -O2 lto lld
	c clang gnu17 -O3 nopie lld few
	c clang c2x -Os pie bfd
	c clang gnu11 -O2 static bfd
	c clang gnu11 -O0 flag bfd few
	c clang gnu11 -O2 sdt lld few
	c clang c99 -O0 sdt bfd
	c clang gnu11 -O2 intel bfd
	c clang gnu17 -O2 large bfd
	c clang c11 -O2 cfi lld few
	c++ gcc c++11 -O0 shared bfd
	c++ gcc c++14 -O2 pie gold
	c++ gcc gnu++17 -O3 lto bfd
	c++ gcc c++20 -O2 gcpie lld few
	c++ gcc c++11 -O2 static bfd
	c++ gcc c++17 -Os flag bfd
	c++ gcc c++14 -O2 sdt bfd few
	c++ gcc c++17 -O2 gcmacro bfd
	c++ gcc c++17 -O0 intel bfd
	c++ gcc c++14 -O2 large bfd
	c++ gcc c++20 -O0 medium bfd
	c++ clang c++11 -O0 pie bfd few
	c++ clang c++14 -O2 shared lld few
	c++ clang gnu++17 -O2 lto lld
	c++ clang c++20 -O3 gcpie gold few
	c++ clang c++17 -O1 nopie bfd
	c++ clang c++17 -O2 gcmacro lld
	c++ clang c++11 -O1 flag bfd
	c++ clang c++14 -O0 sdt lld
	c++ clang c++20 -O2 intel bfd
	c++ clang c++14 -O2 cfi lld
	EOF
}

# gcc, clang, and each gcc-N and clang-N that is neither of both.
compilers() {
	local name

	printf '%s\n' gcc clang
	for name in $(compgen -c | grep -E '^(gcc|clang)-[0-9]+$' | sort -uV)
	do
		case $(realpath "$(command -v "$name")") in
		"$(realpath "$(command -v gcc)")") ;;
		"$(realpath "$(command -v clang)")") ;;
		*) echo "$name" ;;
		esac
	done
}

compilers_chosen() {
	if [ "$choice" = few ]; then
		printf '%s\n' gcc clang
	else
		compilers
	fi
}

knows() { # LANGUAGE COMPILER FLAG
	echo 'int known;' | "$(cc_of "$1" "$2")" -x"$1" "$3" -Werror \
		-fsyntax-only - 2>/dev/null
}

# The first of two names of one standard that the compiler knows.
standards() { # LANGUAGE COMPILER
	local list='99 11 17 23|2x 2y' names prefix year

	[ "$1" = c++ ] && list='11 14 17 20 23|2b 26|2c'
	for names in $list; do
	for prefix in "$1" "gnu${1#c}"; do
	for year in ${names//|/ }; do
		knows "$1" "$2" "-std=$prefix$year" || continue
		echo "$prefix$year"
		break
	done; done; done
}

levels() { # LANGUAGE COMPILER
	local level

	for level in -O0 -O1 -O2 -O3 -Os -Og -Oz -Ofast; do
		knows "$1" "$2" "$level" && echo "$level"
	done
}

# Every standard and every level of each compiler at least once, where those
# chosen do not have it; the kinds of programs take turns.
remaining() { # FILE with those chosen
	local kinds=(pie shared flag gcpie sdt nopie) n=0
	local compiler language standard level all

	for compiler in $(compilers); do
	for language in c c++; do
		have "$(cc_of $language "$compiler")" || continue
		read -r -a all <<<"$(levels $language "$compiler" | tr '\n' ' ')"
		for standard in $(standards $language "$compiler"); do
			level=${all[n % ${#all[@]}]}
			grep -qF "$language $compiler $standard " "$1" &&
				continue
			echo "$language $compiler $standard $level" \
				"${kinds[n++ % ${#kinds[@]}]} bfd"
		done
		standard=$(standards $language "$compiler" | tail -n 1)
		for level in "${all[@]}"; do
			grep -q "^${language//+/[+]} $compiler [^ ]* $level " \
				"$1" && continue
			echo "$language $compiler $standard $level" \
				"${kinds[n++ % ${#kinds[@]}]} bfd"
		done
	done; done
}

everything() {
	local compiler language standard level kind linker

	for compiler in $(compilers); do
	for language in c c++; do
	for standard in $(standards $language "$compiler"); do
	for level in $(levels $language "$compiler"); do
	for kind in pie nopie gcpie static staticpie shared lto flag sdt; do
	for linker in bfd gold lld; do
		echo "$language $compiler $standard $level $kind $linker"
	done; done; done; done; done; done
}

run_combinations() {
	local n=0 row

	chosen >"$work/chosen"
	case $choice in
	few) sed -n 's/ few$//p' "$work/chosen" ;;
	some)
		sed 's/ few$//' "$work/chosen"
		remaining "$work/chosen"
		;;
	all) everything ;;
	esac >"$work/rows"
	while read -r row; do
		exists $row || continue
		n=$((n + 1))
		[ $n -gt $jobs ] && wait -n
		combination $n $row >"$work/$n.out" 2>&1 &
	done <"$work/rows"
	wait
	for row in $(seq $n); do
		cat "$work/$row.out"
	done
}

# The code of a site that is off: nop, test, and the function's return; when
# it is on, the value goes from register to register.
check_code() { # COMPILER
	local name="$1: a site that is off reads no memory"

	cd "$work" || return
	compile $1 -std=gnu11 -O2 -fcf-protection=none -I"$include" \
		-I"$here" -c "$here/cases.c" -o code.o || return
	objdump -d --no-show-raw-insn --disassemble=hot_u64 code.o |
		awk '/^ *[0-9a-f]+:\t/ { sub(/^[^\t]*\t/, ""); print }' >code
	awk '$1 == "ret" { exit } { print $1 }' code >off
	# A move between registers may stand before the site.
	if [ "$(grep -v '^mov$' off | xargs)" = 'nop test' ] &&
	   ! sed '/^ret/q' code | grep '^mov' | grep -q '('; then
		echo "PASS: $name"
	else
		sed 's/^/# /' code
		echo "FAIL: $name"
	fi
	name="$1: a single field goes to the agent in a register"
	if ! grep -q 'rsp' code && [ "$(grep -c 'rip' code)" -le 2 ]; then
		echo "PASS: $name"
	else
		sed 's/^/# /' code
		echo "FAIL: $name"
	fi
}

# What must not compile, or not without this message.
refused() { # NAME LANGUAGE COMPILER MESSAGE STATEMENT
	local cc x

	cc=$(cc_of "$2" "$3")
	have "$cc" || return 0
	x=c
	[ "$2" = c++ ] && x=c++
	cd "$work" || return
	printf '%s\n' '#include <taffrail/marker.h>' 'struct s { int x; };' \
		'void f(struct s s, int i, char *p);' \
		'void f(struct s s, int i, char *p)' \
		"{ $5; (void)s; (void)i; (void)p; }" >refused.c
	if "$cc" -x $x -Wall -Werror -isystem "$include" -c refused.c \
		-o refused.o 2>log; then
		echo "FAIL: $3, $2: $1 (accepted)"
	elif grep -q -e "$4" log; then
		echo "PASS: $3, $2: $1"
	else
		sed 's/^/# /' log | head -10
		echo "FAIL: $3, $2: $1"
	fi
}

check_refused() { # COMPILER
	local language

	for language in c c++; do
		refused 'wrong format warns' $language $1 'Werror.*format' \
			'TAFFRAIL_MARK(a, b, "n %s", i)'
		refused 'missing argument warns' $language $1 'Werror.*format' \
			'TAFFRAIL_MARK(a, b, "n %d %s", i)'
		refused '17 arguments' $language $1 'at most 16 arguments' \
			"TAFFRAIL_EVENT(a, b, i$(printf ',i%.0s' {1..16}))"
		refused 'a struct as a field' $language $1 \
			'cannot be a field' 'TAFFRAIL_EVENT(a, b, s)'
	done
}

have readelf && have objdump || {
	echo 'UNSUPPORTED: matrix: no readelf or objdump (package binutils)'
	exit 0
}
run_combinations
for compiler in $(compilers_chosen); do
	if ! have $compiler; then
		echo "UNSUPPORTED: $compiler: not installed"
		continue
	fi
	[ "$(uname -m)" = x86_64 ] && check_code $compiler
	check_refused $compiler
done
