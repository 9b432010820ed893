/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stress test of the rings: threads write, timers interrupt them with
 * handlers that write too, all of them wander between the CPUs, while another
 * process reads. Options add what else may happen to a program.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "testsuite/stress/bed.h"
#include "testsuite/stress/stress.h"

#define THREADS_MAX	64
#define FORKED_EVENTS	300
#define NS_PER_US	1000

struct stress *stress;
struct options options = {
	.seconds = 1, .threads = 5, .rseq = 1, .ring_bytes = 256u << 10,
};

static int stop;
static pid_t threads[THREADS_MAX];
static uint32_t child_directory;	/* of the process just forked */

/* Of a writer. Initial-exec: a handler must not allocate them. */
#define OWN static __thread __attribute__((tls_model("initial-exec")))
OWN volatile uint32_t stream;		/* 0: not a writer */
OWN uint64_t handler_random = 12345;
OWN volatile uint32_t forked;		/* a handler's child: its stream */
OWN volatile int may_jump;
OWN sigjmp_buf jump_back;

static uint64_t turn(uint64_t *random)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return *random >> 24;
}

/* Two streams for a writer of a process: its own, and its handlers'. */
static uint32_t streams_take(uint32_t directory)
{
	uint32_t first = __atomic_fetch_add(&stress->streams, 2,
					    __ATOMIC_SEQ_CST);

	if (first + 2 > STREAMS)
		return 0;
	stress->directory[first] = (uint16_t)directory;
	stress->directory[first + 1] = (uint16_t)directory;
	return first;
}

static uint32_t directory_take(void)
{
	uint32_t n = __atomic_fetch_add(&stress->directories, 1,
					__ATOMIC_SEQ_CST);

	if (n < DIRECTORIES)
		return n;
	__atomic_fetch_sub(&stress->directories, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* channel_revive of the children. */
static int revive(void)
{
	sigset_t all;
	sigset_t before;
	uint32_t i;
	int ret;

	/* a handler would come here again */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	/* a handler may have been here just now */
	ret = load_relaxed(fork_mark) ? 0 : bed_enter(child_directory);
	for (i = 0; i < 2 && !ret && !load_relaxed(fork_mark); i++) {
		struct channel *c = &channels[i];

		if (c->page)
			ret = bed_channel(c, c->index, c->flags, c->contexts,
					  options.ring_bytes);
	}
	if (!ret)
		store_release(fork_mark, (uint32_t)getpid(), FORK_MARK);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !ret;
}

/* In a handler: what it interrupted goes on in both processes. */
static void handler_fork(void)
{
	uint32_t directory;
	uint32_t first;
	pid_t pid;

	if (stress->streams > STREAMS - 64)
		return;
	directory = directory_take();
	first = directory ? streams_take(directory) : 0;
	if (!first) {
		stress->state[directory] = COUNTED;
		return;
	}
	/* the event that was interrupted may be the child's, too */
	stress->foreign[directory] = 1;
	stress->state[directory] = LIVE;
	channels_forking();
	pid = _Fork();
	if (pid) {
		if (pid < 0)
			stress->state[directory] = ENDED;
		__atomic_fetch_add(&stress->forks, 1, __ATOMIC_RELAXED);
		return;
	}
	channels_forked();
	child_directory = event_directory = directory;
	stream = forked = first;
}

static void on_timer(int signal)
{
	int error = errno;
	uint64_t random;

	(void)signal;
	if (!stream)
		return;
	random = turn(&handler_random);
	event_emit(stream + 1, random);
	if (!(random >> 20 & 3))
		event_emit(stream + 1, random >> 3);
	__atomic_fetch_add(&stress->handled, 1, __ATOMIC_RELAXED);
	if (options.fork && !forked && !event_settling &&
	    !(random >> 22 & 255)) {
		handler_fork();
		if (forked && random >> 30 & 1)
			event_emit(stream + 1, random >> 7);
	}
	errno = error;
	if (may_jump && !(random >> 24 & 31)) {
		__atomic_fetch_add(&stress->jumps, 1, __ATOMIC_RELAXED);
		/* the next signal comes where siglongjmp lets it: handlers
		 * that jump from there would fill the stack */
		may_jump = 0;
		siglongjmp(jump_back, 1);
	}
}

static timer_t timer_start(long us)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };
	struct itimerspec every = {
		{ us / 1000000, us % 1000000 * NS_PER_US },
		{ us / 1000000, us % 1000000 * NS_PER_US },
	};
	timer_t timer;

	event.sigev_signo = SIGALRM;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		abort();
	return timer;
}

/* What a child of a handler does after it has come back from there. */
static void forked_child(void)
{
	uint64_t random = forked;
	int i;

	stream = forked;
	timer_start(80);
	for (i = 0; i < FORKED_EVENTS; i++)
		event_emit(stream, turn(&random));
	stream = 0;
	stress->state[child_directory] = ENDED;
	_exit(0);
}

