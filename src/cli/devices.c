/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

#include "tgen/units.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/kernel.h"

#define SCHEMA	   "tgen.devices/1"
#define CELL_BYTES 96
#define NIC_COLS   9
#define PCI_COLS   6
#define COLS_MAX   9
#define REMARK_OK  "-" /* an empty cell would hide a column */

enum devices_output { OUTPUT_TABLE, OUTPUT_JSON };

static const struct opt_word output_words[] = {
	{"table", OUTPUT_TABLE},
	{"json", OUTPUT_JSON},
	{NULL, 0},
};

const struct opt cli_devices_opts[DEVICES_NB_OPTS] = {
	[DEVICES_OUTPUT] = {.name = "output",
		.type = OPT_WORD,
		.words = output_words,
		.dflt = "table",
		.help = "form of the list"},
};

static const struct opt_section devices_section = OPT_SECTION("Output", cli_devices_opts);
static const struct opt_section *const devices_sections[] = {&devices_section};

const struct opt_menu cli_devices_menu = {
	.name = "devices",
	.help = "Lists what could be opened as a port on this host",
	.sections = devices_sections,
	.nb_sections = 1,
};

/* Kernel drivers under which DPDK can use a PCI device. */
static const struct pci_driver {
	const char *name;
	bool shared; /* the kernel keeps its interface: nothing to bind */
} pci_drivers[] = {
	{"vfio-pci", false},
	{"uio_pci_generic", false},
	{"igb_uio", false},
	{"mlx5_core", true},
	{"mlx4_core", true},
};

struct devices {
	struct kernel_if *nics;
	struct kernel_pci *pcis;
	int nb_nics, nb_pcis;
};

/* The first row holds the headings. */
struct grid {
	unsigned nb_cols, nb_rows;
	char (*cells)[COLS_MAX][CELL_BYTES];
};

static const struct pci_driver *pci_driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof(pci_drivers) / sizeof(pci_drivers[0]); i++)
		if (strcmp(pci_drivers[i].name, name) == 0)
			return &pci_drivers[i];
	return NULL;
}

/* Why it would not be opened, or NULL. */
static const char *nic_refusal(const struct kernel_if *nic)
{
	if (nic->loopback)
		return "is the loopback interface";
	if (nic->mac == 0)
		return "is no Ethernet interface";
	return kernel_if_in_use(nic->name);
}

/* What opening (and so binding) a PCI device would take from this host, or NULL. */
static const char *pci_refusal(const struct kernel_pci *pci)
{
	return pci->ifname[0] != '\0' ? kernel_if_in_use(pci->ifname) : NULL;
}

static int grid_init(struct grid *grid, const char *const *heads, unsigned nb_cols, unsigned nb)
{
	grid->nb_cols = nb_cols;
	grid->nb_rows = nb + 1;
	grid->cells = calloc(grid->nb_rows, sizeof(*grid->cells));
	if (grid->cells == NULL)
		return -ENOMEM;
	for (unsigned col = 0; col < nb_cols; col++)
		snprintf(grid->cells[0][col], CELL_BYTES, "%s", heads[col]);
	return 0;
}

static void grid_print(const struct grid *grid)
{
	unsigned widths[COLS_MAX] = {0}, len;

	for (unsigned row = 0; row < grid->nb_rows; row++) {
		for (unsigned col = 0; col < grid->nb_cols; col++) {
			len = (unsigned)strlen(grid->cells[row][col]);
			if (len > widths[col])
				widths[col] = len;
		}
	}
	for (unsigned row = 0; row < grid->nb_rows; row++) {
		for (unsigned col = 0; col + 1 < grid->nb_cols; col++)
			printf("%-*s  ", (int)widths[col], grid->cells[row][col]);
		printf("%s\n", grid->cells[row][grid->nb_cols - 1]);
	}
}

static const char *text_or_dash(const char *text)
{
	return text[0] != '\0' ? text : "-";
}

static void numa_format(char *out, int node)
{
	if (node < 0)
		snprintf(out, CELL_BYTES, "-");
	else
		snprintf(out, CELL_BYTES, "%d", node);
}

