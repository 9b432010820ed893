#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Does each rule of lint.sh still catch a fault, in a room within a room? Makes a
# small tree with one fault a rule in agent/planted/, and lints that.
# Prints "PASS: RULE", "FAIL: RULE" or "UNSUPPORTED: RULE: REASON" a rule.
#
# faults.sh TOP: the tree
#
# What must stay true: a rule that looks at fewer files than there are passes
# without a word; so each rule that lint.sh has must have a fault here.
set -u
export LC_ALL=C
top=$1
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree
spdx='/* SPDX-License-Identifier: LGPL-2.1-or-later */'

# What the rules read, and the headers that the faults include. Of the other files
# lint.sh itself is told.
copy_tree()
{
	mkdir "$tree" &&
	(cd "$top" && tar -cf - ./*/local.mk docs/architecture.md \
		testsuite/lint testsuite/models .clang-format base/*.h \
		base/order.def docs/memory-order.md \
		buffers/writers/private.h) | tar -xf - -C "$tree"
	mkdir "$tree/agent/planted" "$tree/testsuite/planted" \
		"$tree/testsuite/taffrail.agent" "$tree/testsuite/check"
	touch "$tree/testsuite/check/tiers" "$tree/testsuite/check/alone"
	echo 'planted/none 1 1' >"$tree/testsuite/check/seconds"
	sed -i 's/^\( *agent  *|.*\)$/\1 planted/' "$tree/docs/architecture.md"
}

# plant FILE LINE...: with the licence's line first.
plant()
{
	local file=$tree/$1
	shift
	case $file in
	*.sh) printf '%s\n' '#!/bin/sh' \
		'# SPDX-License-Identifier: LGPL-2.1-or-later' "$@" ;;
	*) printf '%s\n' "$spdx" "$@" ;;
	esac >"$file"
}

# plant_object FILE.o SOURCE: as the product's build names it.
plant_object()
{
	mkdir -p "$(dirname "$tmp/build/$1")"
	plant "$(dirname "$1")/$(basename "${1##*_a-}" .o).c" "$2"
	echo "$2" | ${CC:-cc} -x c -c -o "$tmp/build/$1" -
}

repeat()
{
	local i
	for ((i = 0; i < $1; i++)); do printf '%s\n' "$2"; done
}

plant_faults()
{
	local i
	echo '/* no licence */' >"$tree/agent/planted/spdx.c"
	plant agent/planted/rooms.c '#include "command/planted/up.h"'
	mkdir "$tree/command/planted"
	sed -i 's/^\( *command  *|.*\)$/\1 planted/' \
		"$tree/docs/architecture.md"
	plant agent/planted/near.c '#include "buffers/writers/private.h"'
	plant command/planted/up.h '#ifndef UP_H' '#define UP_H' '#endif'
	plant command/planted/base.h
	plant agent/planted/own-private.h
	plant agent/planted/shows.h '#include "agent/planted/own-private.h"'
	plant buffers/writers/hidden.h
	plant agent/planted/looks.c '#include "buffers/writers/hidden.h"'
	plant agent/planted/long-file.c "$(repeat 801 ';')"
	plant agent/planted/long-function.c 'void long_one(void)' '{' \
		"$(repeat 81 '	;')" '}'
	plant agent/planted/truth.c 'int truth_told(int a)' '{' \
		'	return a ? a > 2 : 0;' '}'
	plant agent/planted/owners.c 'int owners(struct outcome *a)' '{' \
		'	return a[1].status;' '}'
	plant agent/planted/columns.c "/* $(printf '%80s' wide) */"
	plant agent/planted/blanks.c 'int blanks; '
	plant agent/planted/alone.h 'struct alone { unknown_type member; };'
	plant agent/planted/many.h '#include <errno.h>' '#include <fcntl.h>' \
		'#include <stddef.h>' '#include <stdint.h>' \
		'#include <string.h>' '#include <unistd.h>'
	plant agent/planted/tags.c '/* PLANTED-TAG: one side */'
	plant agent/planted/order.c 'int load_acquire(int *p);' \
		'int order(int *p)' '{' \
		'	__atomic_thread_fence(__ATOMIC_SEQ_CST);' \
		'	/* order: PLANTED_PAIR release */' \
		'	/* order: RING_HEAD release */' '	return *p;' '}'
	sed -i 's/RING_TAIL/RING_SLIP/' "$tree/docs/memory-order.md"
	plant testsuite/models/planted.pml '/* PLANTED-NAME: no code */'
	plant agent/planted/machine.c \
		'void pause_here(void) { __asm__ volatile("pause"); }'
	plant agent/planted/once.c 'static int once(void)' '{' \
		'	return 1;' '}' 'int twice(void)' '{' \
		'	return once();' '}'
	echo 'once most 0' >"$tree/testsuite/lint/figures.limits"
	printf '| G1.1 | A | - | `planted/gone` |\n%.0s' 1 2 \
		>"$tree/docs/guarantees.md"
	echo 'As guarantees.md, G1.2, says; see `planted/gone.c`' \
		>"$tree/docs/planted.md"
	plant agent/planted/path.c "/* $(printf '/%s/' work)planted */"
	plant testsuite/taffrail.agent/planted.c 'int main(void);'
	for ((i = 0; i < 31; i++)); do
		: >"$tree/testsuite/planted/$i.$( ((i % 2)) && echo t || echo exp)"
	done
	plant testsuite/planted/broken.sh 'if true; then'
	plant testsuite/planted/broken.awk '{ print 1 ? 2 :'
	plant agent/planted/handler.c '#include <stdlib.h>' \
		'#include "base/base.h"' 'void *handler_planted(void);' \
		'SIGSAFE void *handler_planted(void)' '{' \
		'	return malloc(1);' '}'
	plant callbacks/handler.c '#include <stdlib.h>' '#include "base/base.h"' \
		'SIGSAFE void *handler_probes(void) { return malloc(2); }'
	plant agent/planted/leak.c '#include <stdlib.h>' \
		'void leak(const char *c)' '{' '	char *copy = malloc(1);' \
		'' '	if (copy && *c)' '		free(copy);' '}'
	plant agent/planted/beyond.c 'int beyond(void)' '{' \
		'	int two[2] = { 0 };' '' '	two[2] = 1;' \
		'	return two[0];' '}'
	plant agent/planted/format.c 'void format(int *p)' '{' \
		'	if(*p) *p = 0;' '}'
	plant agent/planted/needless.c '#include <ctype.h>'
	plant testsuite/planted/unsure.sh 'cd planted' 'rm -f file'
	plant agent/planted/slip.c "/* $(printf '%s' rec ieve) */"
	plant_object buffers/libagent_a-planted.o \
		'void planted_up(void); void planted(void) { planted_up(); }'
	plant_object agent/planted/libagent_a-planted.o 'long unwound(void) { long i;
		__asm__("push $1\n\tpop %0" : "=r" (i) : : "memory");
		return i; }'
	plant_object agent/libagent_a-planted.o \
		'void planted(void); void planted_half(void);
		void planted_up(void) { planted(); planted_half(); }'
	plant_object agent/libagent_a-planted-x86_64.o \
		'void planted_up(void); void planted_half(void) { planted_up(); }'
}

