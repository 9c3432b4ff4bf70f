# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Kernel features that the preprocessor cannot test: for compat.h, also that of
# the test modules.
# Looked up in the headers: stable and vendor kernels backport newer features.
headers := $(srctree)/include
has = $(shell $(1) | grep -qsw '$(2)' && echo y)
in_file = $(call has,cat $(headers)/$(1),$(2))
in_struct = $(call has,sed -n '/^struct $(1) {/$(comma)/^}/p' $(headers)/$(2),$(3))

HAVE_WQ_PERCPU := $(call in_file,linux/workqueue.h,WQ_PERCPU)
HAVE_SYSTEM_DFL_WQ := $(call in_file,linux/workqueue.h,system_dfl_wq)
HAVE_GENL_INFO_DUMP := $(call in_file,net/genetlink.h,genl_info_dump)
HAVE_GENL_GROUP_FLAGS := $(call in_struct,genl_multicast_group,net/genetlink.h,flags)
HAVE_NLA_UINT := $(call in_file,net/netlink.h,nla_put_uint)
HAVE_RESTRACK_NO_TRACK := $(call in_file,rdma/restrack.h,no_track)
HAVE_RESTRACK_DETAILS := $(call in_file,rdma/restrack.h,show_details)
HAVE_SRQ_RES := $(call in_struct,ib_srq,rdma/ib_verbs.h,res)
HAVE_IB_DEVICE_GET_NETDEV := $(call in_file,rdma/ib_verbs.h,ib_device_get_netdev)
HAVE_IB_QP_SIZE := $(call in_struct,ib_device_ops,rdma/ib_verbs.h,DECLARE_RDMA_OBJ_SIZE(ib_qp))
HAVE_CREATE_CQ_ATTRS := $(call has,sed -n '/(\*create_cq)/$(comma)/;/p' \
	$(headers)/rdma/ib_verbs.h,uverbs_attr_bundle)
HAVE_CREATE_USER_CQ := $(call in_struct,ib_device_ops,rdma/ib_verbs.h,create_user_cq)
HAVE_REPORT_PORT_EVENT := $(call in_struct,ib_device_ops,rdma/ib_verbs.h,report_port_event)
HAVE_FTRACE_REGS := $(call in_file,linux/ftrace.h,ftrace_regs)
# Exported to modules outside of the kernel source? In it, everything can be
HAVE_FTRACE_FREE_FILTER := $(if $(KBUILD_EXTMOD),$(call \
	has,cat $(objtree)/Module.symvers,ftrace_free_filter),y)

$(foreach h,WQ_PERCPU SYSTEM_DFL_WQ GENL_INFO_DUMP GENL_GROUP_FLAGS NLA_UINT \
	RESTRACK_NO_TRACK RESTRACK_DETAILS SRQ_RES IB_DEVICE_GET_NETDEV IB_QP_SIZE \
	CREATE_CQ_ATTRS CREATE_USER_CQ REPORT_PORT_EVENT FTRACE_REGS \
	FTRACE_FREE_FILTER,$(eval ccflags-$(HAVE_$(h)) += -DHAVE_$(h)))