static void nic_row(const struct kernel_if *nic, char cells[COLS_MAX][CELL_BYTES])
{
	const char *refusal = nic_refusal(nic);
	char text[UNITS_TEXT_MAX];

	snprintf(cells[0], CELL_BYTES, "%s", nic->name);
	snprintf(cells[1], CELL_BYTES, "auto:%s", nic->name);
	snprintf(cells[2], CELL_BYTES, "%s", text_or_dash(nic->driver));
	snprintf(cells[3], CELL_BYTES, "%s", nic->mac != 0 ? units_fmt_mac(text, nic->mac) : "-");
	snprintf(cells[4], CELL_BYTES, "%s", !nic->up ? "off" : nic->running ? "up" : "down");
	snprintf(cells[5], CELL_BYTES, "%s",
		nic->speed_bps != 0 ? units_fmt_bps(text, nic->speed_bps) : "-");
	snprintf(cells[6], CELL_BYTES, "%" PRIu32, nic->mtu);
	numa_format(cells[7], nic->numa_node);
	if (refusal != NULL)
		snprintf(cells[8], CELL_BYTES, "refused: %s", refusal);
	else if (!nic->up)
		snprintf(cells[8], CELL_BYTES, "first: ip link set %s up", nic->name);
	else
		snprintf(cells[8], CELL_BYTES, "%s", REMARK_OK);
}

static int nics_print(const struct devices *devices)
{
	static const char *const heads[NIC_COLS] = {
		"INTERFACE", "DEVICE", "DRIVER", "MAC", "LINK", "SPEED", "MTU", "NUMA", "REMARK"};
	struct grid grid;

	if (devices->nb_nics == 0) {
		printf("no kernel interfaces\n");
		return 0;
	}
	if (grid_init(&grid, heads, NIC_COLS, (unsigned)devices->nb_nics) < 0)
		return -ENOMEM;
	for (int i = 0; i < devices->nb_nics; i++)
		nic_row(&devices->nics[i], grid.cells[i + 1]);
	grid_print(&grid);
	free(grid.cells);
	return 0;
}

static void pci_row(const struct kernel_pci *pci, char cells[COLS_MAX][CELL_BYTES])
{
	const struct pci_driver *driver = pci_driver_find(pci->driver);
	const char *refusal = pci_refusal(pci);

	snprintf(cells[0], CELL_BYTES, "pci:%s", pci->address);
	snprintf(cells[1], CELL_BYTES, "%04x:%04x", pci->vendor, pci->device);
	snprintf(cells[2], CELL_BYTES, "%s", text_or_dash(pci->driver));
	snprintf(cells[3], CELL_BYTES, "%s", text_or_dash(pci->ifname));
	numa_format(cells[4], pci->numa_node);
	if (refusal != NULL)
		snprintf(cells[5], CELL_BYTES, "refused: %s", refusal);
	else if (driver == NULL)
		snprintf(cells[5], CELL_BYTES, "not for DPDK yet: bind it to vfio-pci");
	else
		snprintf(cells[5], CELL_BYTES, "%s",
			driver->shared ? "shared with the kernel" : REMARK_OK);
}

static int pcis_print(const struct devices *devices)
{
	static const char *const heads[PCI_COLS] = {
		"DEVICE", "ID", "DRIVER", "INTERFACE", "NUMA", "REMARK"};
	struct grid grid;

	if (devices->nb_pcis == 0) {
		printf("no PCI network devices\n");
		return 0;
	}
	if (grid_init(&grid, heads, PCI_COLS, (unsigned)devices->nb_pcis) < 0)
		return -ENOMEM;
	for (int i = 0; i < devices->nb_pcis; i++)
		pci_row(&devices->pcis[i], grid.cells[i + 1]);
	grid_print(&grid);
	free(grid.cells);
	return 0;
}

static int table_print(const struct devices *devices)
{
	int ret = nics_print(devices);

	if (ret < 0)
		return ret;
	printf("\n");
	ret = pcis_print(devices);
	if (ret < 0)
		return ret;
	printf("\nalways: ring:NAME (loopback), null:, memif:, tap:, pcap:, vdev:ARGS; an "
	       "interface "
	       "also as af_packet:NAME or "
	       "af_xdp:NAME\n");
	return 0;
}

