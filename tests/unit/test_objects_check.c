/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands and files are refused for beyond the form of each value. */
#include "objects_help.h"

#define RAW_HEADER "0200000000010200000000028888"
#define ONE_OF_EACH                                                                                \
	"{\"ports\": [{\"name\": \"e1\", \"device\": \"ring:a\"}],"                                \
	" \"packet-templates\": [{\"name\": \"r12\", \"port\": \"e1\"}],"                          \
	" \"raw-packet-templates\": [{\"name\": \"w\", \"header\": \"" RAW_HEADER "\"}],"          \
	" \"streams\": [{\"name\": \"s\", \"tx-template\": \"r12\"}]}\n"

#define PORT_NAMED &cli_port, "\"name\": \"x\", "
#define PORT	   &cli_port, "\"name\": \"x\", \"device\": \"ring:x\", "
#define TEMPLATE   &cli_packet_template, "\"name\": \"x\", "
#define RAW	   &cli_raw_packet_template, "\"name\": \"x\", \"header\": \"" RAW_HEADER "\", "
#define RAW_NAMED  &cli_raw_packet_template, "\"name\": \"x\", "
#define UNNAMED	   &cli_packet_template, ""

static const struct {
	const struct cli_object_kind *kind;
	const char *rest;	    /* of the object in the file */
	const char *word, *message; /* NULL: taken */
} cases[] = {
	{PORT_NAMED, "device=foo:bar", "\"foo:bar\" is not one of auto:INTERFACE, ring:NAME"},
	{PORT_NAMED, "device=", "\"\" is not one of"},
	{PORT_NAMED, "device=ring:a b", "has a space in it"},
	{PORT, "mac=01:00:5e:00:00:01", "is a group's address"},
	{PORT, "mac=ff:ff:ff:ff:ff:ff", "is a group's address"},
	{PORT, "mac=00:00:00:00:00:00", "all zeros are no address"},
	{PORT, "mac=02:00:00:00:00:01/ff:ff:ff:ff:ff:00", "one MAC address, not several"},
	{PORT, "mac=02:00:00:00:00:01-02:00:00:00:00:05", "one MAC address, not several"},
	{PORT, "mac=02:00:00:00:00:01", NULL},
	{PORT, "address=224.0.0.1/24", "224.0.0.1/24 is not the address of a host"},
	{PORT, "address=255.255.255.255/32", "is not the address of a host"},
	{PORT, "address=1.1.1.1/24,0.0.0.0/0", "0.0.0.0/0 is not the address of a host"},
	{PORT, "address=1.1.1.1/24,1.1.1.1/16", "1.1.1.1/16 is given twice"},
	{PORT, "address=1.1.1.1/24,1.1.1.2/24", NULL},
	{PORT, "address=1.1.1.1/24@7,1.1.1.1/16@7", "1.1.1.1/16@7 is given twice"},
	{PORT, "address=1.1.1.1/24,1.1.1.1/24@7,1.1.1.1/24@7.8", NULL},
	{PORT, "address=127.0.0.1/8", "127.0.0.1/8 is not the address of a host"},
	{PORT, "address=1.1.1.0/24", "1.1.1.0/24 is the network address of its subnet"},
	{PORT, "address=1.1.1.255/24@7", "is the broadcast address of its subnet"},
	{PORT, "address=1.1.1.0/31,1.1.1.1/31,1.1.2.0/32,1.1.0.255/16", NULL},
	{PORT, "address=::/64", "::/64 is not the address of a host"},
	{PORT, "address=::1/128", "is not the address of a host"},
	{PORT, "address=ff02::1/64", "is not the address of a host"},
	{PORT, "address=::ffff:1.1.1.1/128", "is not the address of a host"},
	{PORT, "address=2001:db8::1/64,2001:db8:0::1/48", "is given twice"},
	{PORT, "address=2001:db8::1/64,2001:db8::2/64,1.1.1.1/24,fe80::5/64@9", NULL},
	{TEMPLATE, "header-stack=ip,udp", "begins with ip"},
	{TEMPLATE, "header-stack=mac,udp,ip", "udp cannot follow mac"},
	{TEMPLATE, "header-stack=mac,ip", NULL},
	{TEMPLATE, "ip-dst=1.1.1.0/24", NULL},
	{TEMPLATE, "ip-dst=1.1.1.0-1.1.1.9", NULL},
	{TEMPLATE, "ip-dst=list:1.1.1.1=2+1.1.1.0=0", "the weight of \"1.1.1.0\" is 0"},
	{TEMPLATE, "data=hex", "data-hex: is missing: data=hex needs it"},
	{TEMPLATE, "data-file=x", "data-file: given, but data is not file"},
	{TEMPLATE, "ip-gateway=1.1.1.0/24", "must be one plain address"},
	{TEMPLATE, "data-byte=0102", "is not one byte"},
	{TEMPLATE, "comment=\xff", "\"\\xff\" is not printable UTF-8 text"},
	{TEMPLATE, "comment=\xc3\xa4", NULL},
	{TEMPLATE, "tcp-flags=syn", "tcp-flags: given, but header-stack has no tcp header"},
	{TEMPLATE, "ip-dst=1.1.1.1,1.1.1.2", "2 values for 1 ip header"},
	{RAW, "udp-compute-checksum=yes", "needs udp-header-offset"},
	{RAW, "udp-compute-checksum=no", NULL},
	{RAW_NAMED, "header=00", "has 1 byte (14..512 are allowed)"},
	{UNNAMED, "name=../x", "is not a name"},
	{UNNAMED, "name=--force", "is not a name"},
	{UNNAMED, "name=a/b", "is not a name"},
};

