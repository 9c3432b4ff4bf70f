# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A reader that falls behind gets the exact number of lost events.

The log keeps 64 records of each ring. pysim reports events of numbers without a name, each of
which is a record.
"""
import asyncio
import unittest

import rdmaev

import tap


def newest():
    with rdmaev.Reader() as reader:
        return reader.info().newest_seq


def happen(first, count):
    """So many events; returns how many records there are more."""
    before = newest()
    for code in range(first, first + count):
        tap.happen("pysim", code)
    return newest() - before


class Loss(unittest.TestCase):
    def check(self, events, there):
        """They ascend, and delivered and lost ones are all."""
        lost = [e for e in events if isinstance(e, rdmaev.LostEvent)]
        self.assertTrue(lost)
        self.assertEqual(len(events) - len(lost) + sum(e.count for e in lost), there)
        seqs = [e.seq for e in events]
        self.assertEqual(seqs, sorted(set(seqs)))
        for e in lost:
            self.assertLessEqual(e.first, e.last)
            self.assertGreaterEqual(e.last - e.first + 1, e.count)
            self.assertFalse([s for s in events if s not in lost and s.ring == e.ring
                              and e.first <= s.seq <= e.last])

    def test_count_is_exact(self):
        with rdmaev.watch() as events:
            there = happen(100, 200)
            found = events.reader.read()
            self.check(found, there)
            self.assertEqual(len(found), 65)
            self.assertEqual(events.reader.info().lost, sum(e.count for e in found[:1]))

    def test_slow_reader(self):
        with rdmaev.watch() as events:
            found, there = [], 0
            for i in range(8):
                there += happen(1000 + 100 * i, 90)
                found += [next(events) for _ in range(3)]
            end = newest()
            while not found or found[-1].seq < end:
                found.append(next(events))
            self.check(found, there)

    def test_no_filter_hides_it(self):
        selections = [{"devices": "pysim"}, {"severity": "info"}, {"kinds": "async"},
                      {"events": ["2150"]}, {"devices": "nosuch"}, {"qp": 7}, {"pid": 77}]
        streams = [rdmaev.watch(**s) for s in selections]
        everything = rdmaev.watch()
        happen(2000, 200)
        lost = next(everything)
        self.assertIsInstance(lost, rdmaev.LostEvent)
        for stream, selection in zip(streams, selections):
            event = next(stream)
            self.assertIsInstance(event, rdmaev.LostEvent, selection)
            self.assertEqual((event.count, event.last), (lost.count, lost.last), selection)

    def test_none_where_nothing_was_lost(self):
        with rdmaev.watch(kinds="device") as devices:
            happen(3000, 200)
            self.assertEqual(devices.reader.read(), [])

    def test_log_begins_with_it(self):
        first = newest() + 1
        happen(4000, 200)
        found = list(rdmaev.log(since=first))
        self.check(found, newest() - first + 1)
        self.assertFalse([e for e in rdmaev.log() if e.kind == rdmaev.Kind.LOST])

    def test_asyncio(self):
        async def read():
            with rdmaev.watch() as stream:
                there = happen(5000, 150)
                found = []
                async for event in stream:
                    found.append(event)
                    if event.code == 5149:
                        break
                self.check(found, there)

        asyncio.run(read())


tap.main()
