# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`async for` over events of a device, beside other tasks."""
import asyncio
import unittest

import rdmaev

import tap


async def take(stream, count):
    """Codes of the next events."""
    codes = []
    async for event in stream:
        codes.append(int(event.code))
        if len(codes) == count:
            break
    return codes


class Asyncio(unittest.TestCase):
    def run_it(self, coroutine):
        asyncio.run(asyncio.wait_for(coroutine, 4 * tap.SOON))

    def test_events_come_to_all_tasks(self):
        async def both():
            with rdmaev.watch(devices="pysim") as one, \
                    rdmaev.watch(severity="error", netlink=True) as two:
                tasks = [asyncio.ensure_future(take(one, 3)), asyncio.ensure_future(take(two, 2))]
                await asyncio.sleep(0)
                for code in (14, 110, 19):
                    await asyncio.get_running_loop().run_in_executor(
                        None, tap.happen, "pysim", code)
                self.assertEqual(await asyncio.gather(*tasks), [[14, 110, 19], [14, 19]])

        self.run_it(both())

    def test_log_ends(self):
        async def read_log():
            tap.happen("pysim", 111)
            return [int(e.code) async for e in rdmaev.log(devices="pysim")]

        self.assertEqual(asyncio.run(read_log())[-1], 111)

    def test_nothing_is_lost_when_a_task_is_cancelled(self):
        async def cancel_often():
            with rdmaev.watch(devices="pysim") as stream:
                codes = []
                for code in range(200, 230):
                    task = asyncio.ensure_future(stream.__anext__())
                    for _ in range(code % 3):
                        await asyncio.sleep(0)
                    if code % 2:
                        tap.happen("pysim", code)
                        await asyncio.sleep(0)
                    else:
                        await asyncio.sleep(0)
                        tap.happen("pysim", code)
                    task.cancel()
                    try:
                        codes.append(int((await task).code))
                    except asyncio.CancelledError:
                        pass
                while len(codes) < 30:
                    codes.append(int((await stream.__anext__()).code))
                self.assertEqual(codes, list(range(200, 230)))

        self.run_it(cancel_often())

    def test_other_tasks_run_while_events_pour_in(self):
        async def pour():
            turns = 0

            async def other():
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            with rdmaev.watch(devices="pysim") as stream:
                tap.happen("pysim", 1000, count=1000, mode="cpus=process")
                task = asyncio.ensure_future(other())
                first = turns
                await take(stream, 1500)
                task.cancel()
                self.assertGreater(turns, first + 3)

        self.run_it(pour())

    def test_a_stream_is_for_one_task(self):
        async def twice():
            with rdmaev.watch(devices="pysim") as stream:
                first = asyncio.ensure_future(stream.__anext__())
                while not stream._is_waiting:
                    await asyncio.sleep(0)
                with self.assertRaisesRegex(RuntimeError, "another task"):
                    await stream.__anext__()
                tap.happen("pysim", 112)
                self.assertEqual(int((await first).code), 112)

        self.run_it(twice())

    def test_the_loop_forgets_a_closed_reader(self):
        async def often():
            for _ in range(3):
                with rdmaev.watch(devices="pysim") as stream:
                    task = asyncio.ensure_future(stream.__anext__())
                    while not stream._is_waiting:
                        await asyncio.sleep(0)
                    task.cancel()
                    await asyncio.sleep(0)
                    self.assertFalse(
                        asyncio.get_running_loop().remove_reader(stream.reader.fileno()))

        self.run_it(often())

    def test_hang_up_is_an_error(self):
        async def hang_up():
            with rdmaev.watch() as stream:
                task = asyncio.ensure_future(stream.__anext__())
                while not stream._is_waiting:
                    await asyncio.sleep(0)
                await asyncio.get_running_loop().run_in_executor(None, tap.command, "release")
                with self.assertRaises(rdmaev.HungUpError):
                    await task

        self.run_it(hang_up())


tap.main()
