/* SPDX-License-Identifier: MIT */
/*
 * Markers in C++: the expansion of the public macros of taffrail/marker.h.
 * Everything here is private.
 *
 * What must stay true:
 *  - for clang, object and asm goto stand in a member function of a local
 *    class, always inlined. clang 14 believes that every asm goto may jump to
 *    the labels of all others in its function, lambdas included; it refuses
 *    that beside destructors and, in a function with a switch or goto, beside
 *    variables;
 *  - for a debugger the site lies in the program's own block: that function is
 *    "nodebug", or a debugger would see only its variables at the site. gcc has
 *    no such attribute, so its asm goto stands in the block itself, and its
 *    object is a static member of a template;
 *  - a type with internal linkage, that function's parameter or the template's,
 *    gives the object internal linkage too, also in inline functions and
 *    templates: a preemptible object cannot be named in an asm of
 *    position-independent code;
 *  - the object is initialised by constants: no guard, no constructor;
 *  - arguments are evaluated in the braces of one initialiser: this orders
 *    them, and their temporaries live until the marker is done.
 */
#ifndef TAFFRAIL_MARKER_CXX_H
#define TAFFRAIL_MARKER_CXX_H

#include <taffrail/marker.h>

#define TAFFRAIL_MAKE_STR_(p)		::taffrail::str((const void *)(p))
#define TAFFRAIL_MAKE_BYTES_(p, n)					\
	::taffrail::seq<unsigned char>((const void *)(p), (uint64_t)(n))
#define TAFFRAIL_MAKE_ARRAY_(p, n)					\
	::taffrail::make_array((p), (uint64_t)(n))

/* The initialiser of an object. S: the signature. */
#define TAFFRAIL_SITE_INIT_(S, kind, line, text_bytes, ...)		\
	{ {	nullptr, { nullptr, nullptr }, 0,			\
		nullptr, 0, 0, 0,					\
		TAFFRAIL_SITE_VERSION, kind,				\
		S::nfields, S::fixed_bytes, S::nvar,			\
		TAFFRAIL_SITE_FLAGS_, line, text_bytes,			\
		{ S::type(0), S::type(1), S::type(2), S::type(3),	\
		  S::type(4), S::type(5), S::type(6), S::type(7),	\
		  S::type(8), S::type(9), S::type(10), S::type(11),	\
		  S::type(12), S::type(13), S::type(14), S::type(15) },	\
		nullptr }, __VA_ARGS__ }

#ifdef __clang__
#define TAFFRAIL_NODEBUG_	__attribute__((nodebug))
#else
#define TAFFRAIL_NODEBUG_
#endif

/*
 * Declares struct taffrail_point_, whose on() is the site: it returns the
 * object when the site is on, NULL otherwise. S is the signature. parameters
 * (in parentheses) and ... are the operands of the USDT note, each with a comma
 * before it.
 */
#define TAFFRAIL_POINT_(S, kind, channel, name, text, sdt, parameters, ...) \
	struct taffrail_point_ {					\
		static TAFFRAIL_ALWAYS_INLINE_ TAFFRAIL_NODEBUG_	\
		::taffrail_site *on(::taffrail::local			\
				    TAFFRAIL_BARE_ parameters)		\
		{							\
			static ::taffrail::object<sizeof(text)>		\
				taffrail_object_ = TAFFRAIL_SITE_INIT_(	\
					S, kind, __LINE__,		\
					sizeof(text), { text });	\
			TAFFRAIL_SITE_(taffrail_object_, sdt,		\
				       __VA_ARGS__);			\
			return nullptr;					\
		taffrail_hit_:						\
			return &taffrail_object_.site;			\
		}							\
	}

#define TAFFRAIL_BARE_(...)	__VA_ARGS__
#define TAFFRAIL_PARAMETER_(i, x)					\
	, ::taffrail::operand<taffrail_types_, i> taffrail_w##i##_
