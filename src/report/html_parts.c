/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <string.h>

#include "html.h"
#include "results_text.h"

/* What is around the tests: topology, circumstances, configuration, definitions. */

#define PORTS_MAX 64

/* ---- the sketch: ports of the generator around the device ---- */

/* Bit t of from[f]: a stream goes from port f to port t. */
static void directions(const cJSON *root, const cJSON *ports, uint64_t from[PORTS_MAX])
{
	const cJSON *test, *stream;

	cJSON_ArrayForEach(test, tree_member(root, "tests"))
	{
		cJSON_ArrayForEach(stream, tree_member(test, "streams"))
		{
			const cJSON *port;
			int i = 0, f = -1, t = -1;

			cJSON_ArrayForEach(port, ports)
			{
				if (strcmp(tree_text(port, "name"), tree_text(stream, "tx-port")) ==
					0)
					f = i;
				if (strcmp(tree_text(port, "name"), tree_text(stream, "rx-port")) ==
					0)
					t = i;
				i++;
			}
			if (f >= 0 && f < PORTS_MAX && t >= 0 && t < PORTS_MAX)
				from[f] |= UINT64_C(1) << t;
		}
	}
}

static void sketch_port(FILE *out, const cJSON *port, unsigned y, bool sends, bool receives)
{
	const cJSON *address = cJSON_GetArrayItem(tree_member(port, "addresses"), 0);

	fprintf(out,
		"<rect x=\"10\" y=\"%u\" width=\"220\" height=\"44\" rx=\"6\" fill=\"none\" "
		"stroke=\"currentColor\"/><text x=\"22\" y=\"%u\" font-weight=\"600\">",
		y, y + 18);
	text_write_xml(out, tree_text(port, "name"));
	fprintf(out, "</text><text x=\"22\" y=\"%u\" font-size=\"12\">", y + 35);
	text_write_xml(out, cJSON_GetStringValue(address) != NULL ? cJSON_GetStringValue(address)
								  : tree_text(port, "device"));
	fprintf(out,
		"</text><line x1=\"230\" y1=\"%u\" x2=\"400\" y2=\"%u\" stroke=\"currentColor\" "
		"stroke-width=\"2\"%s%s/>\n",
		y + 22, y + 22, sends ? " marker-end=\"url(#arrow)\"" : "",
		receives ? " marker-start=\"url(#arrow)\"" : "");
}

void html_sketch(FILE *out, const cJSON *root)
{
	const cJSON *ports = tree_member(root, "ports"), *port,
		    *dut = cJSON_GetArrayItem(tree_member(root, "duts"), 0);
	unsigned nb = (unsigned)cJSON_GetArraySize(ports), i = 0, height;
	uint64_t from[PORTS_MAX] = {0};

	if (nb == 0 || nb > PORTS_MAX)
		return;
	directions(root, ports, from);
	height = nb * 56 + 8;
	fprintf(out,
		"<figure><figcaption>Topology <span class=\"soft\">Ports of the generator and the "
		"device "
		"under test; arrows show where streams go.</span></figcaption>\n<svg "
		"class=\"sketch\" "
		"viewBox=\"0 0 620 %u\" width=\"620\" height=\"%u\" role=\"img\" aria-label=\"%u "
		"ports of "
		"the generator, cabled to the device under test\" fill=\"currentColor\" "
		"font-family=\"inherit\" font-size=\"14\">\n<defs><marker id=\"arrow\" viewBox=\"0 "
		"0 10 "
		"10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
		"orient=\"auto-start-reverse\"><path d=\"M0 0 L10 5 L0 10 z\"/></marker></defs>\n",
		height, height, nb);
	cJSON_ArrayForEach(port, ports)
	{
		bool receives = false;

		for (unsigned k = 0; k < nb; k++)
			receives |= from[k] >> i & 1;
		sketch_port(out, port, 8 + 56 * i, from[i] != 0, receives);
		i++;
	}
	fprintf(out,
		"<rect x=\"402\" y=\"8\" width=\"206\" height=\"%u\" rx=\"6\" fill=\"none\" "
		"stroke=\"currentColor\" stroke-width=\"2\"/><text x=\"505\" y=\"%u\" "
		"text-anchor=\"middle\" font-weight=\"600\">",
		height - 20, height / 2);
	text_write_xml(out, dut != NULL ? tree_text(dut, "name") : "device under test");
	fprintf(out, "</text><text x=\"505\" y=\"%u\" text-anchor=\"middle\" font-size=\"12\">",
		height / 2 + 18);
	text_write_xml(out, tree_text(dut, "model"));
	fputs("</text></svg></figure>\n", out);
}

/* ---- circumstances ---- */

