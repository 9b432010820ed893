#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints C: the frame of the timeline's page with its style and script inside.
#
#	embed.sh FRAME STYLE SCRIPT...
#
# What must stay true: the policy in the frame names the style and the script by
# their SHA-256; a browser runs nothing else.
set -eu
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' 0
frame=$1 style=$2
shift 2
cat "$@" >"$work/script"

# FILE: prints its SHA-256 in base64.
hash_of()
{
	octal=$(sha256sum "$1" | awk '{
		for (i = 1; i < 65; i += 2)
			printf "\\%03o", 16 * value($1, i) + value($1, i + 1)
	}
	function value(text, at) {
		return index("0123456789abcdef", substr(text, at, 1)) - 1
	}')
	# shellcheck disable=SC2059
	printf "$octal" | base64
}

awk -v style="$style" -v script="$work/script" \
    -v style_hash="$(hash_of "$style")" \
    -v script_hash="$(hash_of "$work/script")" '
# Prints a line, with a file in place of the word.
function put(word, file,   at, line)
{
	at = index($0, word)
	printf "%s", substr($0, 1, at - 1)
	while ((getline line <file) > 0)
		print line
	print substr($0, at + length(word))
}
/@STYLE@/ { put("@STYLE@", style); next }
/@SCRIPT@/ { put("@SCRIPT@", script); next }
{
	sub(/@STYLE_HASH@/, style_hash)
	sub(/@SCRIPT_HASH@/, script_hash)
	print
}' "$frame" >"$work/page"

echo '/* Made by embed.sh from the files in page/. */'
echo '#include "command/timeline/page-private.h"'
echo
echo 'const char page_text[] = {'
od -A n -v -t d1 "$work/page" | sed 's/\( *-*[0-9][0-9]*\)/\1,/g'
echo ' 0 };'
echo 'const unsigned int page_text_bytes = sizeof(page_text) - 1;'
