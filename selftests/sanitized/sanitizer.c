// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How tests are run under AddressSanitizer, and that leaks are looked for. */
#include <sanitizer/lsan_interface.h>
#include <sys/prctl.h>

void __real__exit(int status) __attribute__((noreturn));

const char *__asan_default_options(void)
{
	return "detect_stack_use_after_return=1:strict_string_checks=1";
}

const char *__ubsan_default_options(void)
{
	return "print_stacktrace=1";
}

/*
 * Each test is a process that ends here. Of one that has dropped its rights nobody
 * may look at the memory.
 */
void __attribute__((noreturn))
__wrap__exit(int status)
{
	if (prctl(PR_GET_DUMPABLE) == 1)
		__lsan_do_leak_check();
	__real__exit(status);
}
