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
eval "set -- $(variable DEFS "$build") $(variable WARNINGS "$build")"
# shellcheck disable=SC2086  # no file here has a blank in its name
exec "$compiler" -std=gnu11 -O2 -fexceptions -fsyntax-only "$@" -Werror \
	-D_GNU_SOURCE -DTAFFRAIL_LIBDIR='""' -DTAFFRAIL_DATADIR='""' \
	-DTAFFRAIL_LIB_BESIDE='""' -DTAFFRAIL_DATA_BESIDE='""' \
	-I. -Iinclude $sources