#define TAFFRAIL_INPUT_(i, x)						\
	TAFFRAIL_SDT_INPUT_(i, (::taffrail::operand_at<taffrail_types_,	\
			i>::sdt_bytes), taffrail_w##i##_)

/*
 * A statement. note is the macro of its USDT note; ... are a dummy and the
 * arguments. With TAFFRAIL_SDT_ARGS the arguments are evaluated first, and
 * live until the marker is done.
 */
#ifdef TAFFRAIL_SDT_ARGS
#define TAFFRAIL_FIRE_(...)						\
	static_assert(TAFFRAIL_COUNT_(__VA_ARGS__) ==			\
		      taffrail_types_::nfields, "taffrail: with "	\
		      "TAFFRAIL_SDT_ARGS, put an argument that has a "	\
		      "comma in parentheses");				\
	static_assert(taffrail_types_::nfields <= TAFFRAIL_SDT_MAX_,	\
		      "taffrail: at most 12 arguments with "		\
		      "TAFFRAIL_SDT_ARGS");				\
	(void)::taffrail::evaluated<taffrail_point_>{ __VA_ARGS__ }
#else
#define TAFFRAIL_FIRE_(...)						\
	TAFFRAIL_NODEBUG_ ::taffrail_site *taffrail_site_ =		\
		taffrail_point_::on(::taffrail::local());		\
	if (__builtin_expect(taffrail_site_ != nullptr, 0))		\
		(void)::taffrail::hit{ taffrail_site_, __VA_ARGS__ }
#endif

#if !defined(__clang__) && !defined(TAFFRAIL_SDT_ARGS)
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	do {								\
		__label__ taffrail_hit_;				\
		using taffrail_types_ =					\
			decltype(::taffrail::sign(__VA_ARGS__));	\
		TAFFRAIL_HELD_(taffrail_types_, kind, channel, name,	\
			channel "\0" name "\0" text "\0" __FILE__);	\
		TAFFRAIL_SITE_(TAFFRAIL_HOLDER_::object,		\
			note(channel, name, ""), );			\
		if (0) {						\
		taffrail_hit_: __attribute__((cold));			\
			(void)::taffrail::hit{				\
				&TAFFRAIL_HOLDER_::object.site,		\
				__VA_ARGS__ };				\
		}							\
	} while (0)

/* Declares struct taffrail_point_, which describes its object. */
#define TAFFRAIL_HELD_(S, kind_, channel, name, text_)			\
	struct taffrail_point_ {					\
		typedef S types;					\
		static constexpr uint8_t kind() { return kind_; }	\
		static constexpr uint32_t line() { return __LINE__; }	\
		static constexpr ::taffrail::chars<sizeof(text_)> text() \
		{							\
			return { text_ };				\
		}							\
	}
#define TAFFRAIL_HOLDER_						\
	::taffrail::holder<taffrail_point_, ::taffrail::local>
#else
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	do {								\
		TAFFRAIL_QUIET_BEGIN_					\
		using taffrail_types_ =					\
			decltype(::taffrail::sign(__VA_ARGS__));	\
		TAFFRAIL_QUIET_END_					\
		TAFFRAIL_POINT_(taffrail_types_, kind, channel, name,	\
			channel "\0" name "\0" text "\0" __FILE__,	\
			note(channel, name,				\
				TAFFRAIL_EARLY_(TAFFRAIL_EACH_(		\
				TAFFRAIL_SDT_TEXT_, __VA_ARGS__)) ""),	\
			(TAFFRAIL_EARLY_(TAFFRAIL_EACH_(		\
				TAFFRAIL_PARAMETER_, __VA_ARGS__))),	\
			TAFFRAIL_EARLY_(TAFFRAIL_EACH_(			\
				TAFFRAIL_INPUT_, __VA_ARGS__)));	\
		TAFFRAIL_FIRE_(__VA_ARGS__);				\
	} while (0)
#endif

#define TAFFRAIL_PRINTF_CHECKED_(channel, name, format, ...)		\
	do {								\
		if (0)							\
			taffrail_format_(__VA_ARGS__);			\
		TAFFRAIL_MARKER_(TAFFRAIL_KIND_MARK, TAFFRAIL_SDT_NOTE_, \
				 channel, name, format, __VA_ARGS__);	\
	} while (0)

#define TAFFRAIL_GUARD_(channel, name)					\
	__builtin_expect([]() __attribute__((always_inline)) -> bool {	\
		TAFFRAIL_POINT_(::taffrail::signature<>,		\
			TAFFRAIL_KIND_GUARD, channel, name,		\
			channel "\0" name "\0" "\0" __FILE__, "", (), ); \
		return taffrail_point_::on(::taffrail::local()) != nullptr; \
	}(), 0)

namespace taffrail {

namespace {
struct local {};
}

template <size_t N> struct chars { char c[N]; };

template <size_t N>
struct TAFFRAIL_SITE_HIDDEN_ __attribute__((aligned(64))) object {
	taffrail_site site;
	chars<N> text;
};

/* The object of a Point; Local gives it internal linkage. */
template <class Point, class Local> struct holder {
	typedef typename Point::types types;
	static constexpr size_t bytes = sizeof(Point::text());
	static taffrail::object<bytes> object;
};
template <class Point, class Local>
taffrail::object<holder<Point, Local>::bytes> holder<Point, Local>::object =
	TAFFRAIL_SITE_INIT_(types, Point::kind(), Point::line(), bytes,
			    Point::text());

/* Types of arguments: a string, and a sequence. */
struct str {
	const void *p;
	explicit str(const void *p_) : p(p_) {}
};

template <class T>
struct seq {
	const void *p;
	uint64_t n;
	seq(const void *p_, uint64_t n_) : p(p_), n(n_) {}
};

template <class T> struct plain { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct plain<volatile T> { typedef T type; };
template <class T> struct plain<const volatile T> { typedef T type; };

template <class T>
inline seq<typename plain<T>::type> make_array(T *p, uint64_t n)
{
	return seq<typename plain<T>::type>((const void *)p, n);
}

/* The integer type of an enumeration; void for every other type. */
template <class T, bool Enum = __is_enum(T)>
struct number { typedef void type; };
template <class T>
struct number<T, true> { typedef __underlying_type(T) type; };

/* kind 0: no field. `as` is the type that is recorded. */
template <class T> struct arithmetic {
	static constexpr int kind = 0;
	typedef char as;
};

#define TAFFRAIL_ARITHMETIC_(T, K, A)					\
	template <> struct arithmetic<T> {				\
		static constexpr int kind = K;				\
		typedef A as;						\
	}
#define TAFFRAIL_INTEGER_(T)						\
	TAFFRAIL_ARITHMETIC_(T,						\
		(sizeof(T) == 1 ? TAFFRAIL_T_U8 :			\
		 sizeof(T) == 2 ? TAFFRAIL_T_U16 :			\
		 sizeof(T) == 4 ? TAFFRAIL_T_U32 : TAFFRAIL_T_U64)	\
		- ((T)-1 < (T)1), T)

TAFFRAIL_ARITHMETIC_(bool, TAFFRAIL_T_BOOL, bool);
TAFFRAIL_ARITHMETIC_(float, TAFFRAIL_T_F32, float);
TAFFRAIL_ARITHMETIC_(double, TAFFRAIL_T_F64, double);
TAFFRAIL_ARITHMETIC_(long double, TAFFRAIL_T_F64, double);
TAFFRAIL_ARITHMETIC_(decltype(nullptr), TAFFRAIL_T_PTR, const void *);
TAFFRAIL_INTEGER_(char);
TAFFRAIL_INTEGER_(signed char);
TAFFRAIL_INTEGER_(unsigned char);
TAFFRAIL_INTEGER_(short);
TAFFRAIL_INTEGER_(unsigned short);
TAFFRAIL_INTEGER_(int);
TAFFRAIL_INTEGER_(unsigned int);
TAFFRAIL_INTEGER_(long);
TAFFRAIL_INTEGER_(unsigned long);
TAFFRAIL_INTEGER_(long long);
TAFFRAIL_INTEGER_(unsigned long long);
TAFFRAIL_INTEGER_(wchar_t);
TAFFRAIL_INTEGER_(char16_t);
TAFFRAIL_INTEGER_(char32_t);
#ifdef __cpp_char8_t
TAFFRAIL_INTEGER_(char8_t);
#endif

/* A field: its enum taffrail_type, and its bytes if its size is fixed. */
template <class T> struct field {
	typedef typename number<T>::type integer;
	static constexpr int kind = arithmetic<T>::kind ?
		arithmetic<T>::kind : arithmetic<integer>::kind;
	typedef typename arithmetic<T>::as as_self;
	static constexpr unsigned bytes =
		arithmetic<T>::kind ? sizeof(as_self) : sizeof(T);
	static_assert(kind != 0, "taffrail: an argument of this type cannot "
				 "be a field of a marker");
};

template <class T> struct pointer_field {
	static constexpr int kind = TAFFRAIL_T_PTR;
	static constexpr unsigned bytes = sizeof(void *);
};

struct string_field {
	static constexpr int kind = TAFFRAIL_T_STRING;
	static constexpr unsigned bytes = 0;
};

template <class T> struct field<T *> : pointer_field<T> {};
template <> struct field<char *> : string_field {};
template <> struct field<const char *> : string_field {};
template <> struct field<volatile char *> : string_field {};
template <> struct field<const volatile char *> : string_field {};
template <> struct field<str> : string_field {};
template <class T> struct field<seq<T> > {
	static constexpr int kind = TAFFRAIL_T_SEQUENCE | field<T>::kind;
	static constexpr unsigned bytes = 0;
	static_assert(field<T>::kind < TAFFRAIL_T_STRING ,
		      "taffrail: an array of this type cannot be a field");
};
/* An array of strings is one of pointers. */
template <> struct field<seq<char *> > : field<seq<void *> > {};
template <> struct field<seq<const char *> > : field<seq<void *> > {};

/* What a marker's object says of its arguments. */
template <class... A> struct signature;

template <> struct signature<> {
	static constexpr unsigned nfields = 0, nvar = 0, fixed_bytes = 0;
	static constexpr uint8_t type(unsigned) { return 0; }
};

template <class H, class... T> struct signature<H, T...> {
	typedef H head;
	typedef signature<T...> rest;
	static constexpr unsigned nfields = 1 + sizeof...(T);
	static constexpr unsigned nvar =
		(field<H>::kind >= TAFFRAIL_T_STRING) + rest::nvar;
	static constexpr unsigned fixed_bytes =
		field<H>::bytes + rest::fixed_bytes;
	static constexpr uint8_t type(unsigned i)
	{
		return i ? rest::type(i - 1) : (uint8_t)field<H>::kind;
	}
	static_assert(nfields <= TAFFRAIL_FIELDS_MAX,
		      "taffrail: a marker takes at most 16 arguments");
};

/* Takes values: arrays decay, bit-fields and volatile objects are read. */
template <class D, class... A> signature<A...> sign(D, A...);

/* An argument as it is recorded. */
template <class T> TAFFRAIL_ALWAYS_INLINE_ T recorded(T v) { return v; }
TAFFRAIL_ALWAYS_INLINE_ double recorded(long double v) { return (double)v; }
TAFFRAIL_ALWAYS_INLINE_ const void *recorded(decltype(nullptr)) { return 0; }
TAFFRAIL_ALWAYS_INLINE_ str recorded(char *s) { return str(s); }
TAFFRAIL_ALWAYS_INLINE_ str recorded(const char *s) { return str(s); }
TAFFRAIL_ALWAYS_INLINE_ str recorded(volatile char *s)
{
	return str((const void *)s);
}
TAFFRAIL_ALWAYS_INLINE_ str recorded(const volatile char *s)
{
	return str((const void *)s);
}

/* Packs the fields and calls the agent. fixed: the value of all fields of fixed
 * size, if they have at most eight bytes. */
struct hit {
	/* D is the dummy before the arguments. */
	template <class D, class... A>
	TAFFRAIL_ALWAYS_INLINE_
	explicit hit(taffrail_site *site, D, A... args)
	{
		typedef signature<A...> S;
		uint64_t fixed = 0;
		taffrail_var var[S::nvar + 1];
		unsigned char bytes[S::fixed_bytes + 1]
			__attribute__((aligned(16)));

		pack<(S::fixed_bytes > 8), 0, 0>(fixed, bytes, var, args...);
		if (S::fixed_bytes > 8)
			fixed = (uintptr_t)bytes;
		taffrail_call_(site, fixed, S::nvar ? var : nullptr);
	}

private:
	template <bool Long, unsigned O, unsigned V>
	static TAFFRAIL_ALWAYS_INLINE_
	void pack(uint64_t &, unsigned char *, taffrail_var *)
	{
	}

	template <bool Long, unsigned O, unsigned V, class H, class... T>
	static TAFFRAIL_ALWAYS_INLINE_
	void pack(uint64_t &fixed, unsigned char *bytes, taffrail_var *var,
		  H head, T... tail)
	{
		put<Long, O>(fixed, bytes, var + V, recorded(head));
		pack<Long, O + field<H>::bytes,
		     V + (field<H>::kind >= TAFFRAIL_T_STRING)>(fixed, bytes,
				var, tail...);
	}

	template <bool Long, unsigned O, class N>
	static TAFFRAIL_ALWAYS_INLINE_
	void put(uint64_t &fixed, unsigned char *bytes, taffrail_var *, N v)
	{
		if (Long)
			__builtin_memcpy(bytes + O, &v, sizeof(v));
		else
			fixed |= taffrail_bits_(&v, sizeof(v)) << (8 * O & 63);
	}

	template <bool Long, unsigned O>
	static TAFFRAIL_ALWAYS_INLINE_
	void put(uint64_t &, unsigned char *, taffrail_var *var, str s)
	{
		var->p = s.p ? s.p : "(null)";
		var->n = TAFFRAIL_VAR_STRING;
	}

	template <bool Long, unsigned O, class T>
	static TAFFRAIL_ALWAYS_INLINE_
	void put(uint64_t &, unsigned char *, taffrail_var *var, seq<T> s)
	{
		var->p = s.p;
		var->n = s.p ? s.n : 0;
	}
};

#ifdef TAFFRAIL_SDT_ARGS
/* The operand in a note: the value, or the address of a string or sequence. */
template <class T> TAFFRAIL_ALWAYS_INLINE_ T named(T v) { return v; }
TAFFRAIL_ALWAYS_INLINE_ const void *named(str s) { return s.p; }
template <class T>
TAFFRAIL_ALWAYS_INLINE_ const void *named(seq<T> s) { return s.p; }

/* Stands for a T in decltype; never defined. */
template <class T> T any();

/* Operand I of signature S, counted from the right. sdt_bytes has the opposite
 * sign, because %n prints it negated. */
template <class S, unsigned I, bool Here = S::nfields == I>
struct operand_at : operand_at<typename S::rest, I> {};
template <class S, unsigned I> struct operand_at<S, I, true> {
	typedef decltype(named(recorded(any<typename S::head>()))) type;
	static constexpr int kind = S::type(0);
	static constexpr int sdt_bytes = (int)sizeof(type) *
		(kind == TAFFRAIL_T_S8 || kind == TAFFRAIL_T_S16 ||
		 kind == TAFFRAIL_T_S32 || kind == TAFFRAIL_T_S64 ? 1 : -1);
};
template <class S, unsigned I>
using operand = typename operand_at<S, I>::type;

/* The site P with its arguments; D is the dummy before them. */
template <class P> struct evaluated {
	template <class D, class... A>
	TAFFRAIL_ALWAYS_INLINE_ explicit evaluated(D, A... args)
	{
		taffrail_site *site = P::on(local(), named(recorded(args))...);

		if (__builtin_expect(site != nullptr, 0))
			(void)hit{ site, 0, args... };
	}
};
#endif

}

#endif
