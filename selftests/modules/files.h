/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Files of debugfs that commands are written to.
 */
#ifndef RDMAEV_TEST_FILES_H
#define RDMAEV_TEST_FILES_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

/* What was written, as a string. EINVAL: it is too long. */
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

/* name_fops, of a file that name_write() is called for. */
#define DEFINE_WRITE_ATTRIBUTE(name)					\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = simple_open,					\
		.write = name##_write,					\
	}

#endif /* RDMAEV_TEST_FILES_H */
