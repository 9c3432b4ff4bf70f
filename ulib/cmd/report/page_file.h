/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The file of a report */
#ifndef ULIB_PAGE_FILE_H
#define ULIB_PAGE_FILE_H

#include <stddef.h>

/*
 * Write a page to this file, or to standard output if @path is NULL or "-"; 0, or -1
 * after a message. A file is replaced at once by the whole page.
 */
int write_page_file(const char *path, const char *html, size_t len);

#endif /* ULIB_PAGE_FILE_H */
