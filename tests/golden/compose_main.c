/* SPDX-License-Identifier: BSD-3-Clause */
/* Random templates as lines for words: usage: compose SEED COUNT FRAMES */
#include "compose.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct compose compose;

	if (argc != 4) {
		fprintf(stderr, "usage: compose SEED COUNT FRAMES\n");
		return EXIT_FAILURE;
	}
	for (unsigned long i = 0; i < strtoul(argv[2], NULL, 10); i++) {
		compose_make(&compose, strtoull(argv[1], NULL, 10) * 1000000 + i, false);
		for (unsigned k = 0; k < compose.nb_sizes; k++)
			printf("%s%u", k == 0 ? "" : ",", compose.sizes[k]);
		printf("\t%s", argv[3]);
		for (unsigned w = 0; w < compose.nb_words; w++)
			printf("\t%s", compose.words[w]);
		printf("\n");
	}
	return EXIT_SUCCESS;
}
