/* SPDX-License-Identifier: MIT */
/*
 * Events for a scope of C++: at the begin and at the end.
 *
 *	TAFFRAIL_SCOPE(channel, name, args...);
 *
 * writes channel/name_begin with the arguments here, and channel/name_end,
 * without fields, where the scope is left: at the end, by return, break, goto
 * or an exception.
 */
#ifndef TAFFRAIL_MARKER_SCOPE_CXX_H
#define TAFFRAIL_MARKER_SCOPE_CXX_H

#include <taffrail/marker.h>

#define TAFFRAIL_SCOPE(channel, name, ...)				\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##channel	\
			  taffrail_write_this_without_quotes_##name)	\
	struct TAFFRAIL_JOIN_(taffrail_scope_needs_braces_, __LINE__);	\
	TAFFRAIL_TELL_(TAFFRAIL_EVENT, #channel, #name "_begin",	\
		       "" #__VA_ARGS__,					\
		       TAFFRAIL_OF_CHANNEL_(TAFFRAIL_LEVEL_##channel),	\
		       TAFFRAIL_ZERO_(__VA_ARGS__));			\
	TAFFRAIL_SCOPE_END_(TAFFRAIL_JOIN_(taffrail_scope_, __LINE__),	\
		TAFFRAIL_JOIN_(taffrail_scope_needs_braces_, __LINE__),	\
			    #channel, #name "_end", "\0" __FILE__	\
			    TAFFRAIL_OF_CHANNEL_(TAFFRAIL_LEVEL_##channel))

/* Private from here on. */

/* braces is a type that was declared in the same scope: behind an if without
 * braces, it is not. gcc would warn of a parameter of the marker's own that is
 * called as one of the program's. */
#define TAFFRAIL_SCOPE_END_(scope, braces, channel, name, text)		\
	auto &&scope __attribute__((__unused__)) =			\
		::taffrail_::scope_<sizeof(braces *)>([]() {		\
			TAFFRAIL_MARKER_(TAFFRAIL_KIND_EVENT,		\
					 TAFFRAIL_SDT_NOTE_,		\
					 channel, name, text, 0);	\
		})

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

template <class F_> struct ending_ {
	F_ end_;
	bool mine_;

	TAFFRAIL_ALWAYS_INLINE_
	explicit ending_(F_ end_) : end_(end_), mine_(true) {}
	TAFFRAIL_ALWAYS_INLINE_
	ending_(ending_ &&from_) : end_(from_.end_), mine_(true)
	{
		from_.mine_ = false;
	}
	ending_(const ending_ &) = delete;
	ending_ &operator=(const ending_ &) = delete;
	TAFFRAIL_ALWAYS_INLINE_ ~ending_()
	{
		if (mine_)
			end_();
	}
};

template <size_t, class F_>
TAFFRAIL_ALWAYS_INLINE_ ending_<F_> scope_(F_ end_)
{
	return ending_<F_>(end_);
}

}
}

#endif
