// SPDX-License-Identifier: LGPL-2.1-or-later
// One of two libraries with the same inline code, see comdat.cc.
#include "comdat.h"

extern "C" void LIBRARY(int n)
{
	hit_inline(WHO, n);
	hit_template<int>(WHO, n);
	hit_template<double>(WHO, n);
	hit_lambda(WHO, n);
}
