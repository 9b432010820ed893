/* SPDX-License-Identifier: MIT */
/*
 * The object of a marker in C++ for g++: see marker-cxx.h. Everything here is
 * private.
 */
#ifndef TAFFRAIL_MARKER_HOLDER_CXX_H
#define TAFFRAIL_MARKER_HOLDER_CXX_H

#include <taffrail/marker.h>

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

/* The object of a point whose arguments have the types of a signature; Local_
 * gives it internal linkage. */
template <class Point_, class S_, class Local_> struct holder_ {
	static constexpr size_t ids_ = sizeof(Point_::ids_());
	static constexpr size_t bytes_ = sizeof(Point_::text_());
	static taffrail_::object_<ids_, bytes_, S_> object_;
};
/* Without __constinit, g++ would initialise it when the program starts where it
 * has not read the local class to the end: in the initialiser of a static
 * member of a class. Then the agent would find a marker without a name. */
#if !defined(__clang__) && __GNUC__ >= 10
#define TAFFRAIL_CONSTINIT_	__constinit
#else
#define TAFFRAIL_CONSTINIT_
#endif
template <class Point_, class S_, class Local_>
TAFFRAIL_CONSTINIT_ taffrail_::object_<
	holder_<Point_, S_, Local_>::ids_,
	holder_<Point_, S_, Local_>::bytes_, S_>
holder_<Point_, S_, Local_>::object_ =
	TAFFRAIL_SITE_INIT_(S_, Point_::kind_(), Point_::line_(),
			    ids_ + bytes_, Point_::ids_(), Point_::text_());

}
}

#endif
