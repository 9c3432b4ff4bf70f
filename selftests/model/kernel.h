/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The kernel functions used by the log and its readers, in user space, and
 * visible to sanitizers. Included before all else; the kernel's headers are
 * empty files. Hard interrupts and work items are threads.
 */
#ifndef RDMAEV_MODEL_KERNEL_H
#define RDMAEV_MODEL_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define CONFIG_64BIT
#define U16_MAX			((u16)~0U)
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define NSEC_PER_USEC		1000L
#define NSEC_PER_MSEC		1000000L
#define ERESTARTSYS		512
#define GOLDEN_RATIO_64		0x61C8864680B583EBULL

#define __user
#define __rcu
#define likely(x)		(x)
#define unlikely(x)		(x)
#define __uninitialized
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL >> (63 - (h))) & (~0UL << (l)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define array_size(n, size)	((size_t)(n) * (size))
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)

/* Places where threads may lose the CPU, so that others run in between */
void model_dawdle(void);
void *model_copy(void *to, const void *from, size_t size);

#define memcpy(to, from, size)	model_copy(to, from, size)

/* Memory. The sanitizer does not see fences: the spin model has them. */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)					\
	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define xchg(p, value)		__atomic_exchange_n(p, value, __ATOMIC_SEQ_CST)
#define smp_wmb()	do {						\
	__atomic_thread_fence(__ATOMIC_RELEASE);			\
	model_dawdle();							\
} while (0)
#define smp_rmb()	do {						\
	model_dawdle();							\
	__atomic_thread_fence(__ATOMIC_ACQUIRE);			\
} while (0)

#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#define data_race(expr) ({						\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);			\
	__typeof__(expr) __value = (expr);				\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);			\
	__value;							\
})
#else
#define data_race(expr)		(expr)
#endif

static inline u64 hash_64(u64 value, unsigned int bits)
{
	return value * GOLDEN_RATIO_64 >> (64 - bits);
}

static inline const void *memchr_inv(const void *mem, int c, size_t n)
{
	const unsigned char *p = mem;

	for (; n--; p++) {
		if (*p != c)
			return p;
	}
	return NULL;
}

#define ____cacheline_aligned_in_smp
#define cpu_relax()		model_dawdle()

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define __GFP_NOWARN		0
#define kzalloc(size, gfp)	calloc(1, size)
#define kmalloc_array(n, size, gfp)	calloc(n, size)
#define kfree(p)		free((void *)(p))
#define __vmalloc(size, gfp)	calloc(1, size)
#define vfree(p)		free(p)
#define ERR_PTR(err)		((void *)(long)(err))
#define IS_ERR(p)		((unsigned long)(p) >= -4095UL)

/* Locks */
typedef struct { pthread_mutex_t mutex; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
struct mutex { pthread_mutex_t mutex; };

#define DEFINE_SPINLOCK(name)	spinlock_t name = { PTHREAD_MUTEX_INITIALIZER }
#define spin_lock_init(lock)	pthread_mutex_init(&(lock)->mutex, NULL)
#define spin_lock(lock)		pthread_mutex_lock(&(lock)->mutex)
#define spin_unlock(lock)	pthread_mutex_unlock(&(lock)->mutex)
#define raw_spin_lock_init(lock)	spin_lock_init(lock)
#define raw_spin_lock_irqsave(lock, flags)	do {			\
	(flags) = 0;							\
	spin_lock(lock);						\
} while (0)
#define raw_spin_unlock_irqrestore(lock, flags)	do {			\
	(void)(flags);							\
	spin_unlock(lock);						\
} while (0)
#define mutex_init(lock)	spin_lock_init(lock)
#define mutex_lock_interruptible(lock)	pthread_mutex_lock(&(lock)->mutex)
#define mutex_unlock(lock)	spin_unlock(lock)
#define TASK_COMM_LEN		16
#define cond_resched()		model_dawdle()
#define cond_resched_lock(lock)	do {					\
	spin_unlock(lock);						\
	model_dawdle();							\
	spin_lock(lock);						\
} while (0)

/* Lists */
struct list_head { struct list_head *next, *prev; };

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define list_empty(list)	((list)->next == (list))
#define list_first_entry(list, type, member)				\
	container_of((list)->next, type, member)
#define list_for_each_entry(pos, list, member)				\
	for (pos = list_first_entry(list, __typeof__(*pos), member);	\
	     &pos->member != (list);					\
	     pos = list_first_entry(&pos->member, __typeof__(*pos), member))

static inline void list_add_tail(struct list_head *item, struct list_head *list)
{
	item->prev = list->prev;
	item->next = list;
	list->prev->next = item;
	list->prev = item;
}

static inline void list_add(struct list_head *item, struct list_head *list)
{
	list_add_tail(item, list->next);
}

static inline void list_del(struct list_head *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	item->next = NULL;
	item->prev = NULL;
}

static inline void list_del_init(struct list_head *item)
{
	list_del(item);
	item->next = item;
	item->prev = item;
}

