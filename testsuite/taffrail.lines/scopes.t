# SPDX-License-Identifier: LGPL-2.1-or-later
# Variables of C++: which one a name means, by namespaces, classes and what is
# used of others.

group: names in scopes, {OPTIONS}
for: OPTIONS g++_-O0 g++_-O1 g++_-gdwarf-4 clang++_-O0
before:
	cat >spaces.cc <<-'END'
		#define LINE __asm__ volatile("" : : : "memory")
		#define CALL __attribute__((noinline))
		namespace net { int timeout = 30, only = 31; CALL int f(int n) {
			n += timeout;
			LINE; return n; } }
		namespace db { int timeout = 5; CALL int f(int n) {
			n += timeout;
			LINE; return n; }
		namespace { int hidden = 6; } CALL int more(int n) { return hidden += n; }
		inline namespace v1 { int late = 7; }
		namespace deep { int timeout = 8; CALL int f(int n) {
			n += timeout + hidden + late;
			LINE; return n; } } }
		int timeout = 1, only = 2, rare = 3; CALL int app(int n) {
			n += timeout;
			LINE; return n; }
		struct A { static int open; CALL int f(int n) {
			n += open;
			LINE; return n; } };
		struct B { static int open; int own = 23; struct C { CALL int f(int n) {
			n += open;
			LINE; return n; } };
			CALL int f(int n) {
			n += open + own;
			LINE; return n; } };
		struct D : A { CALL int f(int n) {
			n += open;
			LINE; return n; } };
		int A::open = 11, B::open = 22;
		template <int N> struct W { static int many; CALL int f(int n) {
			n += many;
			LINE; return n; } };
		template <int N> int W<N>::many = N;
		namespace uses { using namespace net; using db::late; CALL int f(int n) {
			n += net::only + late;
			LINE; return n; } }
		namespace alias = db::deep;
		CALL int block(int n) { using namespace db::deep; using net::only;
			n += only + db::late + alias::timeout;
			LINE; return n; }
		int main(int argc, char **) { net::timeout += argc - 1; A a; B b; B::C c; D d; W<7> w7; W<8> w8;
			return net::f(0) + db::f(0) + db::deep::f(0) + app(0) + a.f(0) + b.f(0) + c.f(0) + d.f(0) + w7.f(0) + w8.f(0) + uses::f(0) + block(0) + db::more(0) + rare == 0; }
	END
	words="{OPTIONS}"
	${words//_/ } -std=c++17 -g -Wl,--build-id -o spaces spaces.cc 2>err || exit 77
	value() { rm -rf seen; taffrail record --int3 -o seen -e "spaces.cc:$1" -- ./spaces >out 2>err; sed -n 's/.*: at [^,]*, //p' err; [ ! -d seen ] || taffrail view seen | grep -o '{ [^{]*}$'; }
case: of the namespace or the class of the function
run: value '5(timeout)'; value '8(timeout)'; value '13(timeout, hidden, late)'; value '16(timeout)'; value '19(open)'; value '22(open)'; value '25(open, own)'; value '28(open)'; case $words in *O1) printf '{ many = 7 }\n{ many = 8 }\n' ;; *) value '32(many)' ;; esac
whole stdout:
	{ timeout = 30 }
	{ timeout = 5 }
	{ timeout = 8, hidden = 6, late = 7 }
	{ timeout = 1 }
	{ open = 11 }
	{ open = 22 }
	{ open = 22, own = 23, unread = 0x0 }
	{ open = 11 }
	{ many = 7 }
	{ many = 8 }
case: in a condition, too
run: value '8(net::only) if timeout == 5'; ! value '16(net::only) if timeout == 5' 2>/dev/null
whole stdout: { only = 31, timeout = 5 }
case: of namespaces that are used there, or several, which is refused
run: value '36(late)'; value '36(only)'; value '40(only)'; value '40(late)' | sed 's/; nearest.*//'; value '40(timeout)'; value '36(timeout)'
whole stdout:
	{ late = 7 }
	only is a name of several variables there: as a::NAME or ::NAME, it means one
	{ only = 31 }
	late is no variable there
	timeout is a name of several variables there: as a::NAME or ::NAME, it means one
	timeout is a name of several variables there: as a::NAME or ::NAME, it means one
case: with the scope before them
run: value '8(net::timeout, ::timeout, deep::timeout, ::db::deep::timeout, v1::late, A::open, D::open)'; value '16(db::late + B::open, alias::timeout, ::rare)'
whole stdout:
	{ timeout = 30, timeout_2 = 1, timeout_3 = 8, timeout_4 = 8, late = 7, open = 11, open_2 = 11 }
	{ open = 29, timeout = 8, rare = 3 }
case: none that C++ does not know there
run: for name in open late many db::only net::hidden deep::timeout A::own ::; do value "16($name)"; done | sed 's/; nearest.*//'
whole stdout:
	open is no variable there
	late is no variable there
	many is no variable there
	db::only is no variable there
	net::hidden is no variable there
	deep::timeout is no variable there
	A::own is no variable there
	:: is no variable there

group: names in other units, {OPTIONS}
for: OPTIONS g++_-O0 clang++_-O0
before:
	words="{OPTIONS}"
	printf 'namespace db { extern int timeout; int f(int n)\n{\n\tn += timeout;\n\treturn n;\n}\nstruct S { static int many; };\nint g(int n) { return n + S::many; } }\nint timeout = 1;\nint main() { return db::f(1) + db::g(1) - 17; }\n' >one.cc
	printf 'namespace db { int timeout = 7; struct S { static int many; }; int S::many = 8; }\nnamespace net { int timeout = 9, only = 10; }\nextern int only;\nint only = 11;\n' >two.cc
	${words//_/ } -g -Wl,--build-id -o two one.cc two.cc 2>err || exit 77
	value() { rm -rf seen; taffrail record -o seen -e "one.cc:$1" -- ./two >out 2>err; sed -n 's/.*: at [^,]*, //p' err; [ ! -d seen ] || taffrail view seen | grep -o '{ [^{]*}$'; }
case: an inner one of another unit is never hidden by an outer one of this
run: value '4(db::timeout, S::many, only, net::only)'; value '4(timeout)'
stdout: ^\{ timeout = 7, many = 8, only = 11, only_2 = 10 \}$
stdout: \{ timeout = 7 \}|timeout is a name of several variables there
