# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdmaev; `make help` tells what there is. The modules are built by Kbuild, also
# directly with make -C $KDIR M=$PWD

# The running kernel, or the newest whose headers are installed
RUNNING	:= /lib/modules/$(shell uname -r)/build
KDIR	?= $(or $(wildcard $(RUNNING)),$(lastword $(shell ls -dv /usr/src/linux-headers-*-amd64 2>/dev/null)))

all: modules user

modules:
	@test -e "$(KDIR)/Makefile" || { echo "No kernel headers in '$(KDIR)'." \
		"Install linux-headers-amd64, or name a folder: make modules KDIR=..." >&2; exit 1; }
	@echo "Building the modules for $(KDIR)"
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules

user:
	$(MAKE) -C ulib all

verbs:
	$(MAKE) -C ulib verbs

install:
	$(MAKE) -C ulib install

uninstall:
	$(MAKE) -C ulib uninstall

# What ULPs are built with goes beside the kernel's build: see rdmaev_ulp.h
modules_install:
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules_install
	release=$$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$(KDIR)/include/generated/utsrelease.h") && \
	dir="$(INSTALL_MOD_PATH)/lib/modules/$$release/rdmaev" && \
	install -d "$$dir/include/rdma" "$$dir/include/uapi/rdma" && \
	install -m 644 Module.symvers "$$dir" && \
	install -m 644 include/rdma/rdmaev_ulp.h "$$dir/include/rdma" && \
	install -m 644 include/uapi/rdma/rdmaev.h "$$dir/include/uapi/rdma"

# Into a kernel source
intree:
	@kmod/intree/install "$(KSRC)"

clean:
	$(if $(KDIR),$(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean)
	$(MAKE) -C ulib clean
	$(if $(KDIR),$(MAKE) -C selftests KDIR="$(KDIR)" clean)
	$(RM) -r build

demo:
	@selftests/vm/demo $(DEMO)

# KERNELS on the command line is in the environment, too. FRESH=1: also what has passed
check:
	@selftests/vm/setup check
	@selftests/check $(if $(FRESH),--fresh) $(TESTS)

# Goes on where it was ended
check-all:
	@selftests/vm/setup check
	@KERNELS=all selftests/check $(if $(FRESH),--fresh,--resume) $(TESTS)

# Of another one, 6.12 for example, with budgets that are a tenth larger
KERNEL = 6.1
bench:
	@selftests/vm/setup kernels $(KERNEL)
	@selftests/vm/setup bench
	@selftests/kernel build $(KERNEL)
	@selftests/kernel run $(KERNEL) --icount -- selftests/bench/run
	@echo 'The same of CQs, with 64 possible CPUs'
	@selftests/kernel run $(KERNEL) --icount --append possible_cpus=64 -- selftests/bench/run cqs
	@echo 'Traffic of others, without the observer and with it'
	@selftests/kernel run $(KERNEL) --icount -- selftests/bench/traffic
	@echo 'The command'
	@selftests/bench/log

lint:
	@selftests/vm/setup build check
	@selftests/lint

help:
	@echo 'make                  modules, library and command'
	@echo 'make modules          the kernel module; KDIR=... chooses the kernel,'
	@echo '                      now $(or $(KDIR),none)'
	@echo 'make user             library and command'
	@echo 'make verbs            librdmaev-verbs, or fail: make user builds it only where'
	@echo '                      libibverbs can be compiled with'
	@echo 'make install          library, command, manual pages and the like;'
	@echo '                      PREFIX, DESTDIR'
	@echo 'make uninstall        remove what make install has installed; the same'
	@echo '                      PREFIX, DESTDIR'
	@echo 'make modules_install  the kernel module, and what ULPs are built with;'
	@echo '                      INSTALL_MOD_PATH'
	@echo 'make demo             watch it at work in a virtual machine;'
	@echo '                      DEMO=--shell leaves a prompt there'
	@echo 'make check            static checks, model, all tests on Linux 6.1;'
	@echo '                      TESTS="name ..." only these; KERNELS="5.10 ..." there'
	@echo '                      FRESH=1 also models and static checks whose files have'
	@echo '                      not changed since they passed'
	@echo 'make check-all        the same on every kernel; takes long, and goes on where'
	@echo '                      it was ended; FRESH=1 from the start'
	@echo 'make bench            what an event costs, in guest instructions'
	@echo 'make lint             the static checks alone'
	@echo 'make intree KSRC=DIR  put all of it into the kernel source in DIR'
	@echo 'make clean            remove what was built'

.PHONY: all modules user verbs install uninstall modules_install clean demo check check-all bench lint intree help
