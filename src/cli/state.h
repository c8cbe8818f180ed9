/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Where tgen keeps what it learned: FILE in $XDG_STATE_HOME/tgen, else ~/.local/state/tgen, else,
 * as root, /var/lib/tgen. NULL: no place, or no memory. Caller frees.
 */
char *cli_state_path(const char *file);
/* Makes the directories above path, for the user alone. 0 or -errno. */
int cli_state_parents(const char *path);
/* Removes what interrupted writes of path left beside it: PATH.tmp.…, older than a minute. */
void cli_state_sweep(const char *path);
