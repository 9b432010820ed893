# SPDX-License-Identifier: LGPL-2.1-or-later
# Source lines of programs whose debug information is in other files. What is
# recorded is what the program prints.

group: {WAY}
for: WAY link beside dwz split package llvm_package
need: command -v gcc clang objcopy dwz; w={WAY}; [ $w = ${w%package} ] || command -v dwp llvm-dwp
before:
	# the values that the program prints
	told() {
		rm -rf own && taffrail record -o own -e 'shop.c:36 "%d %d %s %g", n, left, item->name, item->price' -- ./shop 20 >out &&
			taffrail export --format json own | sed 's/.*"message":"//; s/"}$//' >told &&
			grep -v twice out | diff - told && wc -l <told
	}
	# debug information of a program that is then stripped
	zip=
	[ {WAY} != beside ] || zip=--compress-debug-sections
	debug() {
		objcopy --only-keep-debug $zip $1 $1.debug && strip $1
		mkdir -p $2 && objcopy --add-gnu-debuglink=$1.debug $1 && { [ $2 = . ] || mv $1.debug $2; }
	}
	each() { for at in gcc.* clang.*; do (cd $at && "$@"); done; }
	for compiler in gcc clang; do
		for options in '-gdwarf-4 -O0' '-gdwarf-4 -O2' '-gdwarf-5 -O0' '-gdwarf-5 -O2'; do
			at=$compiler.${options// /}
			# dwz knows no .debug_addr
			[ "{WAY} $at" = 'dwz clang.-gdwarf-5-O0' ] || [ "{WAY} $at" = 'dwz clang.-gdwarf-5-O2' ] && options="-gdwarf-4 -O1"
			mkdir $at && cd $at
			case {WAY} in split | *package) options="$options -gsplit-dwarf" ;; esac
			# dwp of binutils 2.40 crashes at others
			[ {WAY} = package ] && options="$options -gdwarf-4"
			$compiler $options -Wl,--build-id -o shop "$SOURCE/shop.c"
			case {WAY} in
			link) debug shop . ;;
			beside) debug shop .debug ;;
			package) dwp -e shop && rm *.dwo || exit 1 ;;
			llvm_package) llvm-dwp -e shop -o shop.dwp && rm *.dwo || exit 1 ;;
			dwz)
				cp shop other && debug other . && debug shop . &&
					dwz -m shared shop.debug other.debug
				rm other* ;;
			esac
			cd ..
		done
	done
case: values
run: each told
whole stdout:
	40
	40
	40
	40
	40
	40
	40
	40
case: members of each kind, and a global variable
run: each sh -c 'taffrail record -o trace -e "shop.c:36(item->flag, item->level, item->kind, item->code, item->label->text, item->sizes[1], total)" -- ./shop 1 >out && taffrail view trace' | sed 's/.*{//' | sort | uniq -c
whole stdout:
	      8  flag = 1, level = 15, kind = TOOL, code = "xy", text = "(unreadable)", sizes = 5, total = 0, unread = 0x10 }
	      8  flag = 5, level = -3, kind = FRUIT, code = "abcdef", text = "fresh", sizes = 2, total = 0, unread = 0x0 }
case: lists, and functions by their names
run: each sh -c 'taffrail list --lines shop.c shop | grep -c "shop.c:36 .*int32 left"; taffrail record -o plus -e "sell:+4(n)" -- ./shop 2 >out && taffrail view plus | grep -c "n = 1 }"' | sort | uniq -c
whole stdout:
	     16 1
