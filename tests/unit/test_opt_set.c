/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/opt.h"

#include "tgen/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "opt_menu.h"

static void check_print(const struct opt_set *set, const char *name, const char *expected)
{
	char *text = opt_set_print(set, opt_named(name));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void a_word_near_to_nothing_lists_what_can_be_given(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_arg(&set, "zzz=1", &err), -EINVAL);
	assert_non_null(strstr(err.text, "unknown word \"zzz\" (known: disabled, ip-ttl, "));
	assert_non_null(strstr(err.text, ", tags, ports, ipv6-dst, router, addresses)"));
	opt_set_fini(&set);
}

static void a_huge_value_still_says_what_is_allowed(void **state)
{
	struct err err = {0};
	struct opt_set set;
	char arg[5000] = "ip-ttl=";

	(void)state;
	memset(arg + 7, 'x', sizeof(arg) - 8);
	arg[sizeof(arg) - 1] = '\0';
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_arg(&set, arg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "xxx...\" is not a number (0..255, default 64)"));
	memset(arg, 'x', 7);
	assert_int_equal(opt_set_arg(&set, arg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "xxx...\" is not name=value"));
	opt_set_fini(&set);
}

static void a_word_given_twice_is_refused(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_arg(&set, "ip-ttl=1", &err), 0);
	assert_int_equal(opt_set_arg(&set, "ip-ttl=2", &err), -EINVAL);
	assert_string_equal(err.text, "ip-ttl: given twice, the second time as \"2\"");
	check_print(&set, "ip-ttl", "1");
	opt_set_fini(&set);
}

static void a_value_may_hold_equals_signs_and_commas(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_arg(&set, "comment=a=b,c=\"d\"", &err), 0);
	check_print(&set, "comment", "a=b,c=\"d\"");
	opt_set_fini(&set);
}

static void a_refused_value_leaves_the_earlier_one(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "packet-size", "60,128-256,1514");
	assert_int_equal(
		opt_set_text(&set, opt_named("packet-size"), "64,x", NO_POS, &err), -EINVAL);
	check_print(&set, "packet-size", "60,128-256,1514");
	give(&set, "ip-ttl", "9");
	give(&set, "packet-size", "64,65");
	check_print(&set, "packet-size", "64,65");
	assert_ptr_equal(set.slots[0].opt, opt_named("packet-size"));
	assert_int_equal(set.nb_slots, 2);
	opt_set_fini(&set);
}

static void items_can_be_added_one_by_one(void **state)
{
	static const char *const sizes[] = {"60", "64-128", "256", "512"};
	const struct opt *size = opt_named("packet-size"), *tags = opt_named("tags");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	for (size_t i = 0; i < NB(sizes); i++)
		assert_int_equal(opt_set_add(&set, size, sizes[i], IN_FILE, &err), 0);
	check_print(&set, "packet-size", "60,64-128,256,512");
	assert_int_equal(opt_set_add(&set, size, "60", NO_POS, &err), -EINVAL);
	assert_non_null(strstr(err.text, "has 5 values, at most 4 are allowed"));
	assert_int_equal(opt_set_add(&set, size, "60,64", NO_POS, &err), -EINVAL);
	assert_int_equal(opt_set_add(&set, tags, "a,b", NO_POS, &err), -EINVAL);
	assert_non_null(strstr(err.text, "tags: \"a,b\" is not one item"));
	assert_int_equal(opt_set_add(&set, tags, "", NO_POS, &err), -EINVAL);
	assert_null(opt_set_get(&set, tags));
	assert_int_equal(opt_set_add(&set, tags, "a b", NO_POS, &err), 0);
	assert_int_equal(opt_set_add(&set, tags, "", NO_POS, &err), -EINVAL);
	assert_int_equal(opt_set_add(&set, tags, "c", NO_POS, &err), 0);
	check_print(&set, "tags", "a b,c");
	assert_int_equal(opt_set_add(&set, opt_named("ip-ttl"), "1", NO_POS, &err), 0);
	assert_int_equal(opt_set_add(&set, opt_named("ip-ttl"), "2", NO_POS, &err), 0);
	check_print(&set, "ip-ttl", "2");
	opt_set_fini(&set);
}

