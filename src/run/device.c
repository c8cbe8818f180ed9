/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "suite.h"

/* In which variant the device is set up. */

/* wait-ready-ping goes out of our ports. */
static int ping(void *ctx, const char *port, const char *address)
{
	struct suite *suite = ctx;

	return rig_ping(suite->rig, port, address);
}

int suite_device_release(struct suite *suite, struct err *err)
{
	const struct opt_set *variant = suite->set_up;

	if (variant == NULL)
		return 0;
	suite->set_up = NULL;
	progress_say(&suite->progress, "teardown of variant %s", suite_variant_name(variant));
	return dut_teardown(variant, suite->set_up_commands, err);
}

int suite_device(
	struct suite *suite, const struct opt_set *variant, cJSON *commands, struct err *err)
{
	int rc;

	if (suite->set_up == variant)
		return 0;
	rc = suite_device_release(suite, err);
	if (rc < 0 || variant == NULL)
		return rc;
	progress_say(&suite->progress, "setup of variant %s", suite_variant_name(variant));
	/* also when it fails half way: what was done is undone */
	suite->set_up = variant;
	suite->set_up_commands = commands;
	return dut_setup(variant, ping, suite, suite->options->stop, commands, err);
}
