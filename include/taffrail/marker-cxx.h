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
 *  - g++ gets no local class with the types of arguments: it makes one for all
 *    expansions of a lambda in a pack expansion, and finds the types neither in
 *    a static member of a template nor in a generic lambda that has a pack;
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
#include <taffrail/marker-words-cxx.h>

#define TAFFRAIL_NAMED_(name, ...)					\
	((void)"taffrail:" name, TAFFRAIL_WORD_(name), __VA_ARGS__)
#define TAFFRAIL_MAKE_STR_(p)		::taffrail_::make_str_(p)
#define TAFFRAIL_MAKE_TEXT_(p, n)					\
	::taffrail_::make_text_((p), (uint64_t)(n))
#define TAFFRAIL_MAKE_BYTES_(p, n)					\
	::taffrail_::make_bytes_((p), (uint64_t)(n))
#define TAFFRAIL_MAKE_ARRAY_(p, n)					\
	::taffrail_::make_array_((p), (uint64_t)(n))

/* The initialiser of an object. S: the signature. */
#define TAFFRAIL_SITE_INIT_(S, kind, line, text_bytes, ...)		\
	{ {	nullptr, { nullptr, nullptr }, 0,			\
		nullptr, 0, 0, 0,					\
		TAFFRAIL_SITE_VERSION, kind,				\
		S::nfields_, S::fixed_bytes_, S::nvar_,			\
		TAFFRAIL_SITE_FLAGS_, line, (uint32_t)(text_bytes +	\
			sizeof(typename ::taffrail_::said_by_<S>::type_)), \
		{ S::type_(0), S::type_(1), S::type_(2), S::type_(3),	\
		  S::type_(4), S::type_(5), S::type_(6), S::type_(7),	\
		  S::type_(8), S::type_(9), S::type_(10), S::type_(11),	\
		  S::type_(12), S::type_(13), S::type_(14), S::type_(15) }, \
		nullptr }, __VA_ARGS__, ::taffrail_::said_by_<S>::of_() }

#ifdef __clang__
#define TAFFRAIL_NODEBUG_	__attribute__((__nodebug__))
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
		::taffrail_site *on_(::taffrail_::local_		\
				    TAFFRAIL_BARE_ parameters)		\
		{							\
			static ::taffrail_::object_<sizeof(text),	\
				typename ::taffrail_::said_by_<S>::type_> \
				taffrail_object_ = TAFFRAIL_SITE_INIT_(	\
					S, kind, __LINE__,		\
					sizeof(text), { text });	\
			TAFFRAIL_SITE_(taffrail_object_, sdt,		\
				       __VA_ARGS__);			\
			return nullptr;					\
		taffrail_hit_:						\
			return &taffrail_object_.site_;			\
		}							\
	}

#define TAFFRAIL_BARE_(...)	__VA_ARGS__
/* In the marker itself: the compiler names its line. */
#define TAFFRAIL_CHECK_							\
	static_assert(taffrail_types_::nfields_ <= TAFFRAIL_FIELDS_MAX,	\
		      "taffrail: a marker takes at most 16 arguments");	\
	static_assert(taffrail_types_::all_fields_, "taffrail: an "	\
		      "argument of this type cannot be a field of a "	\
		      "marker");
#define TAFFRAIL_PARAMETER_(i, x)					\
	, ::taffrail_::operand_<taffrail_types_, i> taffrail_w##i##_
