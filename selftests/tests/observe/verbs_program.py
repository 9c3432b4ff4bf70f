#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A program with a QP, in Python. Prints the numbers of its objects, then what it has
done; ends without destroying anything when its standard input does.

verbs_program.py DEVICE WHAT [PROGRAM] [ARGUMENT...], WHAT being one of

  wait      nothing
  error     move the QP to Error
  overflow  flush more receive requests than the CQ has room for
  limit     take so many requests from the SRQ that its limit is reached
  peer      move a second QP to Error, to which the first is connected, and send to it; the
            ARGUMENT is the index of the GID
  fail      send from memory with a wrong key, so that the device moves the QP to Error; after a
            line on standard input, query its state
  exec      become PROGRAM, which keeps the device open
  many      make as many QPs more, connect them to themselves, and move every second one to Error;
            the ARGUMENT is their number
"""
import os
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

SIZE = 64
REQUESTS = 16


def connect(ctx, qp, to, index=0):
    """To a QP, by this GID."""
    route = GlobalRoute(dgid=ctx.query_gid(1, index), sgid_index=index)
    attr = QPAttr(port_num=1)
    attr.dest_qp_num = to.qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
    # Soft RoCE retries for ever if it is to do so seven times.
    attr.timeout, attr.retry_cnt, attr.rnr_retry = 14, 2, 7
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
    qp.to_rts(attr)


def main(device, what, *program):
    ctx = Context(name=device)
    pd = PD(ctx)
    cq = CQ(ctx, 1 if what == "overflow" else 2 * REQUESTS)
    mr = MR(pd, SIZE, e.IBV_ACCESS_LOCAL_WRITE)
    sge = SGE(mr.buf, SIZE, mr.lkey)
    srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=REQUESTS))) if what == "limit" else None
    cap = QPCap(max_send_wr=REQUESTS, max_recv_wr=0 if srq else REQUESTS)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, srq=srq, cap=cap))
    print("qp", qp.qp_num, flush=True)
    if what == "peer":
        peer = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
        connect(ctx, peer, qp, int(program[0]))
        connect(ctx, qp, peer, int(program[0]))
    else:
        connect(ctx, qp, qp)
    print("connected", flush=True)

    more = []
    for i in range(int(program[0]) if what == "many" else 0):
        more.append(QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap)))
        connect(ctx, more[i], more[i])
        if i % 2:
            more[i].modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
        print("qp", more[i].qp_num, flush=True)
    if what == "overflow":
        for i in range(REQUESTS):
            qp.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[sge]))
    if what in ("error", "overflow"):
        qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
    if what == "limit":
        for i in range(4):
            srq.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[sge]))
        srq.modify(SrqAttr(srq_limit=4), e.IBV_SRQ_LIMIT)
        qp.post_send(SendWR(wr_id=100, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED))
    if what == "peer":
        peer.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
        qp.post_send(SendWR(wr_id=100, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED))
        while not cq.poll()[0]:
            time.sleep(0.1)
    if what == "fail":
        qp.post_send(SendWR(num_sge=1, sg=[SGE(mr.buf, SIZE, mr.lkey + 1)]))
        while not cq.poll()[0]:
            time.sleep(0.1)
    if what == "exec":
        for fd in os.listdir("/proc/self/fd"):
            if os.path.exists(f"/proc/self/fd/{fd}"):
                os.set_inheritable(int(fd), True)
        os.execv(program[0], program)
    print("done", flush=True)
    if what == "fail" and sys.stdin.readline():
        qp.query(e.IBV_QP_STATE)
        print("asked", flush=True)
    sys.stdin.read()
    os._exit(0)


main(*sys.argv[1:])
