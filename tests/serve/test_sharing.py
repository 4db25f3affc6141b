"""Connections shared out among workers: two acceptors at one socket take turns, and nobody waits for the dead."""

import asyncio
import socket

import pytest

from weft.serve.sharing import ABSENT, HURRY, STEP, STEPS, Acceptor, Share


class Holder(asyncio.Protocol):
    """Says its number to whoever connects."""

    def __init__(self, share, number):
        self.share, self.number = share, number

    def connection_made(self, transport):
        transport.write(b"%d" % self.number)

    def connection_lost(self, error):
        self.share.add(-1)


@pytest.fixture
def socks():
    """One listening socket by two descriptors, as if in two processes."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as made, made.dup() as other:
        made.setblocking(False)
        yield [made, other]


async def connect(sock):
    reader, writer = await asyncio.open_connection(*sock.getsockname())
    return int(await asyncio.wait_for(reader.readexactly(1), 10)), writer


def acceptor(sock, counts, number):
    share = Share(counts, number)
    return Acceptor(sock, share, lambda: Holder(share, number))


def test_connections_are_shared_out_evenly_also_after_some_are_closed(socks):
    counts = [ABSENT] * 2

    async def run():
        made = [acceptor(sock, counts, number) for number, sock in enumerate(socks)]
        held = [await connect(socks[0]) for _ in range(20)]
        assert list(counts) == [10, 10]
        for number, writer in held:
            if number == 0:
                writer.close()
        while counts[0]:
            await asyncio.sleep(0.001)
        more = [await connect(socks[0]) for _ in range(10)]
        assert [number for number, _ in more] == [0] * 10
        for each in made:
            each.close()
        for _, writer in [*held, *more]:
            writer.close()

    asyncio.run(run())
    assert counts == [ABSENT] * 2


def test_a_worker_that_stands_still_holds_up_others_for_a_moment_only(socks):
    counts = [ABSENT, 0]  # the second has no connection, and takes none

    async def run():
        made = acceptor(socks[0], counts, 0)
        loop = asyncio.get_running_loop()
        began = loop.time()
        held = [await connect(socks[0]) for _ in range(30)]
        took = loop.time() - began
        made.close()
        for _, writer in held:
            writer.close()
        return took

    took = asyncio.run(run())
    assert took >= STEP * STEPS / 2
    assert took < 30 * STEP * STEPS + 2 * HURRY  # not the full wait for each of them


def test_what_the_system_refuses_is_tried_again(socks, monkeypatch):
    counts, tries = [ABSENT], []
    monkeypatch.setattr("weft.serve.sharing.REST", 0.01)

    class Short:
        """A socket of a process that has too many files open at first."""

        def fileno(self):
            return socks[0].fileno()

        def accept(self):
            tries.append(1)
            if len(tries) < 3:
                raise OSError(24, "Too many open files")
            return socks[0].accept()

    async def run():
        made = acceptor(Short(), counts, 0)
        number, writer = await connect(socks[0])
        made.close()
        writer.close()
        return number

    assert asyncio.run(run()) == 0
    assert len(tries) == 3
