/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program in the manner of a ROS 2 node: two threads run callbacks. A timer's
 * callback publishes a message, and the subscription's callback takes it.
 *
 *	ros2 N		N messages
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void ros_trace_rcl_init(const void *context);
void ros_trace_rclcpp_callback_register(const void *callback,
					const char *symbol);
void ros_trace_rclcpp_publish(const void *message);
void ros_trace_callback_start(const void *callback, bool is_intra_process);
void ros_trace_callback_end(const void *callback);

struct callback {
	const char *symbol;
	bool is_intra_process;
	void (*run)(int message);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int published, total;
static long sum;

static void publish_message(int message)
{
	ros_trace_rclcpp_publish(&message);
	pthread_mutex_lock(&lock);
	published = message;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&lock);
}

static void take_message(int message)
{
	sum += message;
}

static struct callback timer = { "timer()", false, publish_message };
static struct callback subscription = { "subscription(int)", true,
					take_message };

static void run_callback(const struct callback *callback, int message)
{
	ros_trace_callback_start(callback, callback->is_intra_process);
	callback->run(message);
	ros_trace_callback_end(callback);
}

static void *spin_subscription(void *unused)
{
	int taken;

	(void)unused;
	for (taken = 0; taken < total; taken++) {
		pthread_mutex_lock(&lock);
		while (published <= taken)
			pthread_cond_wait(&arrived, &lock);
		pthread_mutex_unlock(&lock);
		run_callback(&subscription, taken + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	total = argc > 1 ? atoi(argv[1]) : 100;
	ros_trace_rcl_init(&lock);
	ros_trace_rclcpp_callback_register(&timer, timer.symbol);
	ros_trace_rclcpp_callback_register(&subscription, subscription.symbol);
	pthread_create(&thread, NULL, spin_subscription, NULL);
	for (i = 1; i <= total; i++)
		run_callback(&timer, i);
	pthread_join(thread, NULL);
	printf("%ld\n", sum);
	return 0;
}