# The rule, and what its fault makes it say.
expected()
{
	cat <<-'END'
	spdx agent/planted/spdx.c:1: no SPDX
	rooms agent/planted may not include command/planted/up.h
	rooms agent/planted/alone.h:1: only its own room includes it: name it
	rooms agent/planted/shows.h:2: shows agent/planted/own-private.h, which is
	rooms agent/planted/near.c:2: includes buffers/writers/private.h, which is
	rooms command/planted: has the last name of agent/planted
	rooms command/planted/up.h:1: its guard is UP_H, not COMMAND_PLANTED_UP_H
	rooms command/planted/base.h:1: has the name of base/base.h
	rooms docs/architecture.md does not show buffers/writers/hidden.h to other
	truth agent/planted/truth.c:2: truth_told() returns a truth as int
	owners agent/planted/owners.c:4: status of struct outcome is for
	symbols buffers may not call agent/planted
	symbols circle: agent/planted agent/planted-x86_64 buffers/planted
	unwound agent/planted/planted.c: <unwound>: pushes and pops a
	file_length agent/planted/long-file.c:802:
	function_length agent/planted/long-function.c:3: long_one()
	columns agent/planted/columns.c:2:
	white_space agent/planted/blanks.c:2:
	headers_alone agent/planted/alone.h:1: not alone
	header_includes agent/planted/many.h:7:
	pair_tags tag PLANTED-TAG stands alone
	order agent/planted/order.c:2: load_acquire() without a tag
	order agent/planted/order.c:5: an ordered access without a tag
	order agent/planted/order.c:6: PLANTED_PAIR has no row
	order RING_HEAD has no access with acquire
	order no access names RING_TAIL
	order docs/memory-order.md:1: differs
	figures testsuite/lint/figures.limits:1: once is
	guarantees docs/guarantees.md:1: G1.1 stands 2 times
	guarantees docs/guarantees.md:1: no test planted/gone
	guarantees docs/planted.md:1: no row G1.2
	doc_files docs/planted.md:1: no file planted/gone.c
	model_names PLANTED-NAME is not in the code
	machine_code agent/planted/machine.c:2: machine code
	local_paths agent/planted/path.c:2:
	listed agent/planted/spdx.c:1: not in agent/local.mk
	test_programs testsuite/taffrail.agent/planted.c:1: no test
	test_folders testsuite/planted: 31 tests
	test_lists testsuite/check/seconds:1: no test file planted/none
	scripts_parse testsuite/planted/broken.sh:
	scripts_parse testsuite/planted/broken.awk:
	scripts_run testsuite/planted/broken.sh:1: not executable
	sigsafe malloc is reached from SIGSAFE code: handler_planted
	sigsafe malloc is reached from SIGSAFE code: handler_probes
	analyzer agent/planted/leak.c:9: leak: leak of 'copy'
	cppcheck agent/planted/beyond.c:6: arrayIndexOutOfBounds:
	format agent/planted/format.c:4: before "(": a blank is missing
	format agent/planted/format.c:4: before "*": the line ends too late
	includes agent/planted/needless.c:2: needs nothing of ctype.h
	shellcheck testsuite/planted/unsure.sh:3: warning: Use 'cd
	spelling agent/planted/slip.c:2:
	END
}

main()
{
	local rule text verdict why
	copy_tree
	plant_faults
	BUILD=$tmp/build bash "$tree/testsuite/lint/lint.sh" >"$tmp/said" 2>&1
	while read -r rule text; do
		verdict=FAIL
		if grep -qF -- "$text" "$tmp/said"; then verdict=PASS; fi
		if why=$(grep "^lint: $rule is skipped" "$tmp/said"); then
			verdict=UNSUPPORTED text="$text: ${why##*: }"
		fi
		echo "$verdict: $rule catches: $text"
	done < <(expected)
	while read -r rule; do
		verdict=FAIL
		if expected | grep -q "^$rule "; then verdict=PASS; fi
		echo "$verdict: $rule has a fault to catch"
	done < <(sed -n 's/^rule_\([a-z_]*\)()$/\1/p' \
		"$top"/testsuite/lint/lint.sh "$top"/testsuite/lint/tools.sh)
}

main
