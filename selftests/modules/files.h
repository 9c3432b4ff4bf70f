/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Files in debugfs for commands */
#ifndef RDMAEV_TEST_FILES_H
#define RDMAEV_TEST_FILES_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

/* A command: @text was written to the file with @data. 0 or -errno */
typedef int (*command_fn)(void *data, const char *text);

/* Run the written command. EINVAL: it is too long. */
static inline ssize_t run_command(command_fn command, void *data, const char __user *ubuf,
				  size_t len)
{
	char text[512];
	int ret;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, ubuf, len))
		return -EFAULT;
	text[len] = '\0';
	ret = command(data, text);
	return ret ?: len;
}

/* Define name_fops, for a file whose writes run name_write(). */
#define DEFINE_WRITE_ATTRIBUTE(name)					\
	static ssize_t name##_run(struct file *file, const char __user *ubuf, \
				  size_t len, loff_t *pos)		\
	{								\
		return run_command(name##_write, file->private_data, ubuf, len); \
	}								\
									\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = simple_open,					\
		.write = name##_run,					\
	}

/* The same, for a file that shows a result when it is read, by name_show() */
#define DEFINE_COMMAND_ATTRIBUTE(name)					\
	static ssize_t name##_run(struct file *file, const char __user *ubuf, \
				  size_t len, loff_t *pos)		\
	{								\
		return run_command(name##_write, NULL, ubuf, len);	\
	}								\
									\
	static int name##_open(struct inode *inode, struct file *file)	\
	{								\
		return single_open(file, name##_show, NULL);		\
	}								\
									\
	static const struct file_operations name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = name##_open,					\
		.read = seq_read,					\
		.write = name##_run,					\
		.release = single_release,				\
	}

#endif /* RDMAEV_TEST_FILES_H */
