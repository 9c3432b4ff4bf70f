// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of functions by their address. The kernel searches long for one, up to all symbols
 * of a module, so an address is looked up once, and forgotten when its module goes, or
 * another one comes to its place: who asks does not keep the module.
 */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "symbol.h"

#define SYMBOLS_MAX	256	/* others are looked up each time */
#define SYMBOLS_BITS	6

/**
 * struct symbol_entry - a known function
 * @node: in a list of symbols_known, while it is in use
 * @address: its address; NULL: unused
 * @symbol: what it is
 *
 * Read under RCU. It does not change while it is in a list of symbols_known, and
 * gets another address a grace period after it has left that.
 */
struct symbol_entry {
	struct hlist_node node;
	const void *address;
	struct rdmaev_symbol symbol;
};

/* symbols_lock protects these. Raw: an address may be asked for in any context but NMI. */
static struct symbol_entry symbols[SYMBOLS_MAX];
static struct hlist_head symbols_known[1 << SYMBOLS_BITS];
static bool symbols_are_full;	/* read without the lock, too */
static DEFINE_RAW_SPINLOCK(symbols_lock);

/* ib_core, its parts, and this observer, which replaces some of their functions */
static const char * const symbol_core[] = {
	"ib_core", "rdma_cm", "ib_cm", "iw_cm", "rdmaev_observe",
};

static const char * const symbol_user[] = { "ib_uverbs", "rdma_ucm" };

static unsigned int symbol_find_roles(const struct rdmaev_symbol *symbol)
{
	const char *module = rdmaev_symbol_module(symbol);
	unsigned int roles = 0;

	/*
	 * ib_core has such a function, and so does each driver that drains in its own
	 * way (erdma, hns, mlx4, mlx5). All are static.
	 */
	if (strstr(symbol->text, "_drain_qp_done"))
		roles |= RDMAEV_SYMBOL_DRAIN;
	if (!*module)
		return roles;
	roles |= RDMAEV_SYMBOL_MODULE;
	if (match_string(symbol_core, ARRAY_SIZE(symbol_core), module) >= 0)
		roles |= RDMAEV_SYMBOL_CORE;
	if (match_string(symbol_user, ARRAY_SIZE(symbol_user), module) >= 0)
		roles |= RDMAEV_SYMBOL_USER;
	return roles;
}

/* The text is "function", or "function [module]"; some kernels show a build ID at its end. */
static void symbol_look_up(struct rdmaev_symbol *symbol, const void *address)
{
	char *text = symbol->text;
	char *module, *end;

	snprintf(text, sizeof(symbol->text), "%ps", address);
	module = strstr(text, " [");
	end = strrchr(text, ']');
	if (module && end) {
		*module = '\0';
		module += 2;
		*end = '\0';
		module[strcspn(module, " ")] = '\0';
	} else {
		module = text + strlen(text);
	}
	symbol->module_at = module - text;
	/* Parts that the compiler has split off have names like fn.cold. */
	text[strcspn(text, ".")] = '\0';
	symbol->roles = symbol_find_roles(symbol);
}

static struct hlist_head *symbol_list(const void *address)
{
	return &symbols_known[hash_ptr(address, SYMBOLS_BITS)];
}

/* Called under RCU, or with symbols_lock held. */
static const struct rdmaev_symbol *symbol_find(const void *address)
{
	const struct symbol_entry *entry;

	hlist_for_each_entry_rcu(entry, symbol_list(address), node,
				 lockdep_is_held(&symbols_lock)) {
		if (entry->address == address)
			return &entry->symbol;
	}
	return NULL;
}

static void symbol_keep(const struct rdmaev_symbol *symbol, const void *address)
{
	struct symbol_entry *entry = symbols;
	unsigned long flags;

	if (READ_ONCE(symbols_are_full))
		return;
	raw_spin_lock_irqsave(&symbols_lock, flags);
	/* Another CPU may have looked it up at the same time. */
	if (symbol_find(address))
		goto out;
	while (entry < symbols + SYMBOLS_MAX && entry->address)
		entry++;
	if (entry < symbols + SYMBOLS_MAX) {
		entry->address = address;
		entry->symbol = *symbol;
		hlist_add_head_rcu(&entry->node, symbol_list(address));
	} else {
		WRITE_ONCE(symbols_are_full, true);
	}
out:
	raw_spin_unlock_irqrestore(&symbols_lock, flags);
}

