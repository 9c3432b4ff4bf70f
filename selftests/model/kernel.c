// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that stand for interrupts and work items, see kernel.h. Two for work
 * items: one item may run beside another.
 */
#include <time.h>
#include <unistd.h>

struct pid_namespace init_pid_ns;
struct user_namespace init_user_ns;

/* For kmod/device/access.c: no process has a number in another namespace */
u32 rdmaev_pid_of_reader(u32 number, u64 time_ns, struct pid_namespace *ns)
{
	(void)number;
	(void)time_ns;
	(void)ns;
	return 0;
}

/* Seconds; only a wait that never succeeds takes longer */
static unsigned int patience = 60;

/* Queued items, oldest first; under lock, as all fields of work items */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct work_struct *first;
	bool started, stopped;
	pthread_t thread[2];
};

static struct queue items = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.cond = PTHREAD_COND_INITIALIZER,
};

static struct queue irqs = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.cond = PTHREAD_COND_INITIALIZER,
};

static u64 number(void)
{
	static __thread u64 state;

	if (!state)
		state = (uintptr_t)&state | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* One of this many copies to this thread's memory fails; 0: none */
static __thread unsigned int fault_every;

bool model_fault(void)
{
	return fault_every && !(number() % fault_every);
}

void model_dawdle(void)
{
	u64 n = number() % 256;

	if (n < 8)
		sched_yield();
	else if (n == 8)
		usleep(1);
}

/* In two parts, so that the other half may change in between. */
void *model_copy(void *to, const void *from, size_t size)
{
	size_t half = size / 2;

	(memcpy)(to, from, half);
	model_dawdle();
	(memcpy)((char *)to + half, (const char *)from + half, size - half);
	return to;
}

u64 ktime_get_boot_fast_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static struct work_struct *take(struct queue *q, u64 *next)
{
	u64 now = ktime_get_boot_fast_ns();
	struct work_struct **p, *w;

	*next = now + NSEC_PER_MSEC * 100;
	for (p = &q->first; (w = *p); p = &w->next) {
		if (w->running)
			continue;
		if (w->due_ns <= now) {
			*p = w->next;
			w->pending = false;
			w->running = true;
			return w;
		}
		*next = min(*next, w->due_ns);
	}
	return NULL;
}

static void *run(void *arg)
{
	struct queue *q = arg;
	struct work_struct *w;
	struct timespec until;
	u64 next;

	pthread_mutex_lock(&q->lock);
	while (!q->stopped) {
		w = take(q, &next);
		if (w) {
			pthread_mutex_unlock(&q->lock);
			w->fn(w);
			pthread_mutex_lock(&q->lock);
			w->running = false;
			pthread_cond_broadcast(&q->cond);
			continue;
		}
		next -= ktime_get_boot_fast_ns();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += (long)next > 0 ? next : 0;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&q->cond, &q->lock, &until);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void start(struct queue *q)
{
	if (q->started)
		return;
	q->started = true;
	pthread_create(&q->thread[0], NULL, run, q);
	pthread_create(&q->thread[1], NULL, run, q);
}

static void stop(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->stopped = true;
	pthread_cond_broadcast(&q->cond);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread[0], NULL);
	pthread_join(q->thread[1], NULL);
}

static void enqueue(struct queue *q, struct work_struct *w, unsigned long ms,
		    bool modify)
{
	struct work_struct **p = &q->first;

	pthread_mutex_lock(&q->lock);
	if (!w->canceled && (modify || !w->pending))
		w->due_ns = ms ? ktime_get_boot_fast_ns() + ms * NSEC_PER_MSEC : 0;
	if (!w->canceled && !w->pending) {
		w->pending = true;
		w->next = NULL;
		while (*p)
			p = &(*p)->next;
		*p = w;
	}
	pthread_cond_broadcast(&q->cond);
	pthread_mutex_unlock(&q->lock);
}

struct workqueue_struct *alloc_workqueue(const char *name, int flags, int max)
{
	static struct workqueue_struct wq;

	(void)name, (void)flags, (void)max;
	start(&items);
	return &wq;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	(void)wq;
	stop(&items);
}

void model_queue(struct work_struct *work, unsigned long ms)
{
	enqueue(&items, work, ms, ms != 0);
}

void cancel_work_sync(struct work_struct *w)
{
	struct work_struct **p;

	pthread_mutex_lock(&items.lock);
	w->canceled = true;
	for (p = &items.first; w->pending; p = &(*p)->next) {
		if (*p == w) {
			*p = w->next;
			break;
		}
	}
	w->pending = false;
	while (w->running)
		pthread_cond_wait(&items.cond, &items.lock);
	w->canceled = false;
	pthread_mutex_unlock(&items.lock);
}

void cancel_delayed_work_sync(struct delayed_work *work)
{
	cancel_work_sync(&work->work);
}

void init_irq_work(struct irq_work *work, void (*fn)(struct irq_work *work))
{
	/* work is its first member */
	work->work.fn = (void (*)(struct work_struct *))(void *)fn;
	start(&irqs);
}

void model_queue_irq(struct irq_work *work)
{
	enqueue(&irqs, &work->work, 0, false);
}

void irq_work_sync(struct irq_work *work)
{
	pthread_mutex_lock(&irqs.lock);
	while (work->work.pending || work->work.running)
		pthread_cond_wait(&irqs.cond, &irqs.lock);
	pthread_mutex_unlock(&irqs.lock);
}

void init_waitqueue_head(wait_queue_head_t *wq)
{
	pthread_mutex_init(&wq->mutex, NULL);
	pthread_cond_init(&wq->cond, NULL);
	wq->wakes = 0;
}

unsigned long model_prepare(wait_queue_head_t *wq)
{
	unsigned long wakes;

	pthread_mutex_lock(&wq->mutex);
	wakes = wq->wakes;
	pthread_mutex_unlock(&wq->mutex);
	return wakes;
}

void model_sleep(wait_queue_head_t *wq, unsigned long wakes)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += patience;
	pthread_mutex_lock(&wq->mutex);
	while (wq->wakes == wakes) {
		if (pthread_cond_timedwait(&wq->cond, &wq->mutex, &until)) {
			printf("not ok - a reader sleeps on with a record to read\n");
			fflush(stdout);
			_exit(1);
		}
	}
	pthread_mutex_unlock(&wq->mutex);
}

void model_wake(wait_queue_head_t *wq)
{
	pthread_mutex_lock(&wq->mutex);
	wq->wakes++;
	pthread_cond_broadcast(&wq->cond);
	pthread_mutex_unlock(&wq->mutex);
}