static void port_rows(FILE *out, const cJSON *root)
{
	const cJSON *port;

	fputs("<div class=\"scroll\"><table><caption>Ports of the "
	      "generator</caption><thead><tr><th "
	      "scope=\"col\">port</th><th scope=\"col\">device</th><th "
	      "scope=\"col\">driver</th><th "
	      "scope=\"col\">MAC</th><th scope=\"col\" class=\"n\">MTU</th><th scope=\"col\" "
	      "class=\"n\">speed</th></tr></thead><tbody>\n",
		out);
	cJSON_ArrayForEach(port, tree_member(root, "ports"))
	{
		static const char *const keys[] = {"name", "device", "driver", "mac"};

		fputs("<tr>", out);
		for (size_t i = 0; i < 4; i++) {
			fputs("<td>", out);
			text_write_xml(out, tree_text(port, keys[i]));
			fputs("</td>", out);
		}
		fputs("<td class=\"n\">", out);
		html_member(out, port, "mtu", "");
		fputs("</td><td class=\"n\">", out);
		html_member(out, port, "speed-bps", "bps");
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

static void dut_facts(FILE *out, const cJSON *root)
{
	const cJSON *dut, *variant;

	cJSON_ArrayForEach(dut, tree_member(root, "duts"))
	{
		html_heading(out, 3, NULL, tree_text(dut, "name"));
		fputs("<dl class=\"facts\">\n", out);
		html_fact(out, "comment", tree_text(dut, "comment"));
		html_fact(out, "model", tree_text(dut, "model"));
		html_fact(out, "serial", tree_text(dut, "serial"));
		html_fact(out, "firmware", tree_text(dut, "firmware"));
		html_fact(out, "configuration, SHA-256", tree_text(dut, "configuration-sha256"));
		fputs("<dt>variants</dt><dd>", out);
		cJSON_ArrayForEach(variant, tree_member(dut, "variants"))
		{
			text_write_xml(out, cJSON_GetStringValue(variant));
			fputs(variant->next != NULL ? ", " : "", out);
		}
		fputs("</dd></dl>\n", out);
	}
}

void html_circumstances(FILE *out, const cJSON *root)
{
	const cJSON *env = tree_member(root, "environment"), *item;
	char number[64];

	fputs("<section aria-labelledby=\"circumstances\">\n", out);
	html_heading(out, 2, "circumstances", "Device and circumstances");
	html_sketch(out, root);
	dut_facts(out, root);
	html_heading(out, 3, NULL, "Generator");
	fputs("<dl class=\"facts\">\n", out);
	html_fact(out, "tgen", tree_text(root, "tgen"));
	cJSON_ArrayForEach(item, env)
	{
		snprintf(number, sizeof(number), "%.10g",
			cJSON_IsNumber(item) ? item->valuedouble : 0);
		if (cJSON_IsString(item) || cJSON_IsNumber(item)) {
			fputs("<dt>", out);
			text_write_xml(out, item->string);
			fputs("</dt><dd>", out);
			text_write_xml(out, cJSON_IsString(item) ? item->valuestring : number);
			fputs("</dd>\n", out);
		}
	}
	html_fact(out, "command", tree_text(root, "command"));
	fputs("</dl>\n", out);
	port_rows(out, root);
	fputs("</section>\n", out);
}

/* ---- appendix ---- */

static void definitions(FILE *out, const cJSON *root)
{
	const cJSON *one;

	html_heading(out, 2, "definitions", "How each number is defined");
	fputs("<p>Loss is of the frames that were really sent; a trial in which the generator fell "
	      "short or "
	      "lost frames itself is invalid and says nothing of the device. Sizes count the FCS. "
	      "Latency is "
	      "from software stamps and includes the generator's own "
	      "stack.</p>\n<details class=\"paper\"><summary>All "
	      "figures</summary>\n<dl class=\"facts\">\n",
		out);
	cJSON_ArrayForEach(one, tree_member(root, "definitions"))
	{
		fputs("<dt>", out);
		text_write_xml(out, one->string);
		fputs("</dt><dd>", out);
		text_write_xml(
			out, cJSON_GetStringValue(one) != NULL ? cJSON_GetStringValue(one) : "");
		fputs("</dd>\n", out);
	}
	fputs("</dl></details>\n", out);
}

void html_appendix(FILE *out, const cJSON *root)
{
	const cJSON *file;

	fputs("<section aria-labelledby=\"configuration\">\n", out);
	html_heading(out, 2, "configuration", "Configuration");
	cJSON_ArrayForEach(file, tree_member(root, "configuration"))
	{
		char *text = cJSON_Print(file);

		fputs("<details><summary>", out);
		text_write_xml(out, file->string);
		fputs("</summary><pre tabindex=\"0\">", out);
		text_write_xml(out, text != NULL ? text : "");
		fputs("</pre></details>\n", out);
		cJSON_free(text);
	}
	fputs("</section>\n<section aria-labelledby=\"definitions\">\n", out);
	definitions(out, root);
	fputs("</section>\n", out);
}
