#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Write rdmaev/_abi.py: enums, structures and prototypes out of the headers and the catalogue.

generate.py CC SONAME VERSION FILE
generate.py --check CC SONAME VERSION FILE

CC is the command of the compiler, with the folders of headers. The compiler checks sizes,
offsets and numbers of what is written. --check writes nothing, and fails if FILE is not what
would be written.
"""
import ast
import ctypes
import enum
import os
import re
import shlex
import subprocess
import sys
import textwrap

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include")
ABI = "uapi/rdma/rdmaev.h"
API = "rdmaev.h"

TYPES = {
    "__u8": "ctypes.c_uint8", "__u16": "ctypes.c_uint16", "__u32": "ctypes.c_uint32",
    "__s32": "ctypes.c_int32", "__aligned_u64": "ctypes.c_uint64", "char": "ctypes.c_char",
    "unsigned int": "ctypes.c_uint", "int": "ctypes.c_int", "uint32_t": "ctypes.c_uint32",
    "int64_t": "ctypes.c_int64", "uint64_t": "ctypes.c_uint64", "size_t": "ctypes.c_size_t",
    "ssize_t": "ctypes.c_ssize_t",
}

# #defines that are values of one thing, by their prefix
FLAGS = {
    "RDMAEV_OUTAGE_": "OutageFlag", "RDMAEV_KNOWN_": "Known", "RDMAEV_CQ_": "CqFlag",
    "RDMAEV_OBSERVES_BY_": "ObservesBy", "RDMAEV_OBSERVED_": "Observed",
    "RDMAEV_DEVICE_FLAG_": "DeviceFlag", "RDMAEV_PORT_FLAG_": "PortFlag",
    "RDMAEV_PROTOCOL_": "Protocol", "RDMAEV_PART_": "Part",
}
NUMBERS = {"RDMAEV_FAMILY_": "Family", "RDMAEV_PORT_SPACE_": "PortSpace"}

# Enums of the header whose names the catalogue has, with meanings
IN_CATALOGUE = re.compile(r"rdmaev_(\w+_code|wc_status)$")

# How the library begins the name of a code that it does not know
UNKNOWN = {"AsyncCode": "EVENT"}

CATALOGUE = """
#define TEXT(...) __VA_ARGS__
#define EVENT(kind, code, name, traits, text) @kind code name text
#define CM_REJ(number, name, ...) @CM_REJ number name __VA_ARGS__
#include "internal/catalogue.def"
"""

HEAD = '''# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Made by generate.py out of rdmaev.h and the catalogue. Do not edit.
"""Numbers, structures and functions of librdmaev."""
import ctypes
import enum
from typing import Any, Dict, List, Tuple, Type

SONAME = "{soname}"
VERSION = "{version}"


class OpenEnum(enum.IntEnum):
    """An enum that keeps numbers of a later kernel; their name is made of the number."""

    @classmethod
    def _prefix(cls) -> str:
        return cls.__name__.replace("Code", "").upper()

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"{{cls._prefix()}}_{{value}}"
        member._value_ = value
        return member

    def __reduce_ex__(self, protocol: Any) -> Tuple[Any, ...]:
        return type(self), (int(self),)

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)
'''


def fail(message):
    sys.exit(f"generate.py: {message}")


def read(name):
    """Text of a header without comments."""
    with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)


def compiler(cc, *options, text):
    """Output of the compiler for a C source."""
    command = [*shlex.split(cc), *options, "-x", "c", "-"]
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def defines(text):
    """{name: number} of the plain numbers, and {name: bit} of the bits."""
    found = re.findall(r"^#define\s+(RDMAEV_\w+)\s+(?:\(1U << (\d+)\)|(0x[\da-fA-F]+|\d+)U?)\s*$",
                       text, re.MULTILINE)
    numbers = {name: int(number, 0) for name, bit, number in found if number}
    bits = {name: 1 << int(bit) for name, bit, number in found if bit}
    return numbers, bits


def header_enums(text):
    """Yield the name of each enum, and its {member: number}."""
    for name, body in re.findall(r"^enum (\w+) \{(.*?)^\};", text, re.MULTILINE | re.DOTALL):
        members = {}
        for member, value in re.findall(r"(\w+) = ([^,]+),", body):
            number, shift = re.fullmatch(r"(\d+)(?: << (\d+))?", value.strip()).groups()
            members[member] = int(number) << int(shift or 0)
        yield name, members


def common_prefix(names):
    prefix = os.path.commonprefix(list(names))
    return prefix[:prefix.rindex("_") + 1]


def catalogue(cc):
    """{name of a class: [(member, number, meaning)]} of the codes of all kinds."""
    codes = {}
    text = compiler(cc, "-E", "-P", "-undef", text=CATALOGUE)
    for kind, number, name, meaning in re.findall(
            r'@(\w+) (\d+) (\w+) .*\.meaning = (".*?"), \.advice', text):
        title = "RejectReason" if kind == "CM_REJ" else camel(kind) + "Code"
        codes.setdefault(title, []).append((name, int(number), ast.literal_eval(meaning)))
    return codes


def put_enum(title, base, doc, members):
    """Lines of a class; members are (name, number, meaning or None)."""
    yield from ("", "", f"class {title}({base}):", f'    """{doc}"""')
    for name, number, meaning in members:
        yield ""
        if meaning:
            yield f"    #: {meaning}"
        yield f"    {name} = {number}"
    if title in UNKNOWN:
        yield from ("", "    @classmethod", "    def _prefix(cls) -> str:",
                    f'        return "{UNKNOWN[title]}"')


def put_enums(abi, cc):
    for name, members in header_enums(abi):
        if IN_CATALOGUE.match(name):
            continue
        # Not a value, but how many there are
        members.pop(name.upper() + "S", None)
        prefix = common_prefix(members)
        yield from put_enum(camel(name[len("rdmaev_"):]), "OpenEnum", f"enum {name}",
                            [(m[len(prefix):], n, None) for m, n in members.items()])
    for title, members in catalogue(cc).items():
        yield from put_enum(title, "OpenEnum", "From the catalogue of events", members)


def put_defines(numbers, bits):
    groups = {prefix: [] for prefix in {**FLAGS, **NUMBERS}}
    rest = []
    for name, number in {**numbers, **bits}.items():
        for prefix, members in groups.items():
            if name.startswith(prefix) and (name in bits) == (prefix in FLAGS):
                members.append((name[len(prefix):], number, None))
                break
        else:
            rest.append(f"{name[len('RDMAEV_'):]} = {number}")
    for prefix, members in groups.items():
        base = "enum.IntFlag" if prefix in FLAGS else "OpenEnum"
        yield from put_enum({**FLAGS, **NUMBERS}[prefix], base, prefix + "*", members)
    yield from ("", "", *rest)


def structures(abi):
    """{name: (struct or union, members)}, of a union without a name, too."""
    inner = r"\tunion \{([^{}]*)\} (\w+);"
    found = {}
    for kind, name, body in re.findall(r"^(struct|union) (\w+) \{(.*?)^\};", abi,
                                       re.MULTILINE | re.DOTALL):
        for members, member in re.findall(inner, body):
            found[f"{name}_{member}"] = ("union", members)
        found[name] = (kind, re.sub(inner, rf"\tunion {name}_\2 \2;", body))
    return found


def put_structure(name, kind, body, numbers):
    yield from ("", "", f"class {name}(ctypes.{'Structure' if kind == 'struct' else 'Union'}):",
                f'    """{kind} {name}"""', "", "    _fields_ = [")
    for type_name, member, length in re.findall(
            r"\t+((?:struct |union )?\w+) (\w+)(?:\[(\w+)\])?;", body):
        if type_name not in TYPES and " " not in type_name:
            fail(f"{kind} {name}: {member}: no type of the ABI: {type_name}")
        kind_of = TYPES.get(type_name) or type_name.split()[1]
        if length:
            kind_of += f" * {numbers.get(length) or int(length)}"
        yield f'        ("{member}", {kind_of}),'
    yield "    ]"


def put_structures(abi, numbers, wanted):
    """Structures that functions take, and those in them."""
    found = structures(abi)
    done = []

    def put(name):
        kind, body = found[name]
        for inner in re.findall(r"(?:struct|union) (\w+) \w+", body):
            if inner not in done:
                yield from put(inner)
        done.append(name)
        yield from put_structure(name, kind, body, numbers)

    for name in wanted:
        if name not in done:
            yield from put(name)


def prototypes(api):
    """[(result, function, [argument])], types in C."""
    for result, name, arguments in re.findall(
            r"^(\w[\w \*]*?)(rdmaev_\w+)\(([^()]*)\);", api, re.MULTILINE):
        types = [re.sub(r"\w+$", "", " ".join(a.split())).strip() for a in arguments.split(",")]
        yield result.strip(), name, types


def in_python(type_name):
    """Name of a type of a function."""
    type_name = type_name.replace("const ", "").strip()
    if type_name in ("char *", "struct rdmaev *"):
        return "ctypes.c_char_p" if type_name == "char *" else "ctypes.c_void_p"
    if type_name == "void":
        return "None"
    if type_name.endswith("*"):
        target = type_name[:-1].strip()
        return f"ctypes.POINTER({TYPES.get(target) or target.split()[1]})"
    return TYPES[type_name]


def put_prototypes(functions):
    yield from ("", "", "# Result and arguments of each function",
                "PROTOTYPES: Dict[str, Tuple[Any, List[Any]]] = {")
    for result, name, types in functions:
        yield f'    "{name}": ({in_python(result)}, ['
        yield from (f"        {in_python(t)}," for t in types)
        yield "    ]),"
    yield "}"


def put_kinds(cc):
    yield from ("", "# The codes of each kind", "CODES: Dict[Kind, Type[OpenEnum]] = {")
    yield from (f"    Kind.{title[:-4].upper()}: {title}," for title in catalogue(cc)
                if title.endswith("Code"))
    yield "}"


# Numbers that programs need, and what the package keeps to itself
NUMBERS_IN_ALL = ["ANY", "PROBE_IN_CQ"]
NOT_IN_ALL = {"Known"}


def put_all(lines):
    """What the package offers of this module."""
    titles = set(re.findall(r"^class ([A-Z]\w+)\(", "\n".join(lines), re.MULTILINE))
    names = ", ".join(f'"{name}"' for name in sorted(titles - NOT_IN_ALL) + NUMBERS_IN_ALL)
    yield from ("", "__all__ = [")
    yield from textwrap.wrap(names, 99, initial_indent="    ", subsequent_indent="    ")
    yield "]"


def generate(cc, soname, version):
    abi, api = read(ABI), read(API)
    numbers, bits = defines(abi + api)
    functions = list(prototypes(api))
    wanted = re.findall(r"struct (rdmaev_\w+)", " ".join(t for f in functions for t in f[2]))
    lines = [HEAD.format(soname=soname, version=version).rstrip("\n")]
    lines += put_enums(abi + api, cc)
    lines += put_defines(numbers, bits)
    lines += put_structures(abi, numbers, wanted)
    lines += put_prototypes(functions)
    lines += put_kinds(cc)
    lines += put_all(lines)
    return "\n".join(lines) + "\n"


def type_in_c(name, value):
    """The type of a structure; a union without a name is in the record."""
    if name == "rdmaev_record_body":
        return "__typeof__(((struct rdmaev_record *)0)->body)"
    return f"{'struct' if issubclass(value, ctypes.Structure) else 'union'} {name}"


def assertions(module):
    """Lines in C that compile only if the headers say the same as the module."""
    yield from ("#include <rdmaev.h>", "#define same(a, b) _Static_assert((a) == (b), #a)")
    for name, value in module.items():
        if not isinstance(value, type) or value.__module__ != "rdmaev._abi":
            continue
        if issubclass(value, (ctypes.Structure, ctypes.Union)):
            kind = type_in_c(name, value)
            yield f"same(sizeof({kind}), {ctypes.sizeof(value)});"
            for field in value._fields_:
                place = getattr(value, field[0])
                yield f"same(__builtin_offsetof({kind}, {field[0]}), {place.offset});"
                yield f"same(sizeof((({kind} *)0)->{field[0]}), {place.size});"
        elif issubclass(value, enum.Enum):
            prefixes = {title: prefix for prefix, title in {**FLAGS, **NUMBERS}.items()}
            if name in prefixes:
                yield from (f"same({prefixes[name]}{m.name}, {m.value});" for m in value)
    for name, members in header_enums(read(ABI) + read(API)):
        yield from (f"same({member}, {number});" for member, number in members.items())


def check(cc, text):
    """The compiler reads the headers as this file did."""
    module = {"__name__": "rdmaev._abi"}
    exec(compile(text, "rdmaev/_abi.py", "exec"), module)  # pylint: disable=exec-used
    source = "\n".join(assertions(module)) + "\n"
    try:
        compiler(cc, "-fsyntax-only", text=source)
    except subprocess.CalledProcessError:
        fail("the compiler reads the headers otherwise, see above: adapt this script")


def main():
    arguments = sys.argv[1:]
    only_check = arguments[:1] == ["--check"]
    if len(arguments) != 4 + only_check:
        sys.exit(__doc__)
    cc, soname, version, path = arguments[only_check:]
    text = generate(cc, soname, version)
    check(cc, text)
    if only_check:
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                fail(f"{path} is not what the headers give: make -C ulib, and install it again")
        return
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