static void read_only_values_cannot_be_given_in_a_file_either(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_text(&set, opt_named("running"), "yes", NO_POS, &err), -EINVAL);
	assert_int_equal(opt_set_add(&set, opt_named("running"), "yes", NO_POS, &err), -EINVAL);
	assert_int_equal(set.nb_slots, 0);
	opt_set_fini(&set);
}

static void one_value_serves_all_and_lists_end(void **state)
{
	struct opt_set set;
	struct opt_val val;

	(void)state;
	opt_set_init(&set, &menu);
	give(&set, "mbps", "300");
	assert_true(opt_set_val(&set, opt_named("mbps"), 1000, &val));
	assert_int_equal(val.lo, 300000000);
	give(&set, "mbps", "1,2");
	assert_true(opt_set_val(&set, opt_named("mbps"), 1, &val));
	assert_int_equal(val.lo, 2000000);
	assert_false(opt_set_val(&set, opt_named("mbps"), 2, &val));
	opt_set_fini(&set);
}

static void defaults_stand_in_for_what_was_not_given(void **state)
{
	struct opt_set set;
	struct opt_val val;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_one(&set, opt_named("ip-ttl")).lo, 64);
	assert_string_equal(opt_set_one(&set, opt_named("ip-ttl")).text, "64");
	assert_true(opt_set_val(&set, opt_named("ip-ttl"), 7, &val));
	assert_int_equal(opt_set_one(&set, opt_named("packet-count")).lo, UINT64_MAX);
	assert_string_equal(opt_set_one(&set, opt_named("comment")).text, "");
	assert_true(opt_set_val(&set, opt_named("header-stack"), 2, &val));
	assert_int_equal(val.lo, 3);
	assert_string_equal(val.text, "udp");
	assert_true(val.is_word);
	assert_false(opt_set_val(&set, opt_named("header-stack"), 3, &val));
	assert_true(opt_set_val(&set, opt_named("ports"), 1, &val));
	assert_int_equal(val.lo, 9);
	assert_string_equal(val.text, "7,9");
	assert_false(opt_set_val(&set, opt_named("tags"), 0, &val));
	assert_false(opt_set_val(&set, opt_named("packet-size"), 0, &val));
	assert_null(opt_set_get(&set, opt_named("ip-ttl")));
	assert_null(opt_set_print(&set, opt_named("ip-ttl")));
	opt_set_fini(&set);
}

static void a_list_must_match_the_number_asked(void **state)
{
	const struct opt *mbps = opt_named("mbps");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_set_check_nb(&set, mbps, 2, "streams", &err), 0);
	give(&set, "mbps", "1");
	assert_int_equal(opt_set_check_nb(&set, mbps, 2, "streams", &err), 0);
	give(&set, "mbps", "1,2");
	assert_int_equal(opt_set_check_nb(&set, mbps, 2, "streams", &err), 0);
	give(&set, "mbps", "1,2,3");
	assert_int_equal(opt_set_check_nb(&set, mbps, 2, "streams", &err), -EINVAL);
	assert_string_equal(
		err.text, "mbps: 3 values for 2 streams (give one for all, or one for each)");
	opt_set_fini(&set);
}

static void a_missing_required_value_is_named(void **state)
{
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	set.origin = strdup("tgen.json");
	set.path = strdup("ports[1]");
	set.pos = (struct opt_pos){3, 5};
	assert_int_equal(opt_set_check_required(&set, &err), -EINVAL);
	assert_string_equal(err.text, "tgen.json:3:5: ports[1].name: is missing "
				      "(up to 63 letters, digits and (not first) -_.)");
	give(&set, "name", "x");
	assert_int_equal(opt_set_check_required(&set, &err), 0);
	opt_set_fini(&set);
}