case: without the other files
run: rm -rf */.debug */shop.debug */shared */*.dw[op]; cd gcc.*5-O0 && taffrail record -e 'shop.c:36(n)' -- ./shop
status: 1
stderr: no file has debug information|the file with the debug information is missing: .*\.dwo$

group: what dwz has moved out is missing
need: command -v gcc objcopy dwz
before:
	gcc -gdwarf-4 -O0 -Wl,--build-id -o shop "$SOURCE/shop.c" && cp shop other
	for one in shop other; do objcopy --only-keep-debug $one $one.debug && strip $one && objcopy --add-gnu-debuglink=$one.debug $one; done
	dwz -m shared shop.debug other.debug && rm shared
cases:
	1 taffrail record -e 'shop.c:36(n)' -- ./shop
		^rule 'shop\.c:36\(n\)': the file with the debug information is missing: .*shared$
	1 taffrail list --lines shop.c ./shop
		^the file with the debug information is missing: .*shared$

group: parts that units have in common, moved out by dwz
need: command -v gcc dwz readelf
before:
	cat >parts.h <<-'END'
		struct item { int a; long b; struct item *next; char name[16]; };
		enum kind { RED, GREEN, BLUE };
		struct rest { struct item one; enum kind k; unsigned int u; };
	END
	for i in 0 1 2; do
		cat >part$i.c <<-END
			#include "parts.h"
			int sum$i(struct item *t, struct rest *o)
			{
				struct item copy = *t;
				return copy.a + (int)o->k + $i;
			}
		END
	done
	cat >>part0.c <<-'END'
		int sum1(struct item *, struct rest *), sum2(struct item *, struct rest *);
		int main(void)
		{
			struct item t = { 3, 4, 0, "x" };
			struct rest o = { t, GREEN, 7 };
			return sum0(&t, &o) + sum1(&t, &o) + sum2(&t, &o) == 15 ? 0 : 1;
		}
	END
	gcc -g -O0 -Wl,--build-id -o plain part0.c part1.c part2.c && cp plain moved && dwz moved || exit 77
case: each source has the lines that it had
run: readelf --debug-dump=info moved | grep -q DW_TAG_partial_unit && for i in 0 1 2; do taffrail list --lines part$i.c ./plain >plain.out; taffrail list --lines part$i.c ./moved | diff plain.out - && grep -c '^part' plain.out; done
whole stdout:
	9
	4
	4
case: and the values
run: taffrail record -o d -e 'part0.c:5(t->a, o->k, copy.b)' -e 'part2.c:5(o->u)' -- ./moved && taffrail view d | grep -o '{ [^{}]* }$'
stdout: ^\{ a = 3, k = .*GREEN.*, b = 4, unread = 0x0 \}$
stdout: ^\{ u = 7, unread = 0x0 \}$

group: packages of debug information
need: unshare -m mount -t tmpfs none /usr/lib/debug
before:
	gcc -g -O1 -Wl,--build-id -o shop "$SOURCE/shop.c"
	id=$(readelf -n shop | sed -n 's/.*Build ID: //p')
	objcopy --only-keep-debug shop shop.debug && strip shop
	cp shop.debug wrong.debug
	inside() {
		unshare -m sh -c 'mount -t tmpfs none /usr/lib/debug || exit 77
			folder=/usr/lib/debug/.build-id/$(printf %.2s $2)
			mkdir -p $folder && cp $1 $folder/${2#??}.debug
			taffrail record -o trace -e "shop.c:36(left, item->name)" -- ./shop 1 >out && taffrail view trace' sh "$@"
	}
case: by the build id
run: inside shop.debug $id
stdout: \{ left = 100, name = "pear", unread = 0x0 \}$
case: a file of another build is not taken
run: gcc -g -O0 -Wl,--build-id -o wrong "$SOURCE/shop.c" && objcopy --only-keep-debug wrong wrong.debug && inside wrong.debug $id
status: 1
stderr: no file has debug information

group: debuginfod
need: ldconfig -p | grep -q libdebuginfod.so.1
before:
	gcc -g -O1 -Wl,--build-id -o shop "$SOURCE/shop.c"
	id=$(readelf -n shop | sed -n 's/.*Build ID: //p')
	mkdir -p server/buildid/$id && objcopy --only-keep-debug shop server/buildid/$id/debuginfo && strip shop
	unset DEBUGINFOD_URLS
	export DEBUGINFOD_CACHE_PATH=$PWD/cache
case: only where the user has named a server
run: taffrail record -o trace -e 'shop.c:36(left)' -- ./shop 1
status: 1
stderr: no file has debug information
case: a file that it has
run: DEBUGINFOD_URLS="file://$PWD/server" taffrail record -o trace -e 'shop.c:36(left)' -- ./shop 1 >out && taffrail view trace
stdout: \{ left = 100 \}$
case: a server that has none
run: rm -rf cache; DEBUGINFOD_URLS="file://$PWD/nowhere" taffrail list --lines shop.c shop
status: 1
stderr: no file has debug information
