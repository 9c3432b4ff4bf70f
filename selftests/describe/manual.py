# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""rdmaev-json(5), from the schema"""
import re

PREFIX = "#/definitions/"
HEAD = r'''.\" SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
.\" {made}
.TH RDMAEV\-JSON 5 2026-11-30 "rdmaev" "File Formats"
.nr HY 0
.nh
.ad l
.SH NAME
rdmaev-json \- lines that rdmaev prints as JSON
.SH DESCRIPTION
With
.B \-\-json
most commands of
.BR rdmaev (8)
print one object on each line.
These are all their keys, in their order; none is left out unless that is said.
After each is what its value can be; what is neither a number, a string nor the like is
described further down.
Later versions may append keys.
The same is a JSON Schema,
.IR share/rdmaev/rdmaev.schema.json .
.PP
{about}
'''
TAIL = r'''.SH SEE ALSO
.BR rdmaev (4),
.BR rdmaev\-recording (5),
.BR rdmaev (8)
'''

# Numbers and texts with more to them than their type
SHORT = {
    "large": "number", "positive": "number", "large_or_null": "number or null",
    "positive_or_null": "number or null", "address": "address", "guid": "GUID", "time": "time",
    "instance": "string", "event": "name of an event",
}
WORDS = {"integer": "number", "string": "string", "boolean": "true or false", "null": "null",
         "object": "object", "array": "array"}


def roff(text):
    """A sentence or two for roff, each on its own line"""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"([.;]) (?=[A-Z])", r"\1\n", text).replace("\n.", "\n\\&.")


def sentence(text):
    """A description as a sentence"""
    text = text[0].upper() + text[1:] if text[:1].islower() and not text[:12].count("_") else text
    return roff(text if text.endswith(".") else text + ".")


class Page:
    """The page while it is made"""

    def __init__(self, definitions):
        self.definitions = definitions
        self.objects = []
        self.names = []

    def is_object(self, name):
        """Has a definition keys of its own?"""
        return "properties" in self.definitions[name]

    def see(self, name):
        """A definition is described further down."""
        known = self.objects if self.is_object(name) else self.names
        if name not in known:
            known.append(name)
        return name

    def type_of(self, schema):
        """What a value is, in a few words"""
        if "$ref" in schema:
            name = schema["$ref"][len(PREFIX):]
            if name in SHORT:
                return SHORT[name]
            target = self.definitions[name]
            return self.type_of(target) if target.get("type") == "array" else self.see(name)
        if "anyOf" in schema:
            return self.either([self.type_of(one) for one in schema["anyOf"]])
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.either([name or "null" for name in schema["enum"]])
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = [WORDS[one] for one in types]
        if words[0] == "array" and "properties" not in schema["items"]:
            words[0] = f"array of {self.type_of(schema['items'])}"
        elif words[0] == "array":
            words[0] = "array of objects"
        return self.either(words)

    @staticmethod
    def either(words):
        """a, b or c"""
        words = list(dict.fromkeys(words))
        return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]

    def about(self, schema):
        """Description of a key, else of the object that it is"""
        if "description" in schema:
            return schema["description"]
        name = schema.get("$ref", "")[len(PREFIX):]
        return self.definitions[name].get("description", "") if name in self.objects else ""

    def keys(self, schema):
        """Lines about the keys of an object"""
        for key, value in schema["properties"].items():
            escaped = key.replace("-", "\\-")
            yield ".TP"
            yield f'.BR {escaped} " ({roff(self.type_of(value))})"'
            if about := self.about(value):
                yield sentence(about)
            inner = value.get("items", value)
            if "properties" in inner:
                yield ".RS"
                yield from self.keys(inner)
                yield ".RE"

    def all_names(self, schema):
        """Names that a value can have"""
        if "enum" in schema:
            yield from (name for name in schema["enum"] if name)
        for one in schema.get("anyOf", []):
            yield from self.all_names(one)


def page(schema, made):
    """The text of the page"""
    definitions = schema["definitions"]
    made_page = Page(definitions)
    lines = []
    tops = [one["$ref"][len(PREFIX):] for one in schema["anyOf"]]
    lines.append(".SH OBJECTS")
    for name in tops:
        lines += [f".SS {name.replace('_', ' ')}", sentence(definitions[name]["description"])]
        lines += made_page.keys(definitions[name])
    done = set(tops)
    lines.append(".SH OBJECTS IN OTHERS")
    while left := [name for name in made_page.objects if name not in done]:
        done.add(left[0])
        lines += [f".SS {left[0].replace('_', ' ')}",
                  sentence(definitions[left[0]].get("description", "an object"))]
        lines += made_page.keys(definitions[left[0]])
    lines.append(".SH NAMES")
    for name in made_page.names:
        found = ", ".join(made_page.all_names(definitions[name]))
        lines += [".TP", f".B {name}", sentence(definitions[name].get("description", name))]
        lines += [roff(found) + "."] if found else []
    about = sentence(schema["description"])
    return HEAD.replace("{made}", made).replace("{about}", about) + "\n".join(lines) + "\n" + TAIL
