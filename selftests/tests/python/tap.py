# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Test cases of unittest as TAP, and what the tests of the Python package share."""
import os
import subprocess
import time
import traceback
import unittest

TOP = os.environ["RDMAEV_TOP"]
GEN = "/sys/kernel/debug/rdmaev_gen/run"
# As in tap.sh: wait for conditions, this long at most
SOON = 30 * int(os.environ.get("RDMAEV_SLOW", "1"))


class TapResult(unittest.TestResult):
    """Prints a point for each test."""

    points = 0

    def _point(self, verdict, test, remark=""):
        self.points += 1
        name = test.id().split(".", 1)[1]
        print(f"{verdict} {self.points} {name}{remark}", flush=True)

    def addSuccess(self, test):
        self._point("ok", test)

    def addSkip(self, test, reason):
        self._point("ok", test, f" # SKIP {reason}")

    def _failed(self, test, error):
        self._point("not ok", test)
        print("# " + "".join(traceback.format_exception(*error)).replace("\n", "\n# "))

    addError = addFailure = _failed

    def addSubTest(self, test, subtest, error):
        if error:
            self._failed(test, error)


def main():
    result = TapResult()
    unittest.defaultTestLoader.loadTestsFromName("__main__").run(result)
    print(f"1..{result.points}")


def happen(device, code, port=1, count=1, mode="process"):
    """The device reports an event."""
    with open(GEN, "w", encoding="ascii") as file:
        file.write(f"{mode} {device} {code} {port} {count}")


def command(*arguments):
    """What the rdmaev command prints."""
    return subprocess.run(["rdmaev", *arguments], check=False, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


def within(condition):
    """Wait until it is true."""
    end = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("the condition does not come")
        time.sleep(0.05)


def is_blocked(thread):
    """A thread waits in ppoll(2) or epoll_wait(2)."""
    with open(f"/proc/{thread}/syscall", encoding="ascii") as file:
        return file.read().split()[0] in ("271", "232", "281")
