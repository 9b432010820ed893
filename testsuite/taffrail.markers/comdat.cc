// SPDX-License-Identifier: LGPL-2.1-or-later
// The same inline code in the program and in two libraries of it.
#include "comdat.h"

extern "C" void library_a(int n);
extern "C" void library_b(int n);

int main()
{
	for (int n = 0; n < 50; n++) {
		library_a(n);
		library_b(n);
		hit_inline("program", n);
		hit_template<int>("program", n);
		hit_template<double>("program", n);
		hit_lambda("program", n);
	}
	return 0;
}
