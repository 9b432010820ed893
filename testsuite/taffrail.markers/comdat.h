/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers in code that each object has and the linker merges: an inline
 * function, a template, a lambda in an inline function.
 */
#ifndef COMDAT_H
#define COMDAT_H

#include <string>
#include <taffrail/marker.h>

inline void hit_inline(const char *who, int n)
{
	std::string copy(who);

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_FIELD(who, copy.c_str()), n);
}

template <typename T> void hit_template(const char *who, T n)
{
	std::string copy(who);

	TAFFRAIL_EVENT(app, typed, TAFFRAIL_FIELD(who, copy.c_str()), n);
}

inline void hit_lambda(const char *who, int n)
{
	auto lambda = [=](int value) {
		TAFFRAIL_EVENT(app, lambda, TAFFRAIL_STR(who), value);
	};

	lambda(n);
}

#endif
