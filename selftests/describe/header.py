# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The ABI header: its structures and numbers, and codes in it that the catalogue has"""
import os
import re
import subprocess
import sys
import tempfile

ABI = "include/uapi/rdma/rdmaev.h"
CATALOGUE = "include/internal/catalogue.def"
LICENCE = "SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB"

# Codes of verbs, which the catalogue has: enum of the ABI header, kind, prefix
CODES = (
    ("rdmaev_async_code", "ASYNC", "ASYNC"), ("rdmaev_wc_status", "WC", "WC"),
    ("rdmaev_cm_code", "CM", "CM"),
)


def structures(text):
    """Members of the structures of the ABI, with the structure that one is of."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.S | re.M):
        members = {}
        for line in re.findall(r"^\t(\S[^;{}]*);", body, re.M):
            match = re.match(r"(?:struct (\w+) )?.*?(\w+)(?:\[.*)?$", line)
            members[match[2]] = match[1]
        found[name] = members
    return found


def field_of(structs, struct, name):
    """Path of the field that has a name, and its structure; None: there is none."""
    members = structs[struct]
    if name in members:
        return struct, name
    for member, inner in members.items():
        if not inner:
            continue
        if name.startswith(member + "_") and name[len(member) + 1:] in structs[inner]:
            return struct, f"{member}.{name[len(member) + 1:]}"
        # What is so in several bodies
        if member in ("info", "queues") and name in structs[inner]:
            return struct, f"{member}.{name}"
    return None


def codes(text):
    """The ABI header, with the codes of verbs that the catalogue names"""
    with open(CATALOGUE, encoding="utf-8") as file:
        catalogue = file.read()
    for enum, kind, prefix in CODES:
        found = re.findall(rf"^EVENT\({kind}, (\d+), (\w+),$", catalogue, re.M)
        if len(found) != len(re.findall(rf"^EVENT\({kind},", catalogue, re.M)):
            sys.exit(f"{CATALOGUE}: an event of {kind} begins with EVENT({kind}, number, name, "
                     "and a new line")
        rows = [f"\tRDMAEV_{prefix}_{name.removeprefix(f'{prefix}_')} = {code},\n"
                for code, name in sorted(found, key=lambda one: int(one[0]))]
        text, count = re.subn(rf"(?<=^enum {enum} \{{\n).*?(?=^\}};)",
                              "".join(rows), text, flags=re.M | re.S)
        if not count:
            sys.exit(f"{ABI}: no enum {enum}")
    return text


def constants(text):
    """Names of the numbers of the ABI, but for sizes"""
    name_and_value = r"^(?:#define |\t)(RDMAEV_\w+)(?: = |[ \t]+)([^\n]*)"
    for name, value in re.findall(name_and_value, text, re.M):
        if "sizeof" not in value:
            yield name


def layouts(text, structs):
    """selftests/tests/log/abi_layout.h and abi_numbers.h; and the numbers"""
    code = [f"#include <{header}>" for header in ("stddef.h", "stdio.h", "rdma/rdmaev.h")]
    code += ["int main(void)", "{"]
    for name in sorted(set(constants(text))):
        code.append(f'printf("NUMBER({name}, %lld);\\n", (long long){name});')
    for struct, members in structs.items():
        code.append(f'printf("SIZE({struct}, %zu);\\n", sizeof(struct {struct}));')
        for member in members:
            code.append(f'printf("FIELD({struct}, {member}, %zu, %zu);\\n", '
                        f"offsetof(struct {struct}, {member}), "
                        f"sizeof(((struct {struct} *)0)->{member}));")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/rdma")
        with open(folder + "/rdma/rdmaev.h", "w", encoding="utf-8") as file:
            file.write(text)
        with open(folder + "/layout.c", "w", encoding="utf-8") as file:
            file.write("\n".join(code + ["return 0;", "}"]) + "\n")
        subprocess.run(["cc", "-I" + folder, "-o", folder + "/layout", folder + "/layout.c"],
                       check=True)
        out = subprocess.run([folder + "/layout"], check=True, capture_output=True,
                             text=True).stdout
    head = f"/* {LICENCE} */\n/* Made from {ABI}: selftests/described --write */\n"
    lines = out.splitlines(True)
    return *(head + "".join(line for line in lines if line.startswith("NUMBER") is is_number)
             for is_number in (False, True)), \
        {match[1]: int(match[2]) for match in re.finditer(r"NUMBER\((\w+), (-?\d+)\)", out)}
