/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C++ names of symbols (base/demangle.h), as other tools write them but without
 * the result's type, and symbols that are no such names or are cut.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

static const struct {
	const char *symbol, *name;
	const char *bare;		/* "": the symbol is not read */
} rows[] = {
	{ "_Z1fv", "f()", "f" },
	{ "_ZL4deepl", "deep(long)", "deep" },
	{ "_ZN4shop4sellEiPKc", "shop::sell(int, char const*)", "shop::sell" },
	{ "_ZNK4shop4Cart3addEl", "shop::Cart::add(long) const",
	  "shop::Cart::add" },
	{ "_ZN4shop4CartC1Ei", "shop::Cart::Cart(int)", "shop::Cart::Cart" },
	/* arguments of a constructor's template have names of their own */
	{ "_ZN1AC1INS_1BELi0EEEOT_", "A::A<A::B, 0>(A::B&&)", "A::A<A::B, 0>" },
	{ "_ZN1AC1IN1B1CEEET_S3_", "A::A<B::C>(B::C, B::C)", "A::A<B::C>" },
	{ "_ZNKR1P3getEv", "P::get() const &", "P::get" },
	{ "_ZNO1P3getEv", "P::get() &&", "P::get" },
	{ "_ZNVKR1P3getEi", "P::get(int) const volatile &", "P::get" },
	{ "_ZNVO1P3getEv", "P::get() volatile &&", "P::get" },
	{ "_ZN4shop4CartD0Ev", "shop::Cart::~Cart()", "shop::Cart::~Cart" },
	{ "_ZN4shop4CartclEi", "shop::Cart::operator()(int)",
	  "shop::Cart::operator()" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)",
	  "std::vector<int, std::allocator<int> >::push_back" },
	{ "_Z4sellIiEiT_RKSt6vectorIiSaIiEE",
	  "sell<int>(int, std::vector<int, std::allocator<int> > const&)",
	  "sell<int>" },
	{ "_ZNK1ScvbEv", "S::operator bool() const", "S::operator bool" },
	{ "_ZlsIiERSoS0_RK1AIT_E",
	  "operator<< <int>(std::ostream&, A<int> const&)",
	  "operator<< <int>" },
	{ "_Z1fPFicE", "f(int (*)(char))", "f" },
	{ "_Z1fRA3_KiM1AFivEMS2_i",
	  "f(int const (&) [3], int (A::*)(), int A::*)", "f" },
	{ "_Z1fRA3_A4_KiPA2_S0_", "f(int const (&) [3][4], int const (*) [2][4])",
	  "f" },
	/* qualifiers of types of functions; each group is one substitution */
	{ "_Z1fM1XKFivES1_", "f(int (X::*)() const, int (X::*)() const)", "f" },
	{ "_Z1fM1XVKFivREPS0_", "f(int (X::*)() const volatile &, "
	  "int (*)() const volatile &)", "f" },
	{ "_Z1fM1XKFPFicEvOE", "f(int (* (X::*)() const &&)(char))", "f" },
	{ "_Z1fPVKiS0_", "f(int const volatile*, int const volatile*)", "f" },
	/* addresses */
	{ "_ZN1A1gIXadL_ZNS_3incEiEEEEiPS_", "A::g<&A::inc>(A*)",
	  "A::g<&A::inc>" },
	{ "_Z1gIXadL_Z3inciEEEii", "g<&(inc(int))>(int)", "g<&(inc(int))>" },
	{ "_Z1gIXadL_ZNK1X3getEvEEEii", "g<&(X::get() const)>(int)",
	  "g<&(X::get() const)>" },
	{ "_Z1gIXadL_Z3varEEEii", "g<&var>(int)", "g<&var>" },
	{ "_Z1g1AIXadL_Z3inciEEES_IXadL_ZN1X1fEvEEE",
	  "g(A<&(inc(int))>, A<&X::f>)", "g" },
	{ "_Z1gIXadL_Z3incIiEiT_EEEii", "", "" },
	/* types that are not read: the name alone */
	{ "_Z1fRA3_PFivE", "f", "f" },
	{ "_ZN3gfx3dotEDv4_fS0_", "gfx::dot(float __vector(4), float __vector(4))",
	  "gfx::dot" },
	{ "_Z3magPCdRKS_S0_Cf",
	  "mag(double _Complex*, double _Complex const&, double _Complex*, "
	  "float _Complex)", "mag" },
	{ "_Z1fRKDv2_xPDv16_c",
	  "f(long long __vector(2) const&, char __vector(16)*)", "f" },
	{ "_Z1fDv_f", "f", "f" }, { "_Z1fDv4f", "f", "f" },
	{ "_Z1fDv4_", "f", "f" },
	{ "_Z1fIJicEEvDpT_", "f<int, char>(int, char)", "f<int, char>" },
	{ "_Z1fIJEEvDpT_", "f<>()", "f<>" },
	{ "_Z1fILi3ELb1ELj7EEvv", "f<3, true, 7u>()", "f<3, true, 7u>" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const",
	  "main::{lambda(int)#1}::operator()" },
	{ "_ZN12_GLOBAL__N_14workEv", "(anonymous namespace)::work()",
	  "(anonymous namespace)::work" },
	{ "_ZN1A1fB5cxx11Ev", "A::f[abi:cxx11]()", "A::f[abi:cxx11]" },
	{ "_ZThn16_N1A1fEv", "non-virtual thunk to A::f()",
	  "non-virtual thunk to A::f" },
	{ "_Z1fv.part.0", "f().part.0", "f" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write",
	  "core::fmt::write" },
	/* Rust's older form */
	{ "_ZN58_$LT$r..shop..Cart$LT$i64$GT$$u20$as$u20$r..shop..Sell$GT$"
	  "4sell17ha2d2f3dd5c07955cE",
	  "<r::shop::Cart<i64> as r::shop::Sell>::sell",
	  "<r::shop::Cart<i64> as r::shop::Sell>::sell" },
	{ "_ZN57_$LT$$u5b$u8$u3b$$u20$4$u5d$$u20$as$u20$r..shop..Sell$GT$"
	  "4sell17h3aa8f3d23281266fE",
	  "<[u8; 4] as r::shop::Sell>::sell",
	  "<[u8; 4] as r::shop::Sell>::sell" },
	{ "_ZN4core3ptr9const_ptr33_$LT$impl$u20$$BP$const$u20$T$GT$"
	  "13is_aligned_to17h5590ef23eab063c9E.llvm.7",
	  "core::ptr::const_ptr::<impl *const T>::is_aligned_to.llvm.7",
	  "core::ptr::const_ptr::<impl *const T>::is_aligned_to" },
	{ "_ZN60_$LT$$LP$i32$C$$RF$str$RP$$u20$as$u20$a.b..T$GT$"
	  "1f17h5590ef23eab063c9E", "", "" },
	{ "_ZN48_$LT$$LP$i32$C$$RF$str$RP$$u20$as$u20$a.b..T$GT$"
	  "1f17h5590ef23eab063c9E", "<(i32, &str) as a.b::T>::f",
	  "<(i32, &str) as a.b::T>::f" },
	{ "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$"
	  "17ha86af84d9cc65291E", "std::rt::lang_start::{{closure}}",
	  "std::rt::lang_start::{{closure}}" },
	{ "_ZN1a8_$uff$_b17ha86af84d9cc65291E", "a::_$uff$_b::h"
	  "a86af84d9cc65291", "a::_$uff$_b::ha86af84d9cc65291" },
	{ "_ZN17h0123456789abcdefE", "h0123456789abcdef", "h0123456789abcdef" },
	{ "_Z3addN9__gnu_cxx1AES0_", "add(__gnu_cxx::A, __gnu_cxx::A)", "add" },
	/* Rust's newer form: generics, impls, closures, references back */
	{ "_RNvNtCs1_4shop4cart4sell", "shop::cart::sell", "shop::cart::sell" },
	{ "_RINvCsfq2Zq5gqAK1_2v04showeEB2_", "v0::show::<str>",
	  "v0::show::<str>" },
	{ "_RNvMCs1_4shopINtB2_4CartlE3add", "<shop::Cart<i32>>::add",
	  "<shop::Cart<i32>>::add" },
	{ "_RNvXCs1_4shopNtB2_4CartNtB2_4Sell4sell",
	  "<shop::Cart as shop::Sell>::sell",
	  "<shop::Cart as shop::Sell>::sell" },
	{ "_RNCNvCs1_4shop4main0B3_", "shop::main::{closure#0}",
	  "shop::main::{closure#0}" },
	{ "_RINvC1a1fRAmj3_TheEFEuQDNtC1b1TEL_E",
	  "a::f::<&[u32; 3], (u8, str), fn(), &mut dyn b::T>",
	  "a::f::<&[u32; 3], (u8, str), fn(), &mut dyn b::T>" },
	{ "_RINvC1a1fDINtC1b1FlEp1OhEL_E", "a::f::<dyn b::F<i32, O = u8>>",
	  "a::f::<dyn b::F<i32, O = u8>>" },
	{ "_RINvC1a1fKb1_Kln5_E", "a::f::<true, -5>", "a::f::<true, -5>" },
	{ "_RNvC1a1f.cold", "a::f.cold", "a::f" },
	{ "_RNvB_1a", "", "" },
	{ "_RNvC1a9f", "", "" },
	{ "_RINvC1a1fDG_NtC1b1TEL_E", "", "" },
	/* T_ in a substitution is an argument of the function where it stands;
	 * of a lambda, `auto` */
	{ "_Z1fIiZ1gIcEvT_EUlcE_EvOS1_T0_",
	  "f<int, g<char>(char)::{lambda(char)#1}>(int&&, "
	  "g<char>(char)::{lambda(char)#1})",
	  "f<int, g<char>(char)::{lambda(char)#1}>" },
	{ "_Z4callIZN2ns5outerIiEEiT_EUlS2_RKT0_E_EvS2_",
	  "call<ns::outer<int>(int)::{lambda(auto:1, auto:2 const&)#1}>("
	  "ns::outer<int>(int)::{lambda(auto:1, auto:2 const&)#1})",
	  "call<ns::outer<int>(int)::{lambda(auto:1, auto:2 const&)#1}>" },
	{ "_ZZN2ns5outerIiEEiT_ENKUlS1_RKT0_E_clIicEEDaS1_S4_",
	  "ns::outer<int>(int)::{lambda(auto:1, auto:2 const&)#1}::"
	  "operator()<int, char>",
	  "ns::outer<int>(int)::{lambda(auto:1, auto:2 const&)#1}::"
	  "operator()<int, char>" },
	{ "_ZSt7forwardIZ4mainEUlOT_E0_ES1_RNSt16remove_referenceIS0_E4typeE",
	  "std::forward<main::{lambda(auto:1&&)#2}>",
	  "std::forward<main::{lambda(auto:1&&)#2}>" },
	/* types are not computed */
	{ "_Z1fIiEDTfp_ET_", "f<int>", "f<int>" },
	{ "_Z1fIiEDTfp_ET_.part.0", "f<int>.part.0", "f<int>" },
	/* packs: each argument has the type around it */
	{ "_Z1fIJicEEvDpRKT_", "f<int, char>(int const&, char const&)",
	  "f<int, char>" },
	{ "_Z5logitIJiRKcEEiDpOT_",
	  "logit<int, char const&>(int&&, char const&)",
	  "logit<int, char const&>" },
	{ "_Z5logitIJEEiDpOT_", "logit<>()", "logit<>" },
	{ "_Z3twoIJicEJlEEiDpSt4pairIT_iEDpPT0_",
	  "two<int, char, long>(std::pair<int, int>, std::pair<char, int>, "
	  "long*)", "two<int, char, long>" },
	{ "_Z2mkIJicEESt5tupleIJDpT_EES3_PFvS2_E",
	  "mk<int, char>(std::tuple<int, char>, void (*)(int, char))",
	  "mk<int, char>" },
	{ "_Z1fIJicEEvDpPT_S1_", "f<int, char>", "f<int, char>" },
	{ "_Z1fIJiEEvDpPT_S1_", "f<int>(int*, int*)", "f<int>" },
	{ "_ZN1A1gIJLm0ELm1EEEEvSt3IdxIJXspT_EEE",
	  "A::g<0ul, 1ul>(std::Idx<0ul, 1ul>)", "A::g<0ul, 1ul>" },
	/* numbers of the template */
	{ "_Z3lenIcLm5EEmRAT0__KT_", "len<char, 5ul>(char const (&) [5ul])",
	  "len<char, 5ul>" },
	{ "_Z3sumIiLm3EEiRKSt5arrayIT_XT0_EE",
	  "sum<int, 3ul>(std::array<int, 3ul> const&)", "sum<int, 3ul>" },
	{ "_ZNSdC1Ei",
	  "std::basic_iostream<char, std::char_traits<char> >::"
	  "basic_iostream(int)",
	  "std::basic_iostream<char, std::char_traits<char> >::"
	  "basic_iostream" },
	{ "_ZN1ScvT_IiEEv", "", "" },
	{ "main", "", "" },
	/* static functions of a file */
	{ "a.cc:_Z1fi", "a.cc:f(int)", "a.cc:f" },
	{ "_a.cc:_ZL1fv", "_a.cc:f()", "_a.cc:f" },
	{ "a.cc:main", "", "" },
	{ "a.cc:", "", "" },
	{ "_Z", "", "" },
	{ "_Z5ab", "", "" },
	{ "_ZTV1A", "", "" },
	{ "_Z1fS_", "f", "f" },
	{ "_Z1fT_", "f", "f" },
	{ "_Z99999999999f", "", "" },
};

