/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A second file of the same program; as C or as C++.
 */
#include <taffrail/marker.h>

#include "harness.h"
#include "shared.h"

void second_run(int x)
{
	shared_marker(x);
	shared_marker(x + 1);
#ifdef __cplusplus
	shared_template(x);
	shared_template("second");
#endif
}