static void errors_carry_their_place(void **state)
{
	const struct opt *dst = opt_named("ip-dst");
	struct err err = {0};
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_int_equal(opt_error(&err, &set, dst, "text %d", 1), -EINVAL);
	assert_string_equal(err.text, "ip-dst: text 1");
	opt_error(&err, &set, NULL, "text");
	assert_string_equal(err.text, "text");
	set.origin = strdup("tgen.json");
	opt_error(&err, &set, NULL, "text");
	assert_string_equal(err.text, "tgen.json: text");
	set.path = strdup("packet-templates[2]");
	set.pos = (struct opt_pos){9, 3};
	opt_error(&err, &set, NULL, "text");
	assert_string_equal(err.text, "tgen.json:9:3: packet-templates[2]: text");
	opt_error(&err, &set, dst, "text");
	assert_string_equal(err.text, "tgen.json:9:3: packet-templates[2].ip-dst: text");
	assert_int_equal(opt_set_text(&set, dst, "1.2.3.4", IN_FILE, &err), 0);
	opt_error(&err, &set, dst, "text");
	assert_string_equal(err.text, "tgen.json:14:23: packet-templates[2].ip-dst: text");
	/* A value that is refused has the place of the new text, not of the old. */
	opt_set_text(&set, dst, "x", (struct opt_pos){20, 1}, &err);
	assert_string_equal(err.text, "tgen.json:20:1: packet-templates[2].ip-dst: \"x\" is not "
				      "an IPv4 address (an address as 192.0.2.1)");
	opt_set_fini(&set);
}

static void a_copy_lives_on_its_own(void **state)
{
	struct opt_set from, to;

	(void)state;
	opt_set_init(&from, &menu);
	assert_int_equal(opt_set_copy(&to, &from), 0);
	assert_int_equal(to.nb_slots, 0);
	opt_set_fini(&to);
	from.origin = strdup("tgen.json");
	from.path = strdup("streams[0]");
	from.pos = IN_FILE;
	give(&from, "packet-size", "60,64");
	give(&from, "comment", "hello");
	assert_int_equal(opt_set_copy(&to, &from), 0);
	opt_set_fini(&from);
	check_print(&to, "packet-size", "60,64");
	check_print(&to, "comment", "hello");
	assert_string_equal(to.origin, "tgen.json");
	assert_string_equal(to.path, "streams[0]");
	assert_int_equal(to.pos.line, 14);
	assert_ptr_equal(to.menu, &menu);
	opt_set_fini(&to);
}

static void a_value_can_be_taken_back(void **state)
{
	struct opt_set set;

	(void)state;
	opt_set_init(&set, &menu);
	assert_false(opt_set_unset(&set, opt_named("ip-ttl")));
	give(&set, "ip-ttl", "1");
	give(&set, "packet-size", "60");
	give(&set, "comment", "x");
	assert_true(opt_set_unset(&set, opt_named("packet-size")));
	assert_false(opt_set_unset(&set, opt_named("packet-size")));
	check_print(&set, "ip-ttl", "1");
	check_print(&set, "comment", "x");
	assert_int_equal(set.nb_slots, 2);
	assert_true(opt_set_unset(&set, opt_named("ip-ttl")));
	assert_true(opt_set_unset(&set, opt_named("comment")));
	assert_int_equal(set.nb_slots, 0);
	opt_set_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_near_to_nothing_lists_what_can_be_given),
		cmocka_unit_test(a_huge_value_still_says_what_is_allowed),
		cmocka_unit_test(a_word_given_twice_is_refused),
		cmocka_unit_test(a_value_may_hold_equals_signs_and_commas),
		cmocka_unit_test(a_refused_value_leaves_the_earlier_one),
		cmocka_unit_test(items_can_be_added_one_by_one),
		cmocka_unit_test(read_only_values_cannot_be_given_in_a_file_either),
		cmocka_unit_test(one_value_serves_all_and_lists_end),
		cmocka_unit_test(defaults_stand_in_for_what_was_not_given),
		cmocka_unit_test(a_list_must_match_the_number_asked),
		cmocka_unit_test(a_missing_required_value_is_named),
		cmocka_unit_test(errors_carry_their_place),
		cmocka_unit_test(a_copy_lives_on_its_own),
		cmocka_unit_test(a_value_can_be_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
