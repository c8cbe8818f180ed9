/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of rate-profile. */
#include "plan_help.h"

#include <errno.h>

#define S  UNITS_NS_PER_S
#define M  UNITS_MICROS
#define PC (UNITS_MICROS) /* a percent */

static void profiles_are_read_as_written(void **state)
{
	static const struct {
		const char *item;
		bool linear;
		unsigned nb;
		struct plan_profile_point points[4];
	} cases[] = {
		{"steps:0s=10mbps+10s=100mbps+20s=0", false, 3,
			{{0, PLAN_BPS, 10 * M}, {10 * S, PLAN_BPS, 100 * M},
				{20 * S, PLAN_UPPS, 0}}},
		{"linear:0s=0+60s=1000mbps", true, 2,
			{{0, PLAN_UPPS, 0}, {60 * S, PLAN_BPS, 1000 * M}}},
		{"0=5pps", false, 1, {{0, PLAN_UPPS, 5 * M}}},
		{"0s=1.5kpps+500ms=2Mpps+00:01:30=50%", false, 3,
			{{0, PLAN_UPPS, 1500 * M}, {S / 2, PLAN_UPPS, 2000000 * M},
				{90 * S, PLAN_PERCENT, 50 * PC}}},
		{"00:00:00=100%+1m30s=0.5mbps", false, 2,
			{{0, PLAN_PERCENT, 100 * PC}, {90 * S, PLAN_BPS, M / 2}}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_profile profile;
		struct err err = {0};

		if (plan_profile_parse(cases[i].item, &profile, &err) != 0)
			fail_msg("%s: %s", cases[i].item, err.text);
		assert_int_equal(profile.linear, cases[i].linear);
		assert_int_equal(profile.nb, cases[i].nb);
		for (unsigned k = 0; k < profile.nb; k++) {
			assert_int_equal(profile.points[k].at_ns, cases[i].points[k].at_ns);
			assert_int_equal(profile.points[k].unit, cases[i].points[k].unit);
			assert_int_equal(profile.points[k].value, cases[i].points[k].value);
		}
		plan_profile_fini(&profile);
	}
}

static void wrong_profiles_say_what_is_wrong(void **state)
{
	static const struct {
		const char *item, *says;
	} cases[] = {
		{"step:0s=1pps", "\"step\" is not steps or linear, did you mean \"steps\"?"},
		{"curve:0s=1pps", "\"curve\" is not steps or linear"},
		{"", "\"\" is not TIME=RATE"},
		{"steps:", "\"\" is not TIME=RATE"},
		{"0s=1pps+", "\"\" is not TIME=RATE"},
		{"1pps", "\"1pps\" is not TIME=RATE"},
		{"soon=1pps", "\"soon\" is not a time"},
		{"1s=1pps", "begins at 1s"},
		{"0s=1pps+0s=2pps", "0s does not come after"},
		{"0s=1pps+2s=2pps+1s=3pps", "1s does not come after"},
		{"0s=1", "\"1\" is not a rate"},
		{"0s=mbps", "\"mbps\" is not a rate"},
		{"0s=fastpps", "\"fastpps\" is not a rate"},
		{"0s=-1pps", "\"-1pps\" is not a rate"},
		{"0s=1kmbps", "\"1kmbps\" is not a rate"},
		{"0s=max", "\"max\" is not a rate"},
		{"0s=101%", "101% is more than the line"},
		{"0s=0", "never sends anything"},
		{"0s=0pps+1s=0", "never sends anything"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_profile profile;
		struct err err = {0};

		if (plan_profile_parse(cases[i].item, &profile, &err) == 0)
			fail_msg("%s is taken", cases[i].item);
		if (strstr(err.text, cases[i].says) == NULL || err.status != TGEN_USAGE)
			fail_msg("%s: \"%s\"", cases[i].item, err.text);
		assert_null(profile.points);
	}
}

static void too_many_points_are_refused(void **state)
{
	char item[5000 * 4] = "0=1pps";
	struct plan_profile profile;
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < 4500; i++)
		strcat(item, "+1");
	assert_int_equal(plan_profile_parse(item, &profile, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 4096 points"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_read_as_written),
		cmocka_unit_test(wrong_profiles_say_what_is_wrong),
		cmocka_unit_test(too_many_points_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