static inline void list_move_tail(struct list_head *item, struct list_head *list)
{
	list_del(item);
	list_add_tail(item, list);
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from))
		list_move_tail(from->next, to);
}

/* Work */
struct work_struct {
	void (*fn)(struct work_struct *work);
	u64 due_ns;
	bool pending, running, canceled;
	struct work_struct *next;
};

struct delayed_work { struct work_struct work; };
struct workqueue_struct { int unused; };

#define WQ_UNBOUND		0
#define DECLARE_WORK(name, func)	struct work_struct name = { .fn = (func) }
#define INIT_DELAYED_WORK(w, func)	((w)->work.fn = (func))
#define INIT_WORK(w, func)	((w)->fn = (func))
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
#define queue_work(wq, w)	model_queue(w, 0)
#define mod_delayed_work(wq, w, ms)	model_queue(&(w)->work, ms)

struct workqueue_struct *alloc_workqueue(const char *name, int flags, int max);
void destroy_workqueue(struct workqueue_struct *wq);
void model_queue(struct work_struct *work, unsigned long ms);
void cancel_work_sync(struct work_struct *work);
void cancel_delayed_work_sync(struct delayed_work *work);

struct irq_work { struct work_struct work; };

/* Before it, the CPU may be lost. */
#define irq_work_queue(w)	do {					\
	model_dawdle();							\
	model_queue_irq(w);						\
} while (0)

void init_irq_work(struct irq_work *work, void (*fn)(struct irq_work *work));
void model_queue_irq(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

/* Waiting */
typedef struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned long wakes;
} wait_queue_head_t;

#define DECLARE_WAIT_QUEUE_HEAD(name)	wait_queue_head_t name =		\
	{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void init_waitqueue_head(wait_queue_head_t *wq);
unsigned long model_prepare(wait_queue_head_t *wq);
void model_sleep(wait_queue_head_t *wq, unsigned long wakes);
void model_wake(wait_queue_head_t *wq);

#define wait_event_interruptible(wq, condition) ({			\
	for (;;) {							\
		unsigned long __wakes = model_prepare(&(wq));		\
									\
		if (condition)						\
			break;						\
		model_sleep(&(wq), __wakes);				\
	}								\
	0;								\
})
#define wake_up_interruptible_poll(wq, events)	model_wake(wq)
#define poll_to_key(events)		NULL
#define __wake_up(wq, mode, n, key)	model_wake(wq)

/* Time, in milliseconds where the kernel has ticks */
u64 ktime_get_boot_fast_ns(void);
#define ktime_sub(a, b)		((a) - (b))
#define ktime_to_ns(t)		(t)
#define NOTIFY_OK		1

struct timekeeper { s64 offs_real, offs_boot; };

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long was_set,
			     void *data);
};

/* No clock is set here. */
static inline void pvclock_gtod_register_notifier(struct notifier_block *nb)
{
	struct timekeeper tk = {};

	nb->notifier_call(nb, 0, &tk);
}

#define pvclock_gtod_unregister_notifier(nb)	((void)(nb))
#define nsecs_to_jiffies(ns)	((ns) / NSEC_PER_MSEC)

/* Programs and their memory: all in the initial namespaces, without signals */
bool model_fault(void);
#define copy_to_user(to, from, size)					\
	(model_fault() ? 1 : (model_copy(to, from, size), 0))

struct pid;
struct pid_namespace { int unused; };
struct user_namespace { int unused; };
typedef struct { u32 val; } kuid_t;

extern struct pid_namespace init_pid_ns;
extern struct user_namespace init_user_ns;

#define KUIDT_INIT(n)		((kuid_t){ n })
#define current			NULL
#define current_user_ns()	(&init_user_ns)
#define task_active_pid_ns(task)	(&init_pid_ns)
#define get_pid_ns(ns)		(ns)
#define get_user_ns(ns)		(ns)
#define put_pid_ns(ns)		((void)(ns))
#define put_user_ns(ns)		((void)(ns))
#define signal_pending(task)	false
#define fatal_signal_pending(task)	false
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)

static inline struct pid *find_pid_ns(u32 nr, struct pid_namespace *ns)
{
	(void)nr, (void)ns;
	return NULL;
}

#define pid_nr(pid)		((void)(pid), 0)
#define from_kuid_munged(ns, uid)	((void)(ns), (uid).val)

/* The rest of kmod/device/device.h */
#define IB_DEVICE_NAME_MAX	64
typedef struct { int counter; } atomic_t;
#define ATOMIC_INIT(n)		{ n }
#define atomic_read(v)		__atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
#define atomic_inc(v)		__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_dec(v)		__atomic_fetch_sub(&(v)->counter, 1, __ATOMIC_SEQ_CST)
struct rcu_head { void *next; };
struct ib_event_handler { int unused; };
struct ib_event;

#endif /* RDMAEV_MODEL_KERNEL_H */
