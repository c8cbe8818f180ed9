/* SPDX-License-Identifier: BSD-3-Clause */
/* The option tables of ports, settings and commands. */
#include "tgen/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void defaults_are_values(const struct opt_menu *menu, const struct opt_section *section)
{
	for (size_t i = 0; i < section->nb; i++) {
		const struct opt *opt = opt_section_at(section, i);
		struct err err = {0};
		struct opt_set set;

		assert_non_null(opt->name);
		assert_non_null(opt->help);
		if (opt->dflt == NULL)
			continue;
		opt_set_init(&set, menu);
		opt_set_text(&set, opt, opt->dflt, (struct opt_pos){0}, &err);
		assert_string_equal(err.text, "");
		opt_set_fini(&set);
	}
}

static void every_default_is_a_value_of_its_option(void **state)
{
	static const struct opt_menu *const menus[] = {&conf_port_menu, &conf_settings_menu,
		&conf_quick_menu, &conf_stream_menu, &conf_ping_menu, &conf_reflect_menu,
		&conf_selftest_menu};

	(void)state;
	for (size_t m = 0; m < sizeof(menus) / sizeof(menus[0]); m++)
		for (size_t i = 0; i < menus[m]->nb_sections; i++)
			defaults_are_values(menus[m], menus[m]->sections[i]);
}

static void limits_of_the_menus_are_those_promised(void **state)
{
	static const struct {
		const struct opt_menu *menu;
		const char *arg;
		bool good;
	} cases[] = {
		{&conf_port_menu, "mtu=67", false},
		{&conf_port_menu, "mtu=16000", true},
		{&conf_port_menu, "address=1.1.1.1/24,2.2.2.2/30", true},
		{&conf_port_menu, "address=1.1.1.1", false},
		{&conf_settings_menu, "test-id=255", true},
		{&conf_settings_menu, "test-id=256", false},
		{&conf_settings_menu, "rate-layer=l2", true},
		{&conf_settings_menu, "rate-layer=l4", false},
		{&conf_quick_menu, "packet-size=0,65535", true},
		{&conf_selftest_menu, "port=ether1,ether2", true},
		{&conf_selftest_menu, "port=ether1,ether2,ether3", false},
		{&conf_selftest_menu, "packet-size=59", false},
		{&conf_selftest_menu, "resolution=2%", true},
		{&conf_selftest_menu, "resolution=0.1", true},
		{&conf_selftest_menu, "resolution=51%", false},
		{&conf_selftest_menu, "resolution=2%%", false},
		{&conf_selftest_menu, "max-rate=1.5M", true},
		{&conf_selftest_menu, "max-rate=0.5", false},
		{&conf_quick_menu, "packet-size=65536", false},
		{&conf_quick_menu, "packet-count=unlimited,1", true},
		{&conf_quick_menu, "packet-count=0", false},
		{&conf_quick_menu, "pps=max,1.5k", true},
		{&conf_quick_menu, "mbps=0.5,300", true},
		{&conf_quick_menu, "duration=1ms", true},
		{&conf_quick_menu, "duration=999us", false},
		{&conf_quick_menu, "id=65535", true},
		{&conf_quick_menu, "id=65536", false},
		{&conf_quick_menu, "packet-size=60-1514,imix,60=7+1514=1,genome:aaafg", true},
		{&conf_quick_menu, "packet-size=imx", false},
		{&conf_quick_menu, "frame-size=65539", true},
		{&conf_quick_menu, "percent=100.000001", false},
		{&conf_quick_menu, "weight=0", false},
		{&conf_quick_menu, "gaps=odd", false},
		{&conf_quick_menu, "burst-count=0", false},
		{&conf_quick_menu, "total-percent=101", false},
		{&conf_stream_menu, "after=a b", false},
		{&conf_stream_menu, "tx-template=a,b", false},
		{&conf_stream_menu, "id=65536", false},
		{&conf_quick_menu, "entries-to-show=1", false},
		{&conf_quick_menu, "freeze-frame-interval=20ms", true},
		{&conf_quick_menu, "freeze-frame-interval=19ms", false},
		{&conf_quick_menu, "freeze-frame-interval=31s", false},
		{&conf_quick_menu, "grace=11s", false},
		{&conf_quick_menu, "drain=0", true},
		{&conf_quick_menu, "drain=60s", true},
		{&conf_quick_menu, "drain=61s", false},
		{&conf_ping_menu, "size=59", false},
		{&conf_ping_menu, "size=16014", true},
		{&conf_ping_menu, "interval=9ms", false},
		{&conf_reflect_menu, "port=ether1,ether2", true},
		{&conf_reflect_menu, "duration=999us", false},
		{&conf_reflect_menu, "packet-count=0", false},
		{&conf_reflect_menu, "test-id=256", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct opt_set set;

		opt_set_init(&set, cases[i].menu);
		if ((opt_set_arg(&set, cases[i].arg, &err) == 0) != cases[i].good)
			fail_msg("%s: %s", cases[i].arg, err.text);
		opt_set_fini(&set);
	}
	assert_null(conf_quick_opts[QUICK_TEST_ID].dflt);
	assert_null(conf_quick_opts[QUICK_MEASURE_OUT_OF_ORDER].dflt);
	assert_null(conf_quick_opts[QUICK_RATE_LAYER].dflt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_a_value_of_its_option),
		cmocka_unit_test(limits_of_the_menus_are_those_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