static void what_can_never_run_is_refused_by_add_set_and_load(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].kind == &cli_port		       ? "e1"
				   : cases[i].kind == &cli_raw_packet_template ? "w"
									       : "r12";
		const char *equals = strchr(cases[i].word, '=');
		char text[512];
		struct outcome set, load;

		write_file(ONE_OF_EACH);
		set = run(cases[i].kind, "set", (char *)name, (char *)cases[i].word);
		/* the same by hand */
		snprintf(text, sizeof(text), "{\"%s\": [{%s\"%.*s\": \"%s\"}]}", cases[i].kind->key,
			cases[i].rest, (int)(equals - cases[i].word), cases[i].word, equals + 1);
		write_file(text);
		load = run(cases[i].kind, "print");
		assert_int_equal(set.rc == 0, cases[i].message == NULL);
		assert_int_equal(load.rc == 0, cases[i].message == NULL);
		if (cases[i].message == NULL)
			continue;
		if (strstr(set.err.text, cases[i].message) == NULL)
			assert_string_equal(set.err.text, cases[i].message);
		assert_int_equal(set.err.status, TGEN_USAGE);
		assert_int_equal(load.err.status, TGEN_USAGE);
		assert_memory_equal(load.err.text, FILE_NAME ":1:", strlen(FILE_NAME ":1:"));
	}
}

static void a_name_serves_one_template_of_both_kinds(void **state)
{
	static const char taken[] = "name: there is a packet-template \"r12\" already";
	static const char taken_raw[] = "name: there is a raw-packet-template \"w\" already";
	struct outcome o;

	(void)state;
	write_file(ONE_OF_EACH);
	o = run(&cli_raw_packet_template, "add", "name=r12", "header=" RAW_HEADER);
	assert_int_equal(o.rc, -EINVAL);
	assert_non_null(strstr(o.err.text, taken));
	o = run(&cli_raw_packet_template, "add", "name=r12", "copy-from=w");
	assert_non_null(strstr(o.err.text, taken));
	o = run(&cli_raw_packet_template, "set", "w", "name=r12");
	assert_non_null(strstr(o.err.text, taken));
	o = run(&cli_packet_template, "add", "name=w");
	assert_non_null(strstr(o.err.text, taken_raw));
	o = run(&cli_packet_template, "set", "r12", "name=w");
	assert_non_null(strstr(o.err.text, taken_raw));
	assert_int_equal(run(&cli_packet_template, "set", "r12", "name=r12").rc, 0);
	assert_int_equal(run(&cli_raw_packet_template, "add", "name=v", "copy-from=w").rc, 0);
}

static void a_stream_waits_for_another(void **state)
{
	struct outcome o;

	(void)state;
	write_file(ONE_OF_EACH);
	o = run(&cli_stream, "add", "name=q2", "tx-template=r12", "after=q2");
	assert_int_equal(o.rc, -EINVAL);
	assert_non_null(strstr(o.err.text, "after: \"q2\" waits for itself"));
	assert_int_equal(run(&cli_stream, "add", "name=q2", "tx-template=r12", "after=s").rc, 0);
	o = run(&cli_stream, "set", "q2", "after=q2");
	assert_non_null(strstr(o.err.text, "waits for itself"));
	o = run(&cli_stream, "set", "q2", "name=s2", "after=s2");
	assert_non_null(strstr(o.err.text, "waits for itself"));
	assert_int_equal(run(&cli_stream, "set", "q2", "after=none").rc, 0);
}

/* The file that is left must be one that loads. */
static void what_others_need_cannot_be_unset(void **state)
{
	struct outcome o;

	(void)state;
	write_file(ONE_OF_EACH);
	assert_int_equal(
		run(&cli_packet_template, "set", "r12", "header-stack=mac,ip,tcp", "tcp-flags=syn")
			.rc,
		0);
	o = run(&cli_packet_template, "unset", "r12", "header-stack");
	assert_int_equal(o.rc, -EINVAL);
	assert_non_null(strstr(o.err.text, "tcp-flags: given, but header-stack has no tcp"));
	assert_int_equal(run(&cli_packet_template, "unset", "r12", "header-stack,tcp-flags").rc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_can_never_run_is_refused_by_add_set_and_load),
		T(a_name_serves_one_template_of_both_kinds),
		T(a_stream_waits_for_another),
		T(what_others_need_cannot_be_unset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
