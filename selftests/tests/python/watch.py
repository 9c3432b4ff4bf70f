# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Events of devices, lists, and what a program can do to a reader.

pyrxe is soft RoCE over pyrxe_d; pysim is simulated, and only the tests make its events. pycq has
CQs.
"""
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import rdmaev

import tap

NODE = "/dev/infiniband/rdmaev"
# A program that waits for events, and says so
WAITS = """
import rdmaev, sys
events = rdmaev.watch({})
print("ready", flush=True)
try:
    for event in events:
        pass
except KeyboardInterrupt:
    print("interrupted")
except rdmaev.HungUpError as error:
    print("hung up", error)
"""


def next_codes(events, count):
    """Codes of the next events."""
    return [int(next(events).code) for _ in range(count)]


def waiting(arguments=""):
    """That program, blocked."""
    program = subprocess.Popen([sys.executable, "-c", WAITS.format(arguments)],
                               stdout=subprocess.PIPE, universal_newlines=True)
    program.stdout.readline()
    tap.within(lambda: tap.is_blocked(program.pid))
    return program


class Watch(unittest.TestCase):
    def test_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rec")
            subprocess.run(["rdmaev", "record", "-t", "0", path], check=True)
            recorded = list(rdmaev.log(path=path, devices=["pysim"]))
            with rdmaev.Reader(path) as reader:
                self.assertIn("pysim", [device.name for device in reader.devices()])
        last = recorded[-1].seq
        self.assertEqual([e.json() for e in recorded],
                         [e.json() for e in rdmaev.log(devices=["pysim"]) if e.seq <= last])

    def test_port_goes_down_and_up(self):
        with rdmaev.watch(devices="pyr*", kinds=["port", "async"]) as events:
            subprocess.run(["ip", "link", "set", "pyrxe_d", "down"], check=True)
            down = next(e for e in events if e.code == rdmaev.PortCode.PORT_STATE)
            subprocess.run(["ip", "link", "set", "pyrxe_d", "up"], check=True)
            up = next(e for e in events if e.code == rdmaev.PortCode.PORT_STATE)
        self.assertIsInstance(down, rdmaev.PortEvent)
        self.assertEqual((down.before, down.after), (rdmaev.PortState.ACTIVE, rdmaev.PortState.DOWN))
        self.assertEqual((up.before, up.after), (rdmaev.PortState.DOWN, rdmaev.PortState.ACTIVE))
        self.assertEqual((down.device, down.port, down.severity), ("pyrxe", 1, rdmaev.Severity.ERROR))
        self.assertEqual((down.down_since_ns, down.down_ns), (up.down_since_ns, 0))
        self.assertTrue(0 < up.down_ns <= up.boottime_ns - up.down_since_ns)
        self.assertEqual(str(up.down_ns), json.loads(up.json())["change"]["outage"]["ns"])
        cause = next(rdmaev.log(since=down.cause))
        self.assertIs(cause.code, rdmaev.AsyncCode.PORT_ERR)

    def test_only_what_is_selected(self):
        selections = [
            ({"devices": ["pysim"]}, [100, 70, 11, 14]),
            # no port is named in it
            ({"devices": "pysim/2"}, [14]),
            ({"devices": ["pysim"], "severity": "error"}, [14]),
            ({"devices": ["pysim"], "severity": ["error", rdmaev.Severity.INFO]}, [100, 70, 11, 14]),
            ({"events": [rdmaev.AsyncCode(100)]}, [100]),
            ({"events": ["70", "lid-change"]}, [70, 11]),
            ({"events": "*ID_CH?NGE", "devices": "*"}, [11]),
            ({"kinds": rdmaev.Kind.ASYNC, "devices": "pysi*"}, [100, 70, 11, 14]),
            ({"kinds": "note"}, []),
        ]
        for netlink in (False, True):
            streams = [rdmaev.watch(**s, netlink=netlink) for s, _ in selections]
            for code in (100, 70, 11, 14):
                tap.happen("pysim", code)
            last = next(e for e in streams[0] if e.code == 14).seq
            streams[0].reader.seek(last - 3)
            for stream, (selection, codes) in zip(streams, selections):
                self.assertEqual(next_codes(stream, len(codes)), codes, selection)
                self.assertEqual(stream.reader.read(), [], selection)
                stream.close()

    def test_log_ends_and_since_goes_on(self):
        tap.happen("pysim", 101)
        tap.happen("pysim", 102)
        everything = list(rdmaev.log(devices="pysim"))
        self.assertEqual([int(e.code) for e in everything[-2:]], [101, 102])
        self.assertEqual(list(rdmaev.log(devices="pysim", since=everything[-1].seq)),
                         everything[-1:])
        with rdmaev.watch(devices="pysim", since=everything[-2].seq) as events:
            self.assertEqual(next_codes(events, 2), [101, 102])
            tap.happen("pysim", 103)
            self.assertEqual(next_codes(events, 1), [103])

    def test_same_text_as_the_command(self):
        for module, command in ((["-l"], ["-v"]), (["-l", "-j"], ["-j"]),
                                (["-l", "--severity", "error", "pysim"],
                                 ["-v", "--severity", "error", "pysim"])):
            text = subprocess.run([sys.executable, "-m", "rdmaev", *module], check=True,
                                  stdout=subprocess.PIPE, universal_newlines=True).stdout
            lines = [line for line in tap.command("log", *command).splitlines()]
            if "-j" in command:
                # with the instance of the log, which is not of the event
                lines = [self.without_instance(line) for line in lines]
            self.assertEqual(text.splitlines(), lines)
            self.assertTrue(lines)

    def without_instance(self, line):
        found = json.loads(line)
        instance = found.pop("instance")
        return line.replace(f',"instance":"{instance}"', "")

    def test_module_complains(self):
        result = subprocess.run([sys.executable, "-m", "rdmaev", "-e", "NONSENSE"], check=False,
                                stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no such event", result.stderr)


class Lists(unittest.TestCase):
    def test_status(self):
        found = {p.name: p for p in rdmaev.status()}
        wanted = [json.loads(line) for line in tap.command("status", "-j").splitlines()]
        self.assertEqual({f"{w['device']}/{w['port']}" for w in wanted}, set(found))
        for w in wanted:
            port = found[f"{w['device']}/{w['port']}"].port
            self.assertEqual((port.state.name, port.outages), (w["state"], w["outages"]))
        self.assertTrue(found["pyrxe/1"].is_active)
        self.assertEqual(found["pyrxe/1"].port.protocols, rdmaev.Protocol.ROCE)
        self.assertEqual(found["pyrxe/1"].device.driver, "rdma_rxe")
        self.assertEqual(found, {p.name: p for p in rdmaev.status(netlink=True)})

    def test_counters(self):
        tap.happen("pysim", 15)
        tap.happen("pysim", 90)
        generation = {d.name: d.generation for d in rdmaev.Reader().devices()}["pysim"]
        counters = {(c.kind, c.code): c for c in rdmaev.counters() if c.generation == generation}
        limit = counters[rdmaev.Kind.ASYNC, rdmaev.AsyncCode.SRQ_LIMIT_REACHED]
        others = counters[rdmaev.Kind.ASYNC, None]
        self.assertEqual(limit.count, 1)
        log = [e for e in rdmaev.log(devices="pysim", kinds="async")]
        self.assertEqual(limit.last_seq, [e.seq for e in log if e.code == 15][-1])
        self.assertEqual(others.last_seq, [e.seq for e in log if e.code > 62][-1])

    def test_lists_grow(self):
        with rdmaev.Reader() as reader:
            counters = reader.counters(removed=True)
            self.assertGreater(len(counters), 1)
            room = len(counters)
            there = reader._call("list", "counters", rdmaev._library.library.rdmaev_counters_sized,
                                 rdmaev.ANY, rdmaev.ANY, 1, None, 64, 0, None)
            self.assertEqual(there, room)

    def test_cqs(self):
        found = {(c.device, c.cq): c for c in rdmaev.cqs()}
        wanted = [json.loads(line) for line in tap.command("cqs", "-j").splitlines()]
        self.assertTrue(wanted)
        self.assertEqual(len(found), len(wanted))
        for w in wanted:
            cq = found[w["index"], w["cq"]]
            self.assertEqual((cq.owner, cq.polls, sum(cq.failures.values())),
                             (w["owner"], w["polls"], sum(w["failures"].values())))
        failures = [cq.failures for cq in found.values() if cq.failures]
        self.assertTrue(failures)
        self.assertIsInstance(next(iter(failures[0])), rdmaev.WcCode)
        self.assertTrue(all(c.flags & rdmaev.CqFlag.SUM for c in rdmaev.cqs(sums=True)))

    def test_info(self):
        with rdmaev.Reader() as reader:
            info = reader.info()
            self.assertEqual((info.record_size, info.rings), (256, 4))
            self.assertEqual(info.newest_seq, list(rdmaev.log())[-1].seq)
            self.assertEqual(info.observer, rdmaev.Observer(*[rdmaev.Observed(0)] * 7))
            with self.assertRaisesRegex(rdmaev.Error, "past the end"):
                reader.seek(info.newest_seq + 1000)
            with self.assertRaisesRegex(rdmaev.Error, "no such CQ"):
                reader.notify(reader.devices()[0].index, 123456, 1)


class Programs(unittest.TestCase):
    def test_ctrl_c_ends_a_wait(self):
        program = waiting()
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.communicate()[0], "interrupted\n")

    def test_wait_survives_other_signals(self):
        seen = []
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        with rdmaev.watch(devices="pysim") as events:
            thread = threading.Thread(target=self.signal_and_happen, args=(seen,))
            thread.start()
            self.assertEqual(next_codes(events, 1), [104])
            thread.join()
        self.assertEqual(seen, [1])

    def signal_and_happen(self, seen):
        tap.within(lambda: tap.is_blocked(f"{os.getpid()}/task/{os.getpid()}"))
        os.kill(os.getpid(), signal.SIGUSR1)
        tap.within(lambda: seen)
        tap.happen("pysim", 104)

    def test_timeout(self):
        with rdmaev.Reader() as reader:
            self.assertFalse(reader.wait(0))
            self.assertFalse(reader.wait(0.01))
            tap.happen("pysim", 105)
            self.assertTrue(reader.wait())

    def test_threads_share_a_reader(self):
        reader = rdmaev.Reader()
        reader.select(rdmaev.Chosen(rdmaev.Selection(devices="pysim")))
        found = [[], [], []]

        def take(mine):
            while not any(int(e.code) == 399 for other in found for e in other):
                reader.wait(0.01)
                mine += reader.read(1)

        threads = [threading.Thread(target=take, args=(mine,)) for mine in found]
        for thread in threads:
            thread.start()
        for code in range(300, 400):
            tap.happen("pysim", code)
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(int(e.code) for mine in found for e in mine), list(range(300, 400)))
        reader.close()

    def test_close_while_another_thread_waits(self):
        reader = rdmaev.Reader()
        thread = threading.Thread(target=reader.wait)
        thread.start()
        tap.within(lambda: tap.is_blocked(f"{os.getpid()}/task/{thread.native_id}"))
        reader.close()
        self.assertRaises(ValueError, reader.read)
        tap.happen("pysim", 106)
        thread.join()
        reader.close()

    def test_not_after_fork(self):
        with rdmaev.Reader() as reader:
            child = os.fork()
            if not child:
                try:
                    reader.read()
                except ValueError as error:
                    os._exit(7 if "before fork" in str(error) else 1)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_descriptors_are_closed(self):
        before = os.listdir("/proc/self/fd")
        for _ in range(3):
            rdmaev.status()
            next(rdmaev.log())
            self.assertRaises(ValueError, rdmaev.watch, "bad*name")
            self.assertRaises(rdmaev.Error, rdmaev.watch, since=1 << 40)
        gc.collect()
        self.assertEqual(os.listdir("/proc/self/fd"), before)

    def test_hang_up_is_an_error(self):
        programs = [waiting(), waiting("devices='pysim'")]
        tap.command("release")
        for program in programs:
            self.assertIn("hung up", program.communicate()[0])

    def test_unprivileged_reader(self):
        text = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c",
             "import rdmaev; print(*{e.device for e in rdmaev.log(kinds='device')}, "
             "len(rdmaev.cqs()))"],
            check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
        self.assertIn("pysim", text)
        self.assertEqual(text[-1], "0")


tap.main()
