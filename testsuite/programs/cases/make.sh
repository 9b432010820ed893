# SPDX-License-Identifier: LGPL-2.1-or-later
packages='make gcc'
command=(make -s -j4 -f "$work/Makefile")

prepare()
{
	cat >Makefile <<-'END'
	.RECIPEPREFIX = >
	all: $(foreach n,$(shell seq 100),$n.o)
	>@ls *.o | sort | sha256sum
	>@$(MAKE) -s -f $(firstword $(MAKEFILE_LIST)) fails
	%.c:
	>@echo 'int f$*(int a) { return a * $*; }' >$@
	%.o: %.c
	>@gcc -O2 -c $< -o $@
	>@sha256sum $@ >$@.sum
	fails:
	>@cat 1.o.sum; exit 5
	END
}

filter()
{
	sed 's/\[[^]]*fails/[fails/'
}
