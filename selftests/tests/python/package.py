# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The package without a module: what the headers say, and each field of each record."""
import copy
import ctypes
import ipaddress
import json
import os
import pickle
import re
import subprocess
import sys
import unittest

import rdmaev
from rdmaev import _abi, _decode, _library

import tap

INCLUDE = os.path.join(tap.TOP, "include")
ALL_KNOWN = sum(_abi.Known)
# Bits that say which other fields are set, and that change those
FLAGS = {"known"}
# Fields of struct rdmaev_object_info that no record of the kind has
NEVER_SET = {
    "COMPLETION.1": "uid cgroup pid_ns qp_type qp_state",
    "OBSERVER.1": "cgroup pid_ns owner qp_type qp_state",
    "CM.1": "qp_state",
    "NOTE.1": "uid cgroup pid_ns qp_type qp_state",
}


def header(name):
    with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
        return file.read()


def structures():
    return [value for value in vars(_abi).values()
            if isinstance(value, type) and issubclass(value, ctypes.Structure)]


def record_of(kind, code=1):
    record = _abi.rdmaev_record()
    record.seq, record.count, record.generation = 7, 1, 3
    record.kind, record.code, record.object_type = kind, code, _abi.ObjectType.QP
    record.severity = _abi.Severity.ERROR
    if kind in (_abi.Kind.ASYNC, _abi.Kind.WC, _abi.Kind.QP, _abi.Kind.CM, _abi.Kind.NOTE,
                _abi.Kind.OBSERVER, _abi.Kind.COMPLETION):
        record.body.info.known = ALL_KNOWN
    return record


def without_record(event):
    """Fields of an event but the record itself."""
    return event.__reduce__()[1][:17] + event.__reduce__()[1][18:]


def places(structure, start=0):
    """(name, offset) of each field without others in it, that is not reserved."""
    for name, kind in structure._fields_:
        offset = start + getattr(structure, name).offset
        if issubclass(kind, ctypes.Structure):
            yield from places(kind, offset)
        elif not name.startswith("reserved"):
            yield name, offset


class Headers(unittest.TestCase):
    def test_generated_equals_headers(self):
        subprocess.run([
            sys.executable, os.path.join(tap.TOP, "ulib/python/generate.py"), "--check",
            f"gcc -I{INCLUDE}/uapi -I{INCLUDE}", _abi.SONAME, _abi.VERSION, _abi.__file__],
            check=True)

    def test_compiler_agrees_on_layout(self):
        lines = ["#include <rdmaev.h>", "#include <stddef.h>"]
        for structure in structures():
            name = structure.__name__
            lines.append(f"_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(structure)}, "
                         f'"{name}");')
            for field, _ in structure._fields_:
                offset = getattr(structure, field).offset
                lines.append(f"_Static_assert(offsetof(struct {name}, {field}) == {offset}, "
                             f'"{name}.{field}");')
        self.assertGreater(len(lines), 250)
        self.compiles(lines)

    def test_compiler_agrees_on_numbers(self):
        lines = ["#include <rdmaev.h>"]
        lines += [f'_Static_assert(RDMAEV_{name} == {value}U, "{name}");'
                  for name, value in vars(_abi).items() if name.isupper() and isinstance(value, int)]
        for name, prefix in (("Kind", "KIND"), ("Known", "KNOWN"), ("Severity", "SEVERITY"),
                             ("Ring", "RING"), ("PortState", "STATE"), ("CqFlag", "CQ"),
                             ("Observed", "OBSERVED"), ("WcCode", "WC"), ("AsyncCode", "ASYNC"),
                             ("OutageFlag", "OUTAGE")):
            lines += [f'_Static_assert(RDMAEV_{prefix}_{m.name} == {m.value}U, "{m}");'
                      for m in getattr(_abi, name)]
        self.assertGreater(len(lines), 120)
        self.compiles(lines)

    def compiles(self, lines):
        subprocess.run(["gcc", "-fsyntax-only", f"-I{INCLUDE}/uapi", f"-I{INCLUDE}", "-xc", "-"],
                       input="\n".join(lines) + "\n", check=True, universal_newlines=True)

    def test_no_enum_is_missing(self):
        text = header("uapi/rdma/rdmaev.h") + header("rdmaev.h")
        count = 0
        for name, body in re.findall(r"^enum rdmaev_(\w+) \{(.*?)^\}", text, re.M | re.S):
            title = "".join(part.capitalize() for part in name.split("_"))
            title = {"WcStatus": "WcCode"}.get(title, title)
            members = {int(n) << int(s or 0) for m, n, s in
                       re.findall(r"(\w+) = (\d+)(?: << (\d+))?,", body) if m != "RDMAEV_RINGS"}
            self.assertLessEqual(members, {int(m) for m in getattr(rdmaev, title)}, title)
            count += 1
        self.assertGreaterEqual(count, 18)

    def test_no_function_is_missing(self):
        with open(os.path.join(tap.TOP, "ulib/lib/librdmaev.map"), encoding="utf-8") as file:
            names = set(re.findall(r"^\t(rdmaev_\w+);", file.read(), re.M))
        self.assertEqual(names, set(_abi.PROTOTYPES))

    def test_all_kinds_have_codes_and_a_class(self):
        self.assertEqual(set(_abi.CODES), set(_abi.Kind))
        self.assertEqual(set(_decode.KINDS), set(_abi.Kind))

    def test_names_are_those_of_the_library(self):
        for kind, codes in _abi.CODES.items():
            for code in codes:
                name = _library.library.rdmaev_event_name(kind, code)
                self.assertEqual(name, code.name.encode(), (kind, code))


