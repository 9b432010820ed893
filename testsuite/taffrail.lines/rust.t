# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules for source lines of programs in Rust.

group: Rust
before:
	rustc -g -C opt-level=0 -o shop "$SOURCE/shop.rs" 2>err || exit 77
	sold() {
		taffrail export --format json sold | sed 's/.*"message":"//; s/"}$//'
	}
case: numbers and strings are those that the program prints
run: taffrail record -o sold --int3 -e 'shop.rs:29 "%lu %d [%s] [%s] [%s] %g", n, left, who, self.name, self.label, self.price' -- ./shop >out && sold | uniq | diff - <(sed 's/] 1\.5.*/] 1.5/' out) && wc -l <out
whole stdout: 4
case: slices, vectors, arrays, enumerations, tuples, static variables
run: taffrail record -o all --int3 -e 'shop.rs:29(parts, self.sizes, self->code, big, self.kind, self.pair, TOTAL)' -- ./shop >out && taffrail view all
stdout: \{ parts = \[10, -20, 30, -40\], sizes = \[\], code = \[1, 2, 3\], big = 0, kind = Fruit, __0 = 7, __1 = -8, TOTAL = -5, unread = 0x0 \}$
stdout: \{ parts = \[-40\], sizes = \[0, -1, -2\], code = \[1, 2, 3\], big = 1, kind = Tool, __0 = 7, __1 = -8, TOTAL = -8, unread = 0x0 \}$
case: elements of slices, vectors and arrays, and arithmetic
run: taffrail record -o parts --int3 -e 'shop.rs:29(parts[0], self.code[n], self.sizes[n - 1], (i32)n * left, self.price * 2) if n == 2' -- ./shop >out && taffrail view parts
stdout: \{ parts = 30, code = 3, sizes = -1, left = 194, price = 3, n = 2, unread = 0x0 \}$
case: a structure as a whole
run: taffrail record -o whole --int3 -e 'shop.rs:29(*self)' -- ./shop >out && taffrail view whole
stdout: name = "xx"
stdout: sizes = \[0, -1\]
case: functions by their names, and conditions
run: taffrail record -o plus --int3 -e 'sell:+3(n) if left < 96' -- ./shop >out && taffrail view plus
stdout: \{ n = 3, left = 94 \}$
no stdout: n = 2

group: enumerations with data
before:
	rustc -g -C opt-level=0 -o variants "$SOURCE/variants.rs" 2>err || exit 77
	line=$(sed -n '/println!("{} {} {}"/=' "$SOURCE/variants.rs")
	told() { rm -rf told && taffrail record -o told --int3 -e "variants.rs:$line$1" -- ./variants >out && taffrail view told | sed 's/.* { /{ /'; }
case: the name of the variant that there is
run: told '(a.number, a.small, a.refer, a.never, a.name)'; told '(a.flag, a.result, a.shape, a.niche, plain)'
whole stdout:
	{ number = Some, small = None, refer = Some, never = Some, name = Some, unread = 0x0 }
	{ number = None, small = Some, refer = None, never = None, name = None, unread = 0x0 }
	{ number = None, small = Some, refer = None, never = None, name = None, unread = 0x0 }
	{ flag = Some, result = Ok, shape = Circle, niche = Text, plain = None, unread = 0x0 }
	{ flag = None, result = Err, shape = Square, niche = Second, plain = Some, unread = 0x0 }
	{ flag = None, result = Err, shape = Empty, niche = Third, plain = Some, unread = 0x0 }
case: the data of a variant, which cannot be read where there is another one
run: told '(a.number.Some.__0, *a.refer.Some.__0, a.name.Some.__0, a.result.Ok.__0, a.result.Err.__0, a.shape.Circle.__0, a.shape.Square.side, a.niche.Text.__0, plain.Some.__0 + 1)'
whole stdout:
	{ __0 = -5, __0_2 = 77, __0_3 = "abc", __0_4 = 3, __0_5 = "(unreadable)", __0_6 = 1.5, side = 0, __0_7 = "text", __0_8 = 0, unread = 0x150 }
	{ __0 = 0, __0_2 = 0, __0_3 = "(unreadable)", __0_4 = 0, __0_5 = "bad", __0_6 = 0, side = 4, __0_7 = "(unreadable)", __0_8 = -3, unread = 0xAF }
	{ __0 = 0, __0_2 = 0, __0_3 = "(unreadable)", __0_4 = 0, __0_5 = "bad", __0_6 = 0, side = 0, __0_7 = "(unreadable)", __0_8 = 1099511627777, unread = 0xEF }
case: conditions
run: told '(i) if a.shape == Square && plain == Some && a.shape.Square.side == 4'
stdout: ^\{ i = 3, shape = Square, plain = Some, side = 4, unread = 0x0 \}$
case: no such variant
run: taffrail record --int3 -e "variants.rs:$line(a.shape.Circle.__1, a.shape.Round)" -- ./variants
status: 1
stderr: a\.shape\.Circle\.__1 has no such member; nearest: __0$
