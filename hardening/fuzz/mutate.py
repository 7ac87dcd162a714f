"""Random changes of bytes, as damaged and malicious files have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

# Numbers at which programs that compute sizes and positions go wrong.
SMALL_EDGES = (0, 1, -1, 7, 127, 128, 255, 256, 32767, 65535)
EDGES = (
    *SMALL_EDGES,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**63 - 1,
    2**63,
)
SIZES = (1, 2, 4, 8)
LONGEST = 1 << 16


def flip_bit(data: bytearray, rng: Random) -> None:
    """Change one bit."""
    place = rng.randrange(len(data))
    bit = rng.randrange(8)
    data[place] ^= 1 << bit


def set_byte(data: bytearray, rng: Random) -> None:
    """Change one byte."""
    data[rng.randrange(len(data))] = rng.randrange(256)


def set_number(data: bytearray, rng: Random) -> None:
    """Overwrite an integer of any size and byte order."""
    size = rng.choice(SIZES)
    value = rng.choice(EDGES) % 2 ** (8 * size)
    start = rng.randrange(len(data))
    byte_order = rng.choice(("little", "big"))
    data[start : start + size] = value.to_bytes(size, byte_order)


def remove(data: bytearray, rng: Random) -> None:
    """Remove some bytes."""
    start = rng.randrange(len(data))
    size = rng.randint(1, 16)
    del data[start : start + size]


def insert(data: bytearray, rng: Random) -> None:
    """Insert random bytes."""
    start = rng.randrange(len(data) + 1)
    size = rng.randint(1, 8)
    data[start:start] = rng.randbytes(size)


def repeat(data: bytearray, rng: Random) -> None:
    """Repeat a part many times."""
    start = rng.randrange(len(data))
    part = data[start : start + rng.randint(1, 32)]
    data[start:start] = part * rng.randint(1, 20)


def move(data: bytearray, rng: Random) -> None:
    """Copy a part elsewhere."""
    start = rng.randrange(len(data))
    part = data[start : start + rng.randint(1, 32)]
    target = rng.randrange(len(data))
    data[target : target + len(part)] = part


def cut(data: bytearray, rng: Random) -> None:
    """Drop the end."""
    del data[rng.randrange(len(data)) :]


CHANGES: tuple[Callable[[bytearray, Random], None], ...] = (
    flip_bit,
    set_byte,
    set_number,
    remove,
    insert,
    repeat,
    move,
    cut,
)


def mutate(content: bytes, rng: Random, words: Sequence[bytes] = ()) -> bytes:
    """Return the content with a few random changes; ``words`` are pieces that may be inserted."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        if not data:
            data += rng.randbytes(4)
        if words and rng.random() < 0.4:
            start = rng.randrange(len(data) + 1)
            data[start : start + rng.choice((0, 1, 4))] = rng.choice(words)
        else:
            change = rng.choice(CHANGES)
            change(data, rng)
    return bytes(data[:LONGEST])
