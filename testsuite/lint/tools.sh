# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules of lint.sh that a program of others checks. A rule whose program is not
# installed, in the release that it wants if it wants one, is skipped, and lint.sh
# says so.
#
# What must stay true: what a program reports in vain is a line of lint.allow,
# or an option below with its reason.

# Each release of gcc's analyzer and of cppcheck reports other things, and later
# ones of cppcheck read no asm goto. gcc 12 reports some twenty of this tree in
# 20 s of two CPUs, all in vain; clang 14's analyzer reports 73 in 110 s, most
# because it does not see what a system call in assembly writes.
ANALYZER_CC=${ANALYZER_CC:-gcc-12}
declare -A tools=(
	[analyzer]="$ANALYZER_CC 12.2"
	[cppcheck]='cppcheck 2.10'
	[format]=clang-format-14
	[includes]=iwyu
	[shellcheck]=shellcheck
	[spelling]=codespell
)

# Prints which program a rule lacks, and of which release.
lacking()
{
	local tool release
	read -r tool release <<<"${tools[$1]-}"
	test -n "$tool" || return
	command -v "$tool" >/dev/null &&
		"$tool" --version 2>/dev/null | grep -qF -- "$release" ||
		echo "$tool${release:+ $release}"
}

c_files()
{
	files "^($layers)/.*\.c$"
}

# In $BUILD/lint it keeps which files had nothing, by their preprocessed text.
rule_analyzer()
{
	c_files | xargs python3 $here/analyzer.py "$ANALYZER_CC" $public \
		"$BUILD/lint"
}

# checkersReport and the like are not about a file.
rule_cppcheck()
{
	local name
	c_files >"$scratch/files"
	set --
	for name in PACKAGE_VERSION TAFFRAIL_LIBDIR TAFFRAIL_LIB_BESIDE \
		    TAFFRAIL_DATADIR TAFFRAIL_DATA_BESIDE; do
		set -- "$@" -D$name='"x"'
	done
	cppcheck -q -j"$(nproc)" --std=c11 -I. -I$public "$@" \
		-D__x86_64__ -D__LP64__ -D_GNU_SOURCE -D__EXCEPTIONS \
		--enable=warning,performance,portability \
		--template='{file}:{line}: {id}: {message}' \
		--file-list="$scratch/files" 2>&1 | grep -v '^nofile:'
}

# See format.py. Each release of clang-format breaks lines otherwise.
rule_format()
{
	files '\.[ch]$' | xargs python3 $here/format.py clang-format-14
}

# Those that are run, and say by which shell; others are parts of them.
scripts()
{
	files '\.sh$|(^|/)(bootstrap|run|readme|modes)$' |
		xargs grep -lE -m 1 '^#!.*sh$'
}

# See includes.py.
rule_includes()
{
	c_files | xargs python3 $here/includes.py iwyu $public
}

# SC1090, SC1091	parts of scripts are files, too, and are looked at alone
# SC2012		ls lists files of plain names
# SC2015		A && B || C, where B is a message or an assignment
# SC2016		programs in single quotes are awk's, or another shell's
# SC2086		lists of words are split; no file here has a blank
# SC2317, SC2329	functions are called by names that are put together
# Of parts also:
# SC2034, SC2154	their variables are those of the script that reads them
rule_shellcheck()
{
	local options='-f gcc -e SC1090,SC1091,SC2012,SC2015,SC2016,SC2086'

	options=$options,SC2317,SC2329
	{
		scripts | xargs shellcheck $options
		grep -vxF -f <(scripts) <(files '\.sh$') |
			xargs shellcheck $options -s bash -e SC2034,SC2154
	} 2>&1 | sed 's/^\([^:]*:[0-9]*\):[0-9]*:/\1:/'
}

rule_spelling()
{
	files . | grep -vE '^COPYING|/lint\.allow$' | xargs codespell 2>&1
}