static noinline unsigned int symbol_roles_slow(const void *address)
{
	struct rdmaev_symbol symbol;

	symbol_look_up(&symbol, address);
	symbol_keep(&symbol, address);
	return symbol.roles;
}

/**
 * rdmaev_symbol_roles - return what a function is
 * @address: its address, NULL: none
 *
 * Context: any but NMI. Slow for one that is new.
 *
 * Return: RDMAEV_SYMBOL_*
 */
unsigned int rdmaev_symbol_roles(const void *address)
{
	const struct rdmaev_symbol *known;
	unsigned int roles = 0;

	if (!address)
		return 0;
	rcu_read_lock();
	known = symbol_find(address);
	if (known)
		roles = known->roles;
	rcu_read_unlock();
	return known ? roles : symbol_roles_slow(address);
}

/**
 * rdmaev_symbol_get - get the function at an address
 * @symbol: set to it
 * @address: an address in it
 *
 * Code of no module is looked up each time: it may be a trampoline, of which nobody says
 * when it goes, and there is much of it.
 *
 * Context: as rdmaev_symbol_roles().
 */
void rdmaev_symbol_get(struct rdmaev_symbol *symbol, const void *address)
{
	const struct rdmaev_symbol *known;

	rcu_read_lock();
	known = symbol_find(address);
	if (known)
		*symbol = *known;
	rcu_read_unlock();
	if (known)
		return;
	symbol_look_up(symbol, address);
	if (symbol->roles & RDMAEV_SYMBOL_MODULE)
		symbol_keep(symbol, address);
}
EXPORT_SYMBOL_GPL(rdmaev_symbol_get);

/*
 * A module comes, so nothing that was known of its place is true; it has begun, and its code
 * for that goes; or all of it does.
 */
static bool symbol_goes(const struct symbol_entry *entry, const struct module *mod,
			unsigned long state)
{
	unsigned long address = (unsigned long)entry->address;

	if (state == MODULE_STATE_LIVE)
		return within_module_init(address, mod);
	return within_module(address, mod);
}

static int symbol_module_notify(struct notifier_block *block, unsigned long state,
				void *data)
{
	DECLARE_BITMAP(gone, SYMBOLS_MAX) = {};
	unsigned int i;

	raw_spin_lock_irq(&symbols_lock);
	for (i = 0; i < SYMBOLS_MAX; i++) {
		if (symbols[i].address && symbol_goes(&symbols[i], data, state)) {
			hlist_del_rcu(&symbols[i].node);
			__set_bit(i, gone);
		}
	}
	raw_spin_unlock_irq(&symbols_lock);
	if (bitmap_empty(gone, SYMBOLS_MAX))
		return NOTIFY_OK;
	/* Until then an entry has its address, so nobody takes it. */
	synchronize_rcu();
	raw_spin_lock_irq(&symbols_lock);
	for_each_set_bit(i, gone, SYMBOLS_MAX)
		symbols[i].address = NULL;
	WRITE_ONCE(symbols_are_full, false);
	raw_spin_unlock_irq(&symbols_lock);
	return NOTIFY_OK;
}

static struct notifier_block symbol_notifier = {
	.notifier_call = symbol_module_notify,
	/* After those of the observer, which may ask until then */
	.priority = INT_MIN,
};

/** rdmaev_symbols_init - be ready to forget symbols of modules; 0 or -errno */
int rdmaev_symbols_init(void)
{
	return register_module_notifier(&symbol_notifier);
}

/** rdmaev_symbols_exit - the opposite of rdmaev_symbols_init() that succeeded */
void rdmaev_symbols_exit(void)
{
	unregister_module_notifier(&symbol_notifier);
}
