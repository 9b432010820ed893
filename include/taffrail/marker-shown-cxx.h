/* SPDX-License-Identifier: MIT */
/*
 * How a field is shown, in C++: by type. Outside of all namespaces,
 *
 *	TAFFRAIL_ENUM_NAMES(type, A, B, ...);
 *
 * names the values of an enumeration for all markers that come after it; write
 * the values of an enum class as they are written there, type::A. TAFFRAIL_HEX
 * and similar macros give a number a distinct type. The rest is private.
 */
/* First of all, so this header may also be the first. */
#include <taffrail/marker.h>

#ifndef TAFFRAIL_MARKER_SHOWN_CXX_H
#define TAFFRAIL_MARKER_SHOWN_CXX_H

#include <taffrail/marker-field-cxx.h>

#define TAFFRAIL_ENUM_NAMES(type, ...)					\
	TAFFRAIL_ENUM_NAMES_(type, __VA_ARGS__)

/* Private from here on. */

/* The list may be a macro. */
#define TAFFRAIL_ENUM_NAMES_(type, ...)					\
	template <> struct taffrail_names_of<type> {			\
		static constexpr					\
		decltype(::taffrail_::said_as_<sizeof(#__VA_ARGS__)>(	\
			0, { #__VA_ARGS__ }, __VA_ARGS__))		\
		of_(unsigned field_)					\
		{							\
			return ::taffrail_::said_as_<sizeof(#__VA_ARGS__)>( \
				field_, { #__VA_ARGS__ }, __VA_ARGS__);	\
		}							\
	}

#define TAFFRAIL_TRUTH_(e)	static_cast<bool>(e)
#define TAFFRAIL_ELEMENTS_OF_(tag, e)					\
	((void)tag, ::taffrail_::make_elements_(e))
/* In C++ the type says the names. */
#define TAFFRAIL_SHOWN_(tag, e, how, ...)				\
	((void)tag, ::taffrail_::show_as_<how>(e))

/* A program may include the header inside extern "C". */
extern "C++" {

/* The names of an enumeration's values. */
template <class T_> struct taffrail_names_of;

namespace taffrail_ {

template <int How_, class T_> struct show_ {
	static constexpr bool is_ = true;
	static TAFFRAIL_ALWAYS_INLINE_ formatted_<T_, How_> as_(T_ v_)
	{
		return formatted_<T_, How_>{ v_ };
	}
};
/* Whether the values of a type have names. */
template <class T_> char names_known_(T_ *, ...);
template <class T_, class N_ = decltype(taffrail_names_of<T_>::of_(0))>
long names_known_(T_ *, int);
template <class T_> struct show_<TAFFRAIL_HOW_ENUM, T_> {
	static_assert(sizeof(names_known_((T_ *)nullptr, 0)) > 1,
		      "taffrail: in C++, TAFFRAIL_ENUM_NAMES must name the "
		      "values of this type first");
	static TAFFRAIL_ALWAYS_INLINE_ T_ as_(T_ v_) { return v_; }
};
template <int How_, class T_> TAFFRAIL_ALWAYS_INLINE_
auto show_as_(T_ v_) -> decltype(show_<How_, T_>::as_(v_))
{
	return show_<How_, T_>::as_(v_);
}

template <class T_, int How_> struct as_<formatted_<T_, How_>, false> {
	typedef typename as_<T_>::type_ type_;
	static TAFFRAIL_ALWAYS_INLINE_
	type_ of_(const formatted_<T_, How_> &v_)
	{
		return as_<T_>::of_(v_.value_);
	}
};

/* The part behind the texts of an object. */
struct __attribute__((__packed__)) said_ {
	taffrail_shown head_;
};
template <size_t N_, size_t Bytes_>
struct __attribute__((__packed__)) said_names_ {
	taffrail_shown head_;
	int64_t values_[N_];
	chars_<Bytes_> text_;
};

template <size_t Bytes_, class... E_>
constexpr said_names_<sizeof...(E_), Bytes_>
said_as_(unsigned field_, chars_<Bytes_> text_, E_... values_)
{
	return { { (uint8_t)field_, TAFFRAIL_HOW_ENUM,
		   (uint16_t)sizeof...(E_),
		   (uint32_t)(8 * sizeof...(E_) + Bytes_) },
		 { (int64_t)values_... }, text_ };
}

/* The record of a field: of_() of a number from 1 on. */
template <class T_>
constexpr nothing_ said_of_(unsigned, T_ *, ...) { return nothing_(); }
template <class T_, class N_ = decltype(taffrail_names_of<T_>::of_(0))>
constexpr N_ said_of_(unsigned field_, T_ *, int)
{
	return taffrail_names_of<T_>::of_(field_);
}
template <class T_, int How_>
constexpr said_ said_of_(unsigned field_, formatted_<T_, How_> *, int)
{
	return said_{ { (uint8_t)field_, How_, 0, 0 } };
}

/* Of an array, the number of elements. */
template <class T_, size_t N_>
constexpr said_names_<1, 1> said_of_(unsigned field_, elements_<T_, N_> *, int)
{
	return { { (uint8_t)field_, TAFFRAIL_HOW_COUNT, 1, 9 },
		 { (int64_t)N_ }, { "" } };
}

/* An object is shown as the type that it is recorded as. */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct said_type_ {
	typedef T_ type_;
};
template <class T_> struct said_type_<T_, true>
	: said_type_<typename as_<T_>::object_> {};

/* The record of one argument, whose first field has the number I. */
template <unsigned I_, class T_> struct said_at_ {
	typedef decltype(said_of_(I_, (T_ *)nullptr, 0)) type_;
	static constexpr type_ of_()
	{
		return said_of_(I_, (T_ *)nullptr, 0);
	}
};
template <unsigned I_, class... A_> struct said_all_;
template <unsigned I_, class Owner_, class... M_>
struct said_at_<I_, group_<Owner_, M_...> > : said_all_<I_, M_...> {};

template <unsigned I_, class... A_> struct said_all_ {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <unsigned I_, class H_, class... T_>
struct said_all_<I_, H_, T_...> {
	typedef said_all_<I_ + fields_<H_>::n_, T_...> rest_;
	typedef said_at_<I_, typename said_type_<H_>::type_> head_;
	typedef decltype(said_join_(any_<typename head_::type_>(),
				    any_<typename rest_::type_>())) type_;
	static constexpr type_ of_()
	{
		return said_join_(head_::of_(), rest_::of_());
	}
};
template <class... A_>
struct said_by_<signature_<A_...> > : said_all_<1, A_...> {};

}
}

#endif
