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