static struct demangle work;

static void check_rows(void)
{
	char name[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n;

		strcpy(name, "");
		n = demangle(&work, rows[i].symbol, strlen(rows[i].symbol),
			     name, sizeof(name));
		unit_equal_string(name, rows[i].name, "%s", rows[i].symbol);
		unit_equal(n, strlen(rows[i].bare), "%s: without parameters",
			   rows[i].symbol);
	}
}

/* Symbols that are cut, or have another character at a place, in memory that
 * ends with them; and names without room. */
static void check_damaged(void)
{
	static const char others[] = "_ENIST0Z";
	char name[256];
	size_t kept = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t bytes = strlen(rows[i].symbol);

		for (size_t n = 0; n <= bytes; n++) {
			char *symbol = malloc(n + 1);

			memcpy(symbol, rows[i].symbol, n);
			demangle(&work, symbol, n, name, sizeof(name));
			for (const char *c = others; n && *c; c++) {
				symbol[n / 2] = *c;
				demangle(&work, symbol, n, name, sizeof(name));
			}
			free(symbol);
		}
		for (size_t room = 0; room < strlen(rows[i].name) + 1; room++) {
			memset(name, 'x', sizeof(name));
			kept += demangle(&work, rows[i].symbol, bytes, name,
					 room) && strnlen(name, room) == room;
		}
	}
	unit_equal(kept, 0, "names end within the room");
}

/* A name that does not fit has no parameters; one that does not fit without
 * them, either, has an end. */
static void check_long(void)
{
	static const char symbol[] = "_Z4sortIlEiRKT_S2_";
	char name[32];

	unit_equal(demangle(&work, symbol, strlen(symbol), name, 20), 10,
		   "no room for parameters");
	unit_equal_string(name, "sort<long>", "the name alone");
	unit_equal(demangle(&work, symbol, strlen(symbol), name, 9), 8,
		   "no room for the name");
	unit_equal_string(name, "sort<...", "its begin");
}

int main(void)
{
	char deep[4096];

	check_rows();
	check_damaged();
	check_long();
	memset(deep, 'P', sizeof(deep));
	memcpy(deep, "_Z1f", 4);
	unit_equal(demangle(&work, deep, sizeof(deep), deep, 1), 0,
		   "a type without an end, and no room for the name");
	return unit_end();
}
