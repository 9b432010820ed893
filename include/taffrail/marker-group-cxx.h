/* SPDX-License-Identifier: MIT */
/*
 * Structures as fields in C++. Outside of all namespaces,
 *
 *	TAFFRAIL_STRUCT_MEMBERS(type, x, y, ...);
 *
 * says which members of a type are recorded; a marker that comes after it takes
 * objects of the type as they are. The rest is private.
 *
 * A structure is one argument, and a field for each member. Its value is the
 * members as they are recorded, packed. In front of a marker's text stand the
 * members of each group: "\1" I ":x, y\2", I counted from the right.
 */
#ifndef TAFFRAIL_MARKER_GROUP_CXX_H
#define TAFFRAIL_MARKER_GROUP_CXX_H

#include <taffrail/marker.h>
#include <taffrail/marker-shown-cxx.h>

#define TAFFRAIL_STRUCT_MEMBERS(type, ...)				\
	TAFFRAIL_STRUCT_MEMBERS_(type, __VA_ARGS__)

/* Private from here on. */

/* The list may be a macro. */
#define TAFFRAIL_STRUCT_MEMBERS_(type, ...)				\
	template <> struct taffrail_members_of<type> {			\
		static TAFFRAIL_ALWAYS_INLINE_				\
		auto of_(const type &v_)				\
			-> decltype(::taffrail_::make_group_<		\
				taffrail_members_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_MEMBER_, 0,	\
						 __VA_ARGS__)))		\
		{							\
			return ::taffrail_::make_group_<		\
				taffrail_members_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_MEMBER_, 0,	\
						 __VA_ARGS__));		\
		}							\
		static constexpr					\
		::taffrail_::chars_<sizeof(#__VA_ARGS__)> names_()	\
		{							\
			return { #__VA_ARGS__ };			\
		}							\
	}
#define TAFFRAIL_MEMBER_(i, x)	, v_.x

/* In C++ the type says the members. */
#define TAFFRAIL_GROUP_(tag, e, ...)					\
	((void)tag, ::taffrail_::grouped_(e))

/* A program may include the header inside extern "C". */
extern "C++" {

/* The members of a structure that are fields. */
template <class T_> struct taffrail_members_of;

namespace taffrail_ {

template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<11>)
	-> decltype(taffrail_members_of<T_>::of_(v_))
{
	return taffrail_members_of<T_>::of_(v_);
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto grouped_(const T_ &v_) -> decltype(taffrail_members_of<T_>::of_(v_))
{
	return taffrail_members_of<T_>::of_(v_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ grouped_(...) { return no_field_(); }

template <class Owner_, class M_>
struct __attribute__((__packed__)) group_<Owner_, M_> {
	typename as_<M_>::type_ head_;
};
template <class Owner_, class M_, class N_, class... T_>
struct __attribute__((__packed__)) group_<Owner_, M_, N_, T_...> {
	typename as_<M_>::type_ head_;
	group_<Owner_, N_, T_...> tail_;
};

template <class Owner_, class M_> TAFFRAIL_ALWAYS_INLINE_
group_<Owner_, M_> make_group_(int, M_ head_)
{
	return group_<Owner_, M_>{ as_<M_>::of_(head_) };
}
template <class Owner_, class M_, class N_, class... T_>
TAFFRAIL_ALWAYS_INLINE_
group_<Owner_, M_, N_, T_...> make_group_(int, M_ head_, N_ next_, T_... tail_)
{
	return group_<Owner_, M_, N_, T_...>{
		as_<M_>::of_(head_), make_group_<Owner_>(0, next_, tail_...) };
}

/* What stands in front of a marker's text for a group, argument I. */
template <unsigned... I_> struct indices_ {};
template <unsigned N_, unsigned... I_>
struct count_up_ : count_up_<N_ - 1, N_ - 1, I_...> {};
template <unsigned... I_> struct count_up_<0, I_...> {
	typedef indices_<I_...> type_;
};
template <unsigned Bytes_> struct naming_ {
	char number_[4];
	chars_<Bytes_> names_;
	char end_;
};
template <unsigned Bytes_, size_t N_, unsigned... I_>
constexpr naming_<Bytes_> naming_of_(unsigned i_, chars_<N_> names_,
				     indices_<I_...>)
{
	return { { '\1', (char)('0' + i_ / 10), (char)('0' + i_ % 10), ':' },
		 { { names_.c_[I_]... } }, '\2' };
}
template <unsigned I_, class T_, bool Foreign_ = foreign_<T_>::is_>
struct naming_by_ : naming_by_<I_, typename as_<T_>::type_> {};
template <unsigned I_, class T_> struct naming_by_<I_, T_, false> {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <unsigned I_, class Owner_, class... M_>
struct naming_by_<I_, group_<Owner_, M_...>, false> {
	static constexpr unsigned bytes_ = sizeof(Owner_::names_()) - 1;
	typedef naming_<bytes_> type_;
	static constexpr type_ of_()
	{
		return naming_of_<bytes_>(I_, Owner_::names_(),
				typename count_up_<bytes_>::type_());
	}
};

template <> struct groups_by_<signature_<> > {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <class H_, class... T_> struct groups_by_<signature_<H_, T_...> > {
	typedef naming_by_<1 + sizeof...(T_), H_> head_;
	typedef groups_by_<signature_<T_...> > rest_;
	typedef decltype(said_join_(any_<typename head_::type_>(),
				    any_<typename rest_::type_>())) type_;
	static constexpr type_ of_()
	{
		return said_join_(head_::of_(), rest_::of_());
	}
};

}
}

#endif
