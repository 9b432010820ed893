#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sources of the product, read by one compiler with the flags of the build:
# a warning is an error, since other compilers warn of other things.
#
#	compilers.sh COMPILER BUILD FOLDER...	in the source's directory
set -eu

compiler=$1
build=$2
shift 2
variable() { # NAME: as the Makefile has it, quoted for a shell
	sed -n "s/^$1 = //p" "$2/Makefile"
}
case $(uname -m) in
x86_64) other=-aarch64 ;;
*) other=-x86_64 ;;
esac
sources=$(find "$@" -name '*.c' | sort | grep -v -- "$other")
read_sources() { # SOURCE...
	eval "set -- $(variable DEFS "$build") $(variable WARNINGS "$build")" \
		'"$@"'
	"$compiler" -std=gnu11 -O2 -fexceptions -fsyntax-only -Werror \
		-D_GNU_SOURCE -DTAFFRAIL_LIBDIR='""' -DTAFFRAIL_DATADIR='""' \
		-DTAFFRAIL_LIB_BESIDE='""' -DTAFFRAIL_DATA_BESIDE='""' \
		-I. -Iinclude "$@"
}
# clang takes longer to begin than to read a source, and begins for each; the
# compiler proper reads all of them. clang says how it calls that for one.
first=$(printf '%s\n' "$sources" | head -n 1)
proper=$(read_sources -\#\#\# "$first" 2>&1 | tail -n 1)
case $proper in
*'"-cc1"'*"\"$first\"")
	eval "set -- ${proper%"\"$first\""}"
	# shellcheck disable=SC2086  # no file here has a blank in its name
	exec "$@" $sources ;;
esac
# shellcheck disable=SC2086  # no file here has a blank in its name
read_sources $sources
