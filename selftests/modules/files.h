/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Files in debugfs for commands */
#ifndef RDMAEV_TEST_FILES_H
#define RDMAEV_TEST_FILES_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

/* Get the written string. EINVAL: it is too long. */
static inline int get_words(char *buf, size_t size, const char __user *ubuf,
			    size_t len)
{
	if (len >= size)
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = '\0';
	return 0;
}

/* Define name_fops, for a file whose writes call name_write(). */
#define DEFINE_WRITE_ATTRIBUTE(name)					\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = simple_open,					\
		.write = name##_write,					\
	}

#endif /* RDMAEV_TEST_FILES_H */