/* null where there is no text. */
static bool json_text(cJSON *object, const char *key, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return cJSON_AddNullToObject(object, key) != NULL;
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

/* null for what is not known. */
static bool json_number(cJSON *object, const char *key, bool known, double number)
{
	if (!known)
		return cJSON_AddNullToObject(object, key) != NULL;
	return cJSON_AddNumberToObject(object, key, number) != NULL;
}

static bool nic_json(cJSON *object, const struct kernel_if *nic)
{
	char device[IF_NAMESIZE + 8], mac[UNITS_TEXT_MAX] = "";

	snprintf(device, sizeof(device), "auto:%s", nic->name);
	if (nic->mac != 0)
		units_fmt_mac(mac, nic->mac);
	return json_text(object, "name", nic->name) && json_text(object, "device", device) &&
	       json_text(object, "driver", nic->driver) && json_text(object, "bus", nic->bus) &&
	       json_text(object, "mac", mac) &&
	       cJSON_AddBoolToObject(object, "up", nic->up) != NULL &&
	       cJSON_AddBoolToObject(object, "link", nic->up && nic->running) != NULL &&
	       json_number(object, "speed-bps", nic->speed_bps != 0, (double)nic->speed_bps) &&
	       json_number(object, "mtu", true, nic->mtu) &&
	       json_number(object, "numa-node", nic->numa_node >= 0, nic->numa_node) &&
	       json_text(object, "refused", nic_refusal(nic));
}

static bool pci_json(cJSON *object, const struct kernel_pci *pci)
{
	char device[sizeof(pci->address) + 8], id[16];
	const struct pci_driver *driver = pci_driver_find(pci->driver);

	snprintf(device, sizeof(device), "pci:%s", pci->address);
	snprintf(id, sizeof(id), "%04x:%04x", pci->vendor, pci->device);
	return json_text(object, "address", pci->address) && json_text(object, "device", device) &&
	       json_text(object, "id", id) && json_text(object, "driver", pci->driver) &&
	       json_text(object, "interface", pci->ifname) &&
	       json_number(object, "numa-node", pci->numa_node >= 0, pci->numa_node) &&
	       cJSON_AddBoolToObject(object, "dpdk", driver != NULL) != NULL &&
	       json_text(object, "refused", pci_refusal(pci));
}

/* A new object at the end of list; NULL without memory. */
static cJSON *json_append(cJSON *list)
{
	cJSON *object = cJSON_CreateObject();

	if (object != NULL && !cJSON_AddItemToArray(list, object)) {
		cJSON_Delete(object);
		object = NULL;
	}
	return object;
}

static int json_print(const struct devices *devices)
{
	cJSON *root = cJSON_CreateObject(), *nics, *pcis, *object;
	char *text = NULL;
	int ret = -ENOMEM;

	if (!json_text(root, "schema", SCHEMA))
		goto out;
	nics = cJSON_AddArrayToObject(root, "interfaces");
	pcis = cJSON_AddArrayToObject(root, "pci");
	if (nics == NULL || pcis == NULL)
		goto out;
	for (int i = 0; i < devices->nb_nics; i++) {
		object = json_append(nics);
		if (object == NULL || !nic_json(object, &devices->nics[i]))
			goto out;
	}
	for (int i = 0; i < devices->nb_pcis; i++) {
		object = json_append(pcis);
		if (object == NULL || !pci_json(object, &devices->pcis[i]))
			goto out;
	}
	text = cJSON_Print(root);
	if (text == NULL)
		goto out;
	printf("%s\n", text);
	ret = 0;
out:
	cJSON_free(text);
	cJSON_Delete(root);
	return ret;
}

static int devices_list(struct devices *devices, struct err *err)
{
	devices->nb_nics = kernel_if_list(&devices->nics);
	if (devices->nb_nics < 0)
		return err_device(err, devices->nb_nics, "cannot list the kernel's interfaces");
	devices->nb_pcis = kernel_pci_list(&devices->pcis);
	if (devices->nb_pcis < 0)
		return err_device(err, devices->nb_pcis, "cannot list the PCI devices");
	return 0;
}

int cli_devices(int argc, char **argv, struct err *err)
{
	struct devices devices = {0};
	struct opt_set set;
	int ret = 0;

	opt_set_init(&set, &cli_devices_menu);
	for (int i = 0; i < argc && ret == 0; i++)
		ret = opt_set_arg(&set, argv[i], err);
	if (ret == 0)
		ret = devices_list(&devices, err);
	if (ret < 0)
		goto out;
	if (opt_set_one(&set, &cli_devices_opts[DEVICES_OUTPUT]).lo == OUTPUT_JSON)
		ret = json_print(&devices);
	else
		ret = table_print(&devices);
	if (ret < 0)
		err_device(err, ret, "cannot list the devices");
	else if (fflush(stdout) != 0)
		ret = err_device(err, errno, "cannot write the list of devices");
out:
	free(devices.nics);
	free(devices.pcis);
	opt_set_fini(&set);
	return ret;
}
