/* SPDX-License-Identifier: MIT */
/*
 * Markers in C++: the expansion of the public macros of taffrail/marker.h.
 * Everything here is private.
 *
 * Invariants:
 *  - for clang, object and asm goto stand in a member function of a local
 *    class, always inlined. clang 14 believes that every asm goto may jump to
 *    the labels of all others in the same function, lambdas included; it
 *    refuses that beside destructors and, in a function with a switch or goto,
 *    beside variables;
 *  - g++ gets no local class with the types of arguments: it makes one for all
 *    expansions of a lambda in a pack expansion, and finds the types neither in
 *    a static member of a template nor in a generic lambda that has a pack;
 *  - for a debugger the site lies in the program's own block: that function is
 *    "nodebug", or a debugger would see only the variables of that function at
 *    the site. gcc has no such attribute, so the asm goto stands in the block
 *    itself, and the object is a static member of a template;
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

/* The initialiser of an object. S: the signature. ids and text are lists in
 * braces. */
#define TAFFRAIL_SITE_INIT_(S, kind, line, text_bytes, ids, text)	\
	{ {	nullptr, { nullptr, nullptr }, 0,			\
		nullptr, 0, 0, 0,					\
		TAFFRAIL_SITE_VERSION, kind,				\
		S::nfields_, S::fixed_bytes_, S::nvar_,			\
		TAFFRAIL_SITE_FLAGS_, line, (uint32_t)(text_bytes +	\
			sizeof(typename ::taffrail_::groups_by_<S>::type_) + \
			sizeof(typename ::taffrail_::said_by_<S>::type_)), \
		{ S::type_(0), S::type_(1), S::type_(2), S::type_(3),	\
		  S::type_(4), S::type_(5), S::type_(6), S::type_(7),	\
		  S::type_(8), S::type_(9), S::type_(10), S::type_(11),	\
		  S::type_(12), S::type_(13), S::type_(14), S::type_(15) }, \
		nullptr }, ids, ::taffrail_::groups_by_<S>::of_(), text, \
		::taffrail_::said_by_<S>::of_() }

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
#define TAFFRAIL_POINT_(S, kind, ids, text, sdt, parameters, ...)	\
	struct taffrail_point_ {					\
		static TAFFRAIL_ALWAYS_INLINE_ TAFFRAIL_NODEBUG_	\
		::taffrail_site *on_(::taffrail_::local_		\
				    TAFFRAIL_BARE_ parameters)		\
		{							\
			static ::taffrail_::object_<sizeof(ids),	\
				sizeof(text), S> taffrail_object_ =	\
				TAFFRAIL_SITE_INIT_(S, kind, __LINE__,	\
					sizeof(ids) + sizeof(text),	\
					{ ids }, { text });		\
			TAFFRAIL_SITE_(taffrail_object_, sdt,		\
				       __VA_ARGS__);			\
			return nullptr;					\
		taffrail_hit_:						\
			return &taffrail_object_.site_;			\
		}							\
	}

#define TAFFRAIL_BARE_(...)	__VA_ARGS__
/* In the marker itself: the compiler names the line. A pack is one argument
 * here, so an argument may have a number that is not counted. */
#define TAFFRAIL_REFUSED_(i, x)						\
	static_assert(taffrail_types_::refused_ != i,			\
		      TAFFRAIL_REFUSED_TEXT_(#i));
#define TAFFRAIL_CHECK_(...)						\
	static_assert(taffrail_types_::nargs_ <= TAFFRAIL_FIELDS_MAX,	\
		      "taffrail: a marker takes at most 16 arguments");	\
	static_assert(taffrail_types_::nargs_ > TAFFRAIL_FIELDS_MAX ||	\
		      taffrail_types_::nfields_ <= TAFFRAIL_FIELDS_MAX,	\
		      "taffrail: a marker takes at most 16 fields, "	\
		      "members of structures included");		\
	TAFFRAIL_EACH_(TAFFRAIL_REFUSED_, __VA_ARGS__)			\
	static_assert(taffrail_types_::refused_ <=			\
		      TAFFRAIL_COUNT_(__VA_ARGS__),			\
		      TAFFRAIL_REFUSED_TEXT_("of a pack"));
#define TAFFRAIL_PARAMETER_(i, x)					\
	, ::taffrail_::operand_<taffrail_types_, i> taffrail_w##i##_
#define TAFFRAIL_INPUT_(i, x)						\
	TAFFRAIL_SDT_INPUT_(i, (::taffrail_::operand_at_<taffrail_types_, \
			i>::sdt_bytes_), taffrail_w##i##_)

/*
 * A statement. note is the macro of the USDT note; text goes on with the file's
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
		      taffrail_types_::nargs_, "taffrail: with "	\
		      "TAFFRAIL_SDT_ARGS, an argument that has a "	\
		      "comma goes in parentheses, and a pack cannot be " \
		      "an argument");					\
	static_assert(taffrail_types_::nargs_ <= TAFFRAIL_SDT_MAX_,	\
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
		TAFFRAIL_CHECK_(__VA_ARGS__)				\
		TAFFRAIL_HELD_(kind, channel "\0" name, text);		\
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
		TAFFRAIL_CHECK_(__VA_ARGS__)				\
		TAFFRAIL_COUNTED_(__VA_ARGS__)				\
		TAFFRAIL_HELD_(kind, channel "\0" name, text);		\
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

/* Declares struct taffrail_point_, which describes the object but the types. */
#define TAFFRAIL_HELD_(kind, ids, text)					\
	struct taffrail_point_ {					\
		static constexpr uint8_t kind_() { return kind; }	\
		static constexpr uint32_t line_() { return __LINE__; }	\
		static constexpr ::taffrail_::chars_<sizeof(ids)> ids_() \
		{							\
			return { ids };					\
		}							\
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
		TAFFRAIL_CHECK_(__VA_ARGS__)				\
		TAFFRAIL_POINT_(taffrail_types_, kind, channel "\0" name, \
			text,						\
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
			TAFFRAIL_KIND_GUARD, channel "\0" name,		\
			"\0" __FILE__, "", (), );			\
		return taffrail_point_::on_(::taffrail_::local_()) != nullptr; \
	}(), 0)

#include <taffrail/marker-library-cxx.h>
#include <taffrail/marker-hit-cxx.h>
#include <taffrail/marker-scope-cxx.h>

/* A program may include the header inside extern "C". */
extern "C++" {
/* Where clang has refused an argument, it finds this type in place of the
 * marker's own, and complains no further. */
using taffrail_types_ = ::taffrail_::signature_<>;
}

#endif