class Numbers(unittest.TestCase):
    def test_unknown_numbers_are_kept(self):
        for cls in vars(rdmaev).values():
            if isinstance(cls, type) and issubclass(cls, rdmaev.OpenEnum) and list(cls):
                number = cls(60000)
                self.assertIsInstance(number, cls)
                self.assertEqual(number, 60000)
                self.assertEqual(hash(number), hash(60000))
                self.assertIn("60000", str(number))
                self.assertEqual(pickle.loads(pickle.dumps(number)), number)
        self.assertEqual(int(rdmaev.CqFlag(1 << 20 | 1)), 1 << 20 | 1)

    def test_text_is_the_name_in_each_version(self):
        self.assertEqual(f"{rdmaev.Kind.PORT} {rdmaev.Kind.PORT!s:>6}", "PORT   PORT")
        with self.assertRaises(ValueError):
            rdmaev.Kind("PORT")

    def test_names_of_events_are_those_of_json(self):
        for kind in [*_abi.Kind, 20]:
            for code in [*range(70), 300]:
                event = _decode.event_of(record_of(kind, code))
                found = json.loads(event.json())
                self.assertEqual((event.name, event.code), (found["event"], found["code"]))
                self.assertEqual((event.cause, event.object), (found["cause"], found["object_id"]))