/* Writes until it is told to stop. */
static void write_on(uint32_t first, long us)
{
	/* static: a siglongjmp leaves it as it is */
	static __thread uint64_t random;
	timer_t timer;

	random = first * 77 + 1;
	handler_random = first * 177 + 1;
	timer = timer_start(options.quiet ? us * 300 : us);
	stream = first;
	if (sigsetjmp(jump_back, 1) && forked)
		forked_child();
	event_settling = 0;
	may_jump = options.jump;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		uint64_t chance = turn(&random);

		event_emit(stream, chance);
		if (forked)
			forked_child();
		if (options.throttle &&
		    chance % (uint64_t)options.throttle == 0)
			usleep(100);
		if (options.quiet)
			usleep((useconds_t)(chance >> 8) % 150000);
	}
	may_jump = 0;
	stream = 0;
	/* a handler may have forked when the end had come already */
	if (forked)
		forked_child();
	timer_delete(timer);
}

static void *writer(void *arg)
{
	long i = (long)arg;

	__atomic_store_n(&threads[i], (pid_t)syscall(SYS_gettid),
			 __ATOMIC_RELEASE);
	write_on(streams_take(0), 60 + 10 * i % 50);
	return NULL;
}

/* Moves writers between the CPUs. */
static void *flipper(void *arg)
{
	struct timespec pause = { 0, 30 * NS_PER_US };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t random = 9;
	cpu_set_t set;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		uint64_t chance = turn(&random);
		pid_t tid = __atomic_load_n(
			&threads[chance % (uint64_t)options.threads],
			__ATOMIC_ACQUIRE);

		CPU_ZERO(&set);
		CPU_SET((chance >> 8) % (uint64_t)cpus, &set);
		if (tid && !sched_setaffinity(tid, sizeof(set), &set))
			stress->flips++;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void slot_off(uint32_t kind)
{
	__atomic_store_n(&event_steady[kind], event_steady[kind] | 1,
			 __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	bed_slot_off(&event_slots[kind]);
}

static void slot_on(uint32_t kind, struct channel *channel)
{
	bed_slot_on(&event_slots[kind], channel, event_id(kind));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&event_steady[kind], event_steady[kind] + 1,
			 __ATOMIC_RELEASE);
}

static void slots_on(struct channel *channel)
{
	uint32_t kind;

	for (kind = 0; kind < KINDS; kind++)
		slot_on(kind, channel);
}

/* The second channel is as unlike the first as the options allow. */
static int second_open(void)
{
	uint32_t index = stress->indexes;
	uint32_t flags = options.overwrite ? SESSION_OVERWRITE : 0;

	if (index >= INDEXES)
		return -ENOSPC;
	if (options.large != (int)(index & 1))
		flags |= BED_WIDE;
	stress->contexts[index] = (uint32_t)options.contexts;
	stress->index_state[index] = LIVE;
	stress->indexes++;
	return bed_channel(&channels[1], index, flags,
			   (uint32_t)options.contexts, options.ring_bytes);
}

/* Ends the second channel under its writers, and makes it anew. */
static int second_restart(void)
{
	uint32_t index = channels[1].index;
	uint32_t kind;

	if (stress->indexes >= INDEXES)
		return 0;
	for (kind = 0; kind < KINDS; kind++)
		if (!(event_steady[kind] & 1))
			slot_off(kind);
	channel_stop(&channels[1]);
	if (channel_grace(&channels[1]))
		return options.jump ? 0 : -ETIMEDOUT;
	stress->index_state[index] = ENDED;
	while (stress->index_state[index] != COUNTED)
		usleep(200);
	if (bed_channel_end(&channels[1]))
		return -ETIMEDOUT;
	stress->restarts++;
	return second_open();
}

static int change_one(uint64_t *random)
{
	uint64_t chance = turn(random);
	uint32_t kind = (uint32_t)chance % KINDS;

	if (options.restart && !(chance >> 8 & 127))
		return second_restart();
	if (!(event_steady[kind] & 1))
		slot_off(kind);
	else
		slot_on(kind, &channels[chance >> 16 & 1]);
	stress->switches++;
	usleep((useconds_t)(chance >> 20) % 100);
	return 0;
}

/* A child with its own writer, killed at some moment. */
static void kill_one(uint64_t *random)
{
	uint32_t directory = directory_take();
	uint32_t first = directory ? streams_take(directory) : 0;
	pid_t pid;

	if (!first)
		return;
	stress->state[directory] = LIVE;
	child_directory = directory;
	pid = fork();
	if (!pid) {
		cpu_set_t set;

		event_directory = directory;
		memset(&set, 0xff, sizeof(set));
		sched_setaffinity(0, sizeof(set), &set);
		write_on(first, 40);
		_exit(0);
	}
	usleep(500 + (useconds_t)(turn(random) % 6000));
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	stress->state[directory] = ENDED;
	stress->kills++;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What happens to the writers besides signals and migration. */
static int control(void)
{
	uint64_t end = now_ms() + (uint64_t)(options.seconds * 1000);
	uint64_t random = 5;
	int ret = 0;

	while (!ret && now_ms() < end) {
		if (options.kill && stress->streams < STREAMS - 64)
			kill_one(&random);
		else if (options.change)
			ret = change_one(&random);
		else
			usleep(10000);
	}
	return ret;
}

/* Children of handlers end by themselves. */
static void forked_wait(void)
{
	uint32_t i;

	for (i = 1; i < stress->directories; i++)
		while (stress->state[i] == LIVE)
			usleep(1000);
}

static int run(void)
{
	pthread_t ids[THREADS_MAX + 1];
	int ret;
	long i;

	for (i = 0; i < options.threads; i++)
		pthread_create(&ids[i], NULL, writer, (void *)i);
	pthread_create(&ids[i], NULL, flipper, NULL);
	ret = control();
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i <= options.threads; i++)
		pthread_join(ids[i], NULL);
	if (options.fork)
		forked_wait();
	return ret;
}

static int start(void)
{
	uint32_t flags = (options.overwrite ? SESSION_OVERWRITE : 0) |
			 (options.large ? BED_WIDE : 0);
	int ret = bed_channel(&channels[0], 0, flags,
			      options.change ? 0 : (uint32_t)options.contexts,
			      options.ring_bytes);

	if (ret)
		return ret;
	stress->contexts[0] = channels[0].contexts;
	stress->index_state[0] = LIVE;
	stress->indexes = 1;
	if (options.change)
		ret = second_open();
	if (options.crowd)
		channels[0].locked_max = channels[1].locked_max = 1;
	channel_revive = revive;
	slots_on(&channels[0]);
	return ret;
}

static void report(const char *name, int good)
{
	printf("# decoded %llu lost %llu overwritten %llu packets %llu\n",
	       (unsigned long long)stress->decoded,
	       (unsigned long long)stress->lost,
	       (unsigned long long)stress->overwritten,
	       (unsigned long long)stress->packets);
	printf("# full timestamps %llu lapped %llu handlers %llu flips %llu\n",
	       (unsigned long long)stress->extended,
	       (unsigned long long)stress->lapped,
	       (unsigned long long)stress->handled,
	       (unsigned long long)stress->flips);
	printf("# kills %llu forks %llu jumps %llu switches %llu "
	       "restarts %llu\n", (unsigned long long)stress->kills,
	       (unsigned long long)stress->forks,
	       (unsigned long long)stress->jumps,
	       (unsigned long long)stress->switches,
	       (unsigned long long)stress->restarts);
	printf("%s: %s\n", good && stress->decoded ? "PASS" : "FAIL", name);
}

static void options_read(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:t:nc:olxez:qkfjwdb:1")) != -1) {
		switch (option) {
		case 's': options.seconds = atof(optarg); break;
		case 't': options.threads = atoi(optarg); break;
		case 'n': options.rseq = 0; break;
		case 'c': options.clock = optarg; break;
		case 'o': options.overwrite = 1; break;
		case 'l': options.large = 1; break;
		case 'x': options.contexts = 31 & ~CONTEXT_PROCNAME; break;
		case 'e': options.extended = 1; break;
		case 'z': options.throttle = atoi(optarg); break;
		case 'q': options.quiet = 1; break;
		case 'k': options.kill = 1; break;
		case 'f': options.fork = 1; break;
		case 'j': options.jump = 1; break;
		case 'w': options.change = 1; break;
		case 'd': options.change = options.restart = 1; break;
		case 'b': options.ring_bytes = strtoull(optarg, NULL, 0); break;
		case '1': options.crowd = 1; break;
		default: exit(2);
		}
	}
	if (options.threads < 1 || options.threads > THREADS_MAX)
		exit(2);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_timer,
				    .sa_flags = SA_RESTART };
	const char *name;
	int status = 0;
	pid_t reader;
	int ret;

	options_read(argc, argv);
	name = optind < argc ? argv[optind] : "rings";
	stress = mmap(NULL, sizeof(*stress), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stress->streams = 2;
	stress->directories = 1;
	stress->state[0] = LIVE;
	event_setup();
	ret = bed_open(options.clock, options.rseq);
	if (!ret && options.rseq && !options.clock && !bed.cpus) {
		printf("UNSUPPORTED: %s: no rseq, or no usable TSC\n", name);
		bed_close();
		return 0;
	}
	fflush(stdout);
	reader = fork();
	if (!reader) {
		consume();
		fflush(stdout);
		_exit(0);
	}
	sigaction(SIGALRM, &action, NULL);
	if (options.fork)
		signal(SIGCHLD, SIG_DFL);
	if (!ret)
		ret = start();
	if (!ret)
		ret = run();
	stress->over = 1;
	if (reader > 0)
		waitpid(reader, &status, 0);
	if (ret)
		printf("# %s\n", strerror(-ret));
	report(name, !ret && !status && !stress->errors);
	bed_close();
	return 0;
}
