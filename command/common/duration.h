/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lengths of time as users type them: 10, 10s, 2.5ms.
 */
#ifndef COMMAND_COMMON_DURATION_H
#define COMMAND_COMMON_DURATION_H

#include <stdint.h>

/*
 * Parses a number with at most one point, and a unit behind it: ns, us, ms, s,
 * m or min, h; without a unit it is seconds. Parts of a nanosecond are left
 * out. Returns 0, or -EINVAL if the text is anything else, or longer than 285
 * years.
 */
int duration_parse(int64_t *ns, const char *text);

/* Takes ".123" of a unit of `unit` nanoseconds, and adds it to *ns; *at then
 * points behind it. Returns 0, also where there is no point; or -EINVAL for a
 * point without a digit behind it. */
int duration_fraction(const char **at, int64_t unit, int64_t *ns);

#endif
