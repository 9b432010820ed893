/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes an event of a declared marker. Other markers have code that does it.
 */
#include "agent/declare.h"
#include "base/base.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/fields/scalar.h"

#define PUBLIC	__attribute__((visibility("default")))

PUBLIC SIGSAFE void taffrail_event_write(struct taffrail_declared *event,
					 const union taffrail_value *values)
{
	uint64_t block[TAFFRAIL_FIELDS_MAX];
	struct taffrail_var vars[TAFFRAIL_FIELDS_MAX];
	struct taffrail_var *var = vars;
	struct taffrail_site *site = &event->site;
	char *fixed = (char *)block;
	uint64_t word;

	if (!event || !site->enabled_)
		return;
	block[0] = 0;
	for (uint32_t i = 0; i < site->nfields_; i++) {
		uint8_t type = site->types_[i];

		if (declared_is_variable(type)) {
			*var = values[i].var_;
			if (type == TAFFRAIL_T_STRING && !var->p_)
				var->p_ = "(null)";
			else if (!var->p_)
				var->n_ = 0;
			var++;
			continue;
		}
		word = values[i].u64_;
		if (type == TAFFRAIL_T_F32)
			word = float_of_double(word);
		fixed = scalar_put(fixed, word, scalar_bytes(type));
	}
	load_relaxed(&site->hit_)(site,
				  site->fixed_bytes_ > 8 ? (uint64_t)block :
							   block[0],
				  var == vars ? NULL : vars);
}
