# SPDX-License-Identifier: LGPL-2.1-or-later
packages='make gcc binutils'
target='make'
limit=300
remark='500 C files in 25 folders'
command=(bash -c 'cp -r "$1/tree" . && cd tree && make -s -j2
	echo $?
	./program; echo $?
	find . -name "*.o" | wc -l
	make -s -j2; touch drivers/d7/f3.c; make -j2 | grep -c "^gcc"
	make -s -j2 broken 2>&1 | grep -o "error: expected.*"; cd ..; rm -rf tree' \
	sh "$work")

# As the kernel's: each folder is a make of its own, which makes an archive.
prepare()
{
	local d f
	mkdir -p tree/include tree/scripts
	cat >tree/Makefile <<-'END'
	.RECIPEPREFIX = >
	folders := $(sort $(wildcard drivers/*))
	archives := $(folders:=/built-in.a)
	program: $(archives) init.o
	>gcc -o $@ init.o -Wl,--start-group $(archives) -Wl,--end-group
	init.o: init.c include/all.h
	>gcc -O2 -Iinclude -c $< -o $@
	$(archives): FORCE
	>@$(MAKE) -f scripts/build.mk obj=$(@D)
	broken: FORCE
	>echo 'int f(' >drivers/d3/broken.c
	>$(MAKE) -f scripts/build.mk obj=drivers/d3
	FORCE:
	.PHONY: FORCE
	END
	cat >tree/scripts/build.mk <<-'END'
	.RECIPEPREFIX = >
	objects := $(patsubst %.c,%.o,$(sort $(wildcard $(obj)/*.c)))
	$(obj)/built-in.a: $(objects)
	>rm -f $@; ar cDPrs $@ $(objects)
	%.o: %.c
	>gcc -O2 -Wall -Iinclude -MMD -MF $(@D)/.$(@F).d -c $< -o $@
	-include $(wildcard $(obj)/.*.d)
	END
	echo '#include <stdio.h>' >tree/include/all.h
	echo '#include "all.h"' >tree/init.c
	echo 'int main(void) { long s = 0;' >tree/main
	for d in $(seq 25); do
		mkdir -p "tree/drivers/d$d"
		for f in $(seq 20); do
			echo "long f${d}_$f(long);" >>tree/include/all.h
			echo "s += f${d}_$f(s);" >>tree/main
			cat >"tree/drivers/d$d/f$f.c" <<-END
			#include "all.h"
			long f${d}_$f(long a)
			{
				for (int i = 0; i < $f; i++)
					a = a * $d + (i % 7 ^ (a >> 3));
				return a;
			}
			END
		done
	done
	cat tree/main >>tree/init.c
	echo 'printf("%lx", s); puts(""); return 3; }' >>tree/init.c
	rm tree/main
}
