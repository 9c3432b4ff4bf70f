/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Structures of ioctls, which carry their size */
#ifndef RDMAEV_CDEV_STRUCT_H
#define RDMAEV_CDEV_STRUCT_H

#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <uapi/rdma/rdmaev.h>

/* It has grown since version 1 of the ABI, or not. */
#define RDMAEV_ASSERT_GROWN(name, type)						\
	static_assert(sizeof(struct rdmaev_##type) >= RDMAEV_##name##_SIZE_VER0)

/*
 * Copy one of @usize bytes from the program into one of @ksize bytes; the bytes beyond
 * @ksize must be zero. It has at least the @min bytes of version 1 of the ABI; later fields
 * that it lacks are zero here.
 */
static inline int rdmaev_get_struct(void *dst, size_t ksize, size_t min,
				    const void __user *src, u32 *usize)
{
	if (get_user(*usize, (const u32 __user *)src))
		return -EFAULT;
	if (*usize < min)
		return -EINVAL;
	if (*usize > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(dst, ksize, src, *usize);
}

/* The opposite, as far as it goes */
static inline int rdmaev_put_struct(void __user *dst, const void *src, size_t ksize, u32 usize)
{
	if (copy_to_user(dst, src, min_t(size_t, ksize, usize)))
		return -EFAULT;
	return 0;
}

#endif /* RDMAEV_CDEV_STRUCT_H */