class Records(unittest.TestCase):
    def changed(self, kind, code, structure, start):
        """Names of fields that do not change an event."""
        before = without_record(_decode.event_of(record_of(kind, code)))
        for name, offset in places(structure, start):
            record = record_of(kind, code)
            raw = bytearray(record)
            raw[offset] ^= 1
            if without_record(_decode.event_of(type(record).from_buffer(raw))) == before:
                yield f"{kind}.{code}: {name}"

    def test_no_field_of_a_body_is_dropped(self):
        missing = []
        body = _abi.rdmaev_record.body.offset
        for kind in _abi.Kind:
            structure = getattr(_abi, f"rdmaev_{kind.name.lower()}_body")
            missing += self.changed(kind, 1, structure, body)
        # Bits say which fields are set; the exact count is in the body
        self.assertEqual([m for m in missing if m.split()[1] not in FLAGS], [
            f"{kind}: {name}" for kind, names in NEVER_SET.items() for name in names.split()])

    def test_no_field_of_the_head_is_dropped(self):
        fields = [f for f in _abi.rdmaev_record._fields_ if f[0] != "body"]
        head = type("head", (ctypes.Structure,), {"_fields_": fields})
        self.assertEqual(list(self.changed(_abi.Kind.ASYNC, 1, head, 0)), [])

    def test_gids_and_states(self):
        record = record_of(_abi.Kind.PORT, _abi.PortCode.PORT_GID)
        record.body.port.after.gid[15] = 1
        self.assertEqual(_decode.event_of(record).after, ipaddress.IPv6Address("::1"))
        record.code = _abi.PortCode.PORT_STATE
        record.body.port.after.number = 4
        event = _decode.event_of(record)
        self.assertIs(event.after, rdmaev.PortState.ACTIVE)
        self.assertIsNone(event.before)
        record.body.port.after.number = 9
        self.assertEqual(_decode.event_of(record).after, 9)
        record.code = _abi.PortCode.PORT_PHYS_STATE
        record.body.port.after.number = 5
        self.assertIs(_decode.event_of(record).after, rdmaev.PhysState.LINK_UP)

    def test_unknown_is_none(self):
        record = record_of(_abi.Kind.WC, 12)
        record.body.wc.wr_id, record.body.wc.cq = 0x1234, 0
        event = _decode.event_of(record)
        self.assertEqual((event.wr_id, event.wr_id_hash, event.cq), (0x1234, None, 0))
        self.assertEqual(event.object, 0)
        record.body.info.known = 0
        event = _decode.event_of(record)
        self.assertEqual((event.wr_id, event.wr_id_hash, event.cq), (None, 0x1234, None))
        self.assertEqual((event.object, event.peer_gid, event.qp_type), (None, None, None))

    def test_addresses_of_connections(self):
        record = record_of(_abi.Kind.CM, _abi.CmCode.CM_REJECTED)
        body = record.body.cm
        body.family, body.status = _abi.Family.INET, 8
        body.peer_addr[:] = ipaddress.IPv6Address("::ffff:192.0.2.1").packed
        event = _decode.event_of(record)
        self.assertEqual(event.peer_addr, ipaddress.IPv4Address("192.0.2.1"))
        self.assertIs(event.reason, rdmaev.RejectReason.INVALID_SERVICE_ID)
        body.family, body.status = _abi.Family.INET6, -104
        event = _decode.event_of(record)
        self.assertEqual(event.peer_addr, ipaddress.IPv6Address("::ffff:192.0.2.1"))
        self.assertIsNone(event.reason)

    def test_a_loss_has_the_exact_count(self):
        record = record_of(_abi.Kind.LOST, 0)
        record.count, record.body.lost.count = 0xffffffff, 1 << 40
        self.assertEqual(_decode.event_of(record).count, 1 << 40)

    def test_a_later_kind_is_an_event(self):
        event = _decode.event_of(record_of(20, 5))
        self.assertIs(type(event), rdmaev.Event)
        self.assertEqual((event.kind, event.code, event.name), (20, 5, "KIND_20_5"))

    def test_names_of_any_bytes(self):
        record = record_of(_abi.Kind.NOTE)
        record.device_name, record.body.note.text = b"rx\xff0", b"x" * 64
        event = _decode.event_of(record)
        self.assertEqual((os.fsencode(event.device), event.text), (b"rx\xff0", "x" * 64))

    def test_events_are_values(self):
        event = _decode.event_of(record_of(_abi.Kind.QP, 6))
        for other in (pickle.loads(pickle.dumps(event)), copy.deepcopy(event)):
            self.assertEqual(other, event)
            self.assertEqual(hash(other), hash(event))
            self.assertIs(type(other), rdmaev.QpEvent)
        with self.assertRaises(AttributeError):
            event.seq = 8
        self.assertFalse(hasattr(event, "__dict__"))

    def test_formats(self):
        event = _decode.event_of(record_of(_abi.Kind.WC, 12))
        self.assertEqual(str(event), event.format(rdmaev.Style.HUMAN))
        self.assertIn("\x1b[", event.format(rdmaev.Style.HUMAN | rdmaev.Style.COLOR))
        self.assertIn("RETRY_EXC_ERR", str(event))
        self.assertIn("#7", str(event))
        self.assertTrue(event.description and event.advice)
        self.assertRaises(ValueError, event.format, 77)


class Errors(unittest.TestCase):
    def refused(self, text, **arguments):
        with self.assertRaisesRegex(ValueError, text):
            rdmaev.watch(**arguments).close()

    def test_selections(self):
        self.refused("a \\* at the end only", devices="mlx*_0")
        self.refused("the port must be", devices=["mlx5_0/x"])
        self.refused("the port must be", devices=["mlx5_0/4294967294"])
        self.refused("must be a name", devices="")
        self.refused("must be a name", devices="x" * 64)
        self.refused("17 named", devices=[f"x{i}" for i in range(17)])
        self.refused("0 named", devices=[])
        self.refused("info, warning, error", severity="bad")
        self.refused("names none", severity=[])
        self.refused("device, port", kinds=["port", "ports"])
        self.refused("no such event", events="PORT_ERRR")
        self.refused("no such event", events="X*")
        self.refused("class of codes", events=rdmaev.Severity.ERROR)
        self.refused("none of them is of these kinds", kinds="wc", events="PORT_*")
        self.refused("qp -1", qp=-1)
        self.refused("pid 0", pid=0)

    def test_open(self):
        with self.assertRaises(rdmaev.NotLoadedError) as caught:
            rdmaev.Reader("/nonexistent")
        self.assertIsInstance(caught.exception, FileNotFoundError)
        self.assertIn("modprobe rdmaev", str(caught.exception))
        with self.assertRaisesRegex(rdmaev.Error, "not an rdmaev node"):
            rdmaev.Reader("/dev/null")

    def test_no_library(self):
        environment = dict(os.environ, LD_LIBRARY_PATH="/nonexistent")
        result = subprocess.run([sys.executable, "-c", "import rdmaev"], env=environment,
                                check=False, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertIn("ImportError", result.stderr)
        self.assertIn("install librdmaev of version", result.stderr)


tap.main()