#define TAFFRAIL_INPUT_(i, x)						\
	TAFFRAIL_SDT_INPUT_(i, (::taffrail_::operand_at_<taffrail_types_, \
			i>::sdt_bytes_), taffrail_w##i##_)

/*
 * A statement. note is the macro of its USDT note; text goes on with the file's
 * name; ... are a dummy and the arguments. With TAFFRAIL_SDT_ARGS the arguments
 * are evaluated first, and live until the marker is done.
 */
#ifdef TAFFRAIL_SDT_ARGS
#define TAFFRAIL_FIRE_(...)						\
	TAFFRAIL_COUNTED_(__VA_ARGS__)					\
	(void)::taffrail_::evaluated_<taffrail_types_, taffrail_point_>{ \
		__VA_ARGS__ }
#define TAFFRAIL_COUNTED_(...)						\
	static_assert(TAFFRAIL_COUNT_(__VA_ARGS__) ==			\
		      taffrail_types_::nfields_, "taffrail: with "	\
		      "TAFFRAIL_SDT_ARGS, an argument that has a "	\
		      "comma goes in parentheses, and a pack cannot be " \
		      "an argument");					\
	static_assert(taffrail_types_::nfields_ <= TAFFRAIL_SDT_MAX_,	\
		      "taffrail: at most 12 arguments with "		\
		      "TAFFRAIL_SDT_ARGS");
#else
#define TAFFRAIL_FIRE_(...)						\
	TAFFRAIL_NODEBUG_ ::taffrail_site *taffrail_site_ =		\
		taffrail_point_::on_(::taffrail_::local_());		\
	if (__builtin_expect(taffrail_site_ != nullptr, 0))		\
		(void)::taffrail_::hit_<taffrail_types_>{		\
			taffrail_site_, __VA_ARGS__ }
#endif

#ifndef __clang__
/* Through a pointer that nothing reads: g++ takes no type for a template's
 * argument that comes from a statement-expression, shares a local class between
 * the lambdas of a pack, and takes no function's declaration in a coroutine. */
#define TAFFRAIL_TYPES_(...)						\
	decltype(::taffrail_::a_marker_takes_values_(__VA_ARGS__))	\
		*taffrail_signature_ __attribute__((__unused__));	\
	using taffrail_types_ =						\
		decltype(::taffrail_::pointed_(taffrail_signature_));
#ifndef TAFFRAIL_SDT_ARGS
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	do {								\
		__label__ taffrail_hit_;				\
		TAFFRAIL_TYPES_(__VA_ARGS__)				\
		TAFFRAIL_CHECK_						\
		TAFFRAIL_HELD_(kind, channel, name,			\
			channel "\0" name "\0" text);		\
		TAFFRAIL_SITE_(TAFFRAIL_HOLDER_::object_,		\
			note(channel, name, ""), );			\
		if (0) {						\
		taffrail_hit_: __attribute__((__cold__));		\
			(void)::taffrail_::hit_<taffrail_types_>{	\
				&TAFFRAIL_HOLDER_::object_.site_,	\
				__VA_ARGS__ };				\
		}							\
	} while (0)
#else
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	do {								\
		TAFFRAIL_TYPES_(__VA_ARGS__)				\
		TAFFRAIL_CHECK_						\
		TAFFRAIL_COUNTED_(__VA_ARGS__)				\
		TAFFRAIL_HELD_(kind, channel, name,			\
			channel "\0" name "\0" text);		\
		(void)::taffrail_::evaluated_<taffrail_types_>{		\
			[](::taffrail_::local_				\
			TAFFRAIL_EACH_(TAFFRAIL_PARAMETER_, __VA_ARGS__)) \
			__attribute__((__always_inline__))		\
			-> ::taffrail_site *				\
		{							\
			TAFFRAIL_SITE_(TAFFRAIL_HOLDER_::object_,	\
				note(channel, name, TAFFRAIL_EACH_(	\
				TAFFRAIL_SDT_TEXT_, __VA_ARGS__) ""),	\
				TAFFRAIL_EACH_(TAFFRAIL_INPUT_,		\
					       __VA_ARGS__));		\
			return nullptr;					\
		taffrail_hit_:						\
			return &TAFFRAIL_HOLDER_::object_.site_;	\
		}, __VA_ARGS__ };					\
	} while (0)
#endif

/* Declares struct taffrail_point_, which describes its object but the types. */
#define TAFFRAIL_HELD_(kind, channel, name, text)			\
	struct taffrail_point_ {					\
		static constexpr uint8_t kind_() { return kind; }	\
		static constexpr uint32_t line_() { return __LINE__; }	\
		static constexpr ::taffrail_::chars_<sizeof(text)> text_() \
		{							\
			return { text };				\
		}							\
	}
#define TAFFRAIL_HOLDER_						\
	::taffrail_::holder_<taffrail_point_, taffrail_types_,		\
			     ::taffrail_::local_>
#else
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	do {								\
		TAFFRAIL_QUIET_BEGIN_					\
		using taffrail_types_ =					\
			decltype(::taffrail_::a_marker_takes_values_(	\
				__VA_ARGS__));				\
		TAFFRAIL_CHECK_						\
		TAFFRAIL_POINT_(taffrail_types_, kind, channel, name,	\
			channel "\0" name "\0" text,		\
			note(channel, name,				\
				TAFFRAIL_EARLY_(TAFFRAIL_EACH_(		\
				TAFFRAIL_SDT_TEXT_, __VA_ARGS__)) ""),	\
			(TAFFRAIL_EARLY_(TAFFRAIL_EACH_(		\
				TAFFRAIL_PARAMETER_, __VA_ARGS__))),	\
			TAFFRAIL_EARLY_(TAFFRAIL_EACH_(			\
				TAFFRAIL_INPUT_, __VA_ARGS__)));	\
		TAFFRAIL_FIRE_(__VA_ARGS__);				\
		TAFFRAIL_QUIET_END_					\
	} while (0)
#endif

#define TAFFRAIL_EVENT_(channel, name, text, ...)			\
	do {								\
		TAFFRAIL_WORDS_(channel, name)				\
		TAFFRAIL_MARKER_(TAFFRAIL_KIND_EVENT, TAFFRAIL_SDT_NOTE_, \
				 channel, name, text, __VA_ARGS__);	\
	} while (0)

#define TAFFRAIL_PRINTF_CHECKED_(channel, name, behind, format, ...)	\
	do {								\
		TAFFRAIL_WORDS_(channel, name)				\
		static_assert(TAFFRAIL_TEXT_OF_(format)[0] == '"' ||	\
			      TAFFRAIL_TEXT_OF_(format)[0] == 'R',	\
			      TAFFRAIL_LITERAL_TEXT_);			\
		if (0)							\
			taffrail_format_(__VA_ARGS__);			\
		TAFFRAIL_MARKER_(TAFFRAIL_KIND_MARK, TAFFRAIL_SDT_NOTE_, \
				 channel, name, format behind, __VA_ARGS__); \
	} while (0)

#define TAFFRAIL_GUARD_(channel, name)					\
	__builtin_expect([]() __attribute__((__always_inline__)) -> bool { \
		TAFFRAIL_WORDS_(channel, name)				\
		TAFFRAIL_POINT_(::taffrail_::signature_<>,		\
			TAFFRAIL_KIND_GUARD, channel, name,		\
			channel "\0" name "\0" "\0" __FILE__, "", (), ); \
		return taffrail_point_::on_(::taffrail_::local_()) != nullptr; \
	}(), 0)

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

namespace {
struct local_ {};
}

template <size_t N_> struct chars_ { char c_[N_]; };

template <size_t N_, class Said_>
struct TAFFRAIL_SITE_HIDDEN_ __attribute__((__aligned__(64))) object_ {
	taffrail_site site_;
	chars_<N_> text_;
	Said_ said_;
};

/* How the fields of a signature are shown: type_, and of_(). */
template <class S_> struct said_by_;

/* Types of arguments: a string, and a sequence. */
struct str_ {
	const void *p_;
	explicit str_(const void *p_) : p_(p_) {}
};

template <class T_>
struct seq_ {
	const void *p_;
	uint64_t n_;
	seq_(const void *p_, uint64_t n_) : p_(p_), n_(n_) {}
};

/* A sequence of n_ characters, which need no NUL behind them. */
struct text_ {
	const void *p_;
	uint64_t n_;
};

/* One number, or none: a sequence that holds it. */
template <class T_>
struct maybe_ {
	T_ value_;
	bool there_;
};

/* A text that was made for the event. */
template <unsigned Bytes_>
struct written_ {
	char text_[Bytes_];
};

/* A number that is shown in the way How (enum taffrail_how). */
template <class T_, int How_>
struct formatted_ {
	T_ value_;
};

template <class T_> struct plain_ { typedef T_ type_; };
template <class T_> struct plain_<const T_> { typedef T_ type_; };
template <class T_> struct plain_<volatile T_> { typedef T_ type_; };
template <class T_> struct plain_<const volatile T_> { typedef T_ type_; };

/* Stands for a T in decltype; never defined. */
template <class T_> T_ any_();

/* What is no pointer makes no field, which TAFFRAIL_CHECK_ refuses. NULL is a
 * pointer, and so is an object that converts to one. */
template <bool Bool_> struct when_ {};
template <> struct when_<true> { typedef int type_; };
char converts_(const volatile void *);
long converts_(...);
struct no_field_ {};

/* Objects of classes, but not of those above: see marker-library-cxx.h. */
template <class T_> struct foreign_ {
	static constexpr bool is_ = __is_class(T_) || __is_union(T_);
};
template <> struct foreign_<str_> { static constexpr bool is_ = false; };
template <> struct foreign_<text_> { static constexpr bool is_ = false; };
template <> struct foreign_<no_field_> { static constexpr bool is_ = false; };
template <class T_> struct foreign_<seq_<T_> > {
	static constexpr bool is_ = false;
};
template <class T_> struct foreign_<maybe_<T_> > {
	static constexpr bool is_ = false;
};
template <unsigned Bytes_> struct foreign_<written_<Bytes_> > {
	static constexpr bool is_ = false;
};
template <class T_, int How_> struct foreign_<formatted_<T_, How_> > {
	static constexpr bool is_ = false;
};
/* The kinds of objects; of those that an object is, the one of the highest
 * number counts. */
template <int N_> struct rank_ : rank_<N_ - 1> {};
template <> struct rank_<0> {};
typedef rank_<10> first_rank_;

struct no_pointer_ {
	template <class T_, typename when_<(sizeof(converts_(
			any_<const T_ &>())) > 1)>::type_ = 0>
	no_pointer_(const T_ &) {}
};
TAFFRAIL_ALWAYS_INLINE_ str_ make_str_(const volatile void *p_)
{
	return str_((const void *)p_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_str_(no_pointer_)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_
text_ make_text_(const volatile void *p_, uint64_t n_)
{
	return text_{ (const void *)p_, n_ };
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_text_(no_pointer_, uint64_t)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_
seq_<unsigned char> make_bytes_(const volatile void *p_, uint64_t n_)
{
	return seq_<unsigned char>((const void *)p_, n_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_bytes_(no_pointer_, uint64_t)
{
	return no_field_();
}

template <class T_>
inline seq_<typename plain_<T_>::type_> make_array_(T_ *p_, uint64_t n_)
{
	return seq_<typename plain_<T_>::type_>((const void *)p_, n_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_array_(no_pointer_, uint64_t)
{
	return no_field_();
}

/* The integer type of an enumeration; void for every other type. */
template <class T_, bool Enum_ = __is_enum(T_)>
struct number_ { typedef void type_; };
template <class T_>
struct number_<T_, true> { typedef __underlying_type(T_) type_; };

/* kind 0: no field. `as` is the type that is recorded. */
template <class T_> struct arithmetic_ {
	static constexpr int kind_ = 0;
	typedef char as_;
};

#define TAFFRAIL_ARITHMETIC_(T, K, A)					\
	template <> struct arithmetic_<T> {				\
		static constexpr int kind_ = K;				\
		typedef A as_;						\
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

/* What an argument is recorded as: type_, and of_(argument). */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct as_;

/* A field: its enum taffrail_type, and its bytes if its size is fixed. */
template <class T_, bool Foreign_ = foreign_<T_>::is_>
struct field_ : field_<typename as_<T_>::type_> {};
template <class T_> struct field_<T_, false> {
	typedef typename number_<T_>::type_ integer_;
	static constexpr int kind_ = arithmetic_<T_>::kind_ ?
		arithmetic_<T_>::kind_ : arithmetic_<integer_>::kind_;
	typedef typename arithmetic_<T_>::as_ as_self_;
	static constexpr unsigned bytes_ =
		arithmetic_<T_>::kind_ ? sizeof(as_self_) : sizeof(T_);
};

template <class T_> struct pointer_field_ {
	static constexpr int kind_ = TAFFRAIL_T_PTR;
	static constexpr unsigned bytes_ = sizeof(void *);
};

struct string_field_ {
	static constexpr int kind_ = TAFFRAIL_T_STRING;
	static constexpr unsigned bytes_ = 0;
};

template <class T_> struct field_<T_ *, false> : pointer_field_<T_> {};
template <> struct field_<char *> : string_field_ {};
template <> struct field_<const char *> : string_field_ {};
template <> struct field_<volatile char *> : string_field_ {};
template <> struct field_<const volatile char *> : string_field_ {};
template <> struct field_<str_> : string_field_ {};
template <unsigned Bytes_>
struct field_<written_<Bytes_>, false> : string_field_ {};
template <> struct field_<text_> {
	static constexpr int kind_ = TAFFRAIL_T_TEXT;
	static constexpr unsigned bytes_ = 0;
};

/* The kind of an array's elements, which are recorded as they are. An array of
 * strings is one of pointers. */
template <class T_> struct element_ {
	typedef typename number_<T_>::type_ integer_;
	static constexpr int kind_ = arithmetic_<T_>::kind_ ?
		arithmetic_<T_>::kind_ : arithmetic_<integer_>::kind_;
};
template <class T_> struct element_<T_ *> {
	static constexpr int kind_ = TAFFRAIL_T_PTR;
};
template <> struct element_<long double> {
	static constexpr int kind_ = 0;
};
template <class T_> struct field_<seq_<T_>, false> {
	static constexpr int kind_ = element_<T_>::kind_ ?
		TAFFRAIL_T_SEQUENCE | element_<T_>::kind_ : 0;
	static constexpr unsigned bytes_ = 0;
};

template <class T_>
struct field_<maybe_<T_>, false> : field_<seq_<T_> > {};
/* Only an integer is shown in another way. */
template <class T_, int How_>
struct field_<formatted_<T_, How_>, false> : field_<T_> {
	static constexpr int all_ = field_<T_>::kind_;
	static constexpr int kind_ = all_ <= TAFFRAIL_T_U64 ||
		all_ == TAFFRAIL_T_BOOL ? all_ : 0;
};

/* What a marker's object says of its arguments. */
template <class... A_> struct signature_;

template <> struct signature_<> {
	static constexpr unsigned nfields_ = 0, nvar_ = 0, fixed_bytes_ = 0;
	static constexpr bool all_fields_ = true;
	static constexpr uint8_t type_(unsigned) { return 0; }
};

template <class H_, class... T_> struct signature_<H_, T_...> {
	typedef H_ head_;
	typedef signature_<T_...> rest_;
	static constexpr unsigned nfields_ = 1 + sizeof...(T_);
	static constexpr unsigned nvar_ =
		(field_<H_>::kind_ >= TAFFRAIL_T_STRING) + rest_::nvar_;
	static constexpr unsigned fixed_bytes_ =
		field_<H_>::bytes_ + rest_::fixed_bytes_;
	static constexpr uint8_t type_(unsigned i_)
	{
		return i_ ? rest_::type_(i_ - 1) : (uint8_t)field_<H_>::kind_;
	}
	static constexpr bool all_fields_ =
		field_<H_>::kind_ != 0 && rest_::all_fields_;
};

/* An argument as a function that takes a value would get it. Of a class, the
 * class: an abstract one, or one that cannot be copied, has no value. */
template <class T_> T_ value_(T_);
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct value_of_ {
	typedef decltype(taffrail_::value_(any_<const T_ &>())) type_;
};
template <class T_> struct value_of_<T_, true> : plain_<T_> {};
template <> struct value_of_<void> { typedef void type_; };

template <class... A_> struct any_foreign_ {
	static constexpr bool is_ = false;
};
template <class H_, class... T_> struct any_foreign_<H_, T_...> {
	static constexpr bool is_ =
		foreign_<H_>::is_ || any_foreign_<T_...>::is_;
};

/* Takes values: arrays decay, bit-fields and volatile objects are read. A
 * compiler names this function when it refuses `{}` or a call without a
 * value. Beside an object of a class, all are taken by reference: what that
 * would change, it does not do to types. */
template <class D_, class... A_,
	  typename when_<!any_foreign_<A_...>::is_>::type_ = 0>
signature_<A_...> a_marker_takes_values_(D_, A_...);
template <class D_, class... A_,
	  typename when_<any_foreign_<A_...>::is_>::type_ = 0>
signature_<typename value_of_<A_>::type_...>
a_marker_takes_values_(const D_ &, const A_ &...);
template <class S_> S_ pointed_(S_ *);
/* g++ takes an int where it has refused an argument; it complains no more. */
signature_<> pointed_(int *);

/* An argument as it is recorded. */
template <class T_> TAFFRAIL_ALWAYS_INLINE_ T_ recorded_(T_ v_) { return v_; }
TAFFRAIL_ALWAYS_INLINE_ double recorded_(long double v_) { return (double)v_; }
TAFFRAIL_ALWAYS_INLINE_ const void *recorded_(decltype(nullptr)) { return 0; }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(char *s_) { return str_(s_); }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(const char *s_) { return str_(s_); }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(volatile char *s_)
{
	return str_((const void *)s_);
}
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(const volatile char *s_)
{
	return str_((const void *)s_);
}

}

/* Where clang has refused an argument, it finds this type in place of the
 * marker's own, and complains no further. */
using taffrail_types_ = ::taffrail_::signature_<>;
}

#include <taffrail/marker-library-cxx.h>
#include <taffrail/marker-hit-cxx.h>
#include <taffrail/marker-scope-cxx.h>

#endif
