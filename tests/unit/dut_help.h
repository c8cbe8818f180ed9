/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tgen/conf.h"
#include "tgen/opt.h"

/* What the tests of the device's commands share: a variant made of words. */

/* Words are name=value up to a NULL; each that is given again is an item more of its list. */
static inline void variant_init(struct opt_set *set, const char *const *words)
{
	opt_set_init(set, &conf_variant_menu);
	for (; *words != NULL; words++) {
		struct err err = {0};
		char name[64];
		size_t len = strcspn(*words, "=");
		const struct opt *opt;

		memcpy(name, *words, len);
		name[len] = '\0';
		opt = opt_menu_find(&conf_variant_menu, name);
		assert_non_null(opt);
		if (opt_set_add(set, opt, *words + len + 1, (struct opt_pos){0}, &err) != 0)
			fail_msg("%s: %s", *words, err.text);
	}
}
