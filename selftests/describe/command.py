# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Synopsis, commands and options of rdmaev(8), from commands.def and options.def"""
import re
import sys
import textwrap

COMMANDS = "ulib/cmd/commands.def"
OPTIONS = "ulib/cmd/option/options.def"
WIDTH = 96
SYNOPSIS_WIDTH = 71


def escaped(text):
    """Text for roff"""
    return text.replace("\\", "\\e").replace("-", "\\-")


def entries(path):
    """Of each macro of a file: the paragraphs above it, its arguments"""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for part in text.rstrip().split("\n\n"):
        match = re.fullmatch(r"/\*\n(.*?) \*/\n[A-Z]+\((.*)\)", part, re.S)
        if not match:
            if re.search(r"^[A-Z]+\(", part, re.M):
                sys.exit(f"{path}: not /*, text, */, MACRO(...) between empty lines:\n{part}")
            continue
        about, args = match.groups()
        about = "".join(line[3:] or "\n" for line in about.splitlines(True))
        yield [" ".join(one.split()) for one in about.split("\n\n")], args


def field(args, name):
    """A field that is a string or a letter; None: it has none"""
    match = re.search(rf"""\.{name} = (["'])(.*?)\1""", args)
    return match and match[2]


def users(args):
    """The commands that take an option; None: all"""
    uses = args[args.index(".uses = {"):]
    found = re.findall(r'\{ (?:NULL|"([a-z ]+)"),', uses)
    if len(found) != uses.count("{ ") - uses.count("{ {"):
        sys.exit(f"{OPTIONS}: commands cannot be read in\n{args}")
    return None if "" in found else " ".join(found).split()


def marked(text, names):
    """A paragraph for roff, with sentences on lines of their own"""
    text = re.sub(r"\{([a-z-]+)\}", lambda match: ", ".join(
        f"`{name}`" for name in names(match[1])), text)
    bold = []
    # Neither italics nor the end of a sentence are in what is bold.
    text = re.sub(r"`([^`]*)`", lambda match: bold.append(match[1]) or "\0", escaped(text))
    text = re.sub(r"(?<!\w)_(\S(?:.*?\S)??)_(?!\w)", r"\\fI\1\\fR", text)
    text = re.sub(r"([.;:]) (?=[A-Z\0\\])", r"\1\n", text)
    words = iter(bold)
    for sentence in text.splitlines():
        sentence = re.sub("\0", lambda match: "\\fB" + next(words).replace("'", "\\(aq") +
                          "\\fR", sentence)
        for line in textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False):
            yield "\\&" + line if line[0] in ".'" else line


def value(argument):
    """The value of an option, as it is in its heading: EVENT,... is EVENT[,EVENT]..."""
    argument = re.sub(r"^(\w+),\.\.\.$", r"\1[,\1]...", argument)
    return re.sub(r"[A-Z]+", r"\\fI\g<0>\\fR", argument)


def paragraphs(about, names):
    """All of them"""
    for i, one in enumerate(about):
        if i:
            yield ".IP"
        yield from marked(one, names)


def options(names):
    """The section OPTIONS"""
    for about, args in entries(OPTIONS):
        letter, argument = field(args, "letter"), field(args, "argument")
        yield ".TP"
        short = f'\\-{letter} ", " ' if letter else ""
        long = escaped("--" + field(args, "name"))
        yield f".{'BR' if letter or argument else 'B'} {short}{long}" + \
            (f" ={value(argument)}" if argument else "")
        yield from paragraphs(about, names)


def commands(names):
    """The section COMMANDS"""
    for about, args in entries(COMMANDS):
        yield from (".TP", f".B {args.split(',')[0]}")
        yield from paragraphs(about, names)


def synopsis():
    """The section SYNOPSIS, but for options that all commands have"""
    taken = [args for _, args in entries(OPTIONS) if users(args) is not None]
    for _, args in entries(COMMANDS):
        name = args.split(",")[0]
        usages = re.findall(r'"(.*?)"', re.search(r"\.usage = \{(.*?)\}", args, re.S)[1])
        begin = f"rdmaev {name}"
        words = [usages[0]] if usages[0] else []
        for option in taken:
            # An argument of that option is another way to use the command.
            if name not in users(option) or any(usage.startswith("--" + field(option, "name"))
                                                for usage in usages):
                continue
            letter, argument = field(option, "letter"), field(option, "argument")
            word = f"-{letter}" if letter else f"--{field(option, 'name')}"
            words.append(f"[{word} {argument}]" if argument else f"[{word}]")
        line = begin
        lines = []
        for word in words:
            if len(line) + 1 + len(word) > SYNOPSIS_WIDTH:
                lines.append(line)
                line = " " * len(begin)
            line += " " + word
        lines += [line] + [f"{begin} {usage}" for usage in usages[1:]]
        for line in lines:
            line = re.sub(r"(?<=[\[ |])--?[a-zA-Z-]+", lambda match: f"\\fB{match[0]}\\fR", line)
            line = re.sub(r"\b[A-Z]{2,}\b|\bN\b", r"\\fI\g<0>\\fR", line)
            line = re.sub(rf"^{begin}", rf"\\fB{begin}\\fR", line)
            yield re.sub(r"(?<=[ |])(up|down|on|off)\b", r"\\fB\1\\fR", escaped(line).replace(
                "\\ef", "\\f"))


def page(text, names):
    """rdmaev(8) with these sections"""
    for path, section, lines, end in (
            (f"{COMMANDS} and {OPTIONS}", "SYNOPSIS", synopsis(), r"\.fi"),
            (COMMANDS, "COMMANDS", commands(names), r"\.SS"),
            (OPTIONS, "OPTIONS", options(names), r"\.SH")):
        made = f'.\\" Made from {path}: selftests/described --write'
        match = re.compile(rf"^\.SH {section}\n(?:(?!\.SH)(?!\.\\\" Made).*\n)*?"
                           rf"(?=\.\\\" Made)", re.M).search(text)
        last = re.compile(rf"^{end}", re.M).search(text, match.end())
        text = text[:match.end()] + "\n".join([made, *lines]) + "\n" + text[last.start():]
    return text
