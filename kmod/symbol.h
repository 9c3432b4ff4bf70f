/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_SYMBOL_H
#define RDMAEV_SYMBOL_H

#include <linux/bits.h>
#include <linux/types.h>

/* It belongs to a module; no function of the kernel itself has one of these. */
#define RDMAEV_SYMBOL_MODULE	BIT(0)
/* ... to ib_core or one of its parts: whoever called it asked */
#define RDMAEV_SYMBOL_CORE	BIT(1)
/* ... to what passes on requests of programs */
#define RDMAEV_SYMBOL_USER	BIT(2)
/* done() of the request by which a QP is drained */
#define RDMAEV_SYMBOL_DRAIN	BIT(3)

/**
 * struct rdmaev_symbol - the function at an address
 * @roles: RDMAEV_SYMBOL_*
 * @module_at: where in @text the name of its module begins, which is empty for the
 *	kernel itself
 * @text: its name as in the source, NUL, the rest
 */
struct rdmaev_symbol {
	unsigned int roles;
	unsigned int module_at;
	char text[96];
};

static inline const char *rdmaev_symbol_module(const struct rdmaev_symbol *symbol)
{
	return symbol->text + symbol->module_at;
}

unsigned int rdmaev_symbol_roles(const void *address);
void rdmaev_symbol_get(struct rdmaev_symbol *symbol, const void *address);
int rdmaev_symbols_init(void);
void rdmaev_symbols_exit(void);

#endif /* RDMAEV_SYMBOL_H */
