"""Makes JSON invalid by changes of values or bytes."""

import copy
import json


class Raw(str):
    """Raw text to be inserted into JSON."""


NASTY = [
    None, True, False, 0, -1, 1, 2, 0.5, -0.0, 5e-324, 1e100, 1.0000001e100, 1e308, -1e308, 2**31, 2**53, 2**63 - 1,
    2**63, 2**64 - 1, 2**64, 10**30, Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e400"), Raw("-"), Raw("01"),
    Raw("\"\\ud800\""), Raw("\"\\u0000\""), Raw("{\"a\":1,\"a\":2}"), Raw("/* */ 1"), "", "a", "NaN", "inf", "1", "\n",
    "\x7f", "ü", "日本🌲", "x" * 5000, "'; DROP TABLE studies; --", "../etc", "%00", [], {}, [[]], [{}], [None],
    {"": ""}, {"x": {"x": {}}}, [0.5] * 300, Raw("[" * 50 + "]" * 50), Raw("[" * 20000), Raw("{\"a\":" * 5000),
]  # fmt: skip


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def changed(value, chance):
    """The value with a change, an insertion or a removal at a random place."""
    value = copy.deepcopy(value)
    path = chance.choice(list(places(value)))
    if not path:
        return chance.choice([value, value, chance.choice(NASTY)])
    parent = value
    for key in path[:-1]:
        parent = parent[key]
    what, key = chance.randrange(7), path[-1]
    if what == 0:
        del parent[key]
    elif what <= 2:
        parent[key] = chance.choice(NASTY)
    elif what == 3 and isinstance(parent, list):
        parent.insert(chance.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
    elif what == 3:
        parent[chance.choice(["", "pulls", "ticket", "arm", "kind", key + "s", key.upper()])] = parent[key]
    elif what == 4 and isinstance(parent, list):
        chance.shuffle(parent)
    elif what == 5 and isinstance(parent[key], (int, float)) and not isinstance(parent[key], bool):
        parent[key] = parent[key] * chance.choice([-1, 2, 1e10, 1e-300]) + chance.choice([0, 1])
    else:
        parent[key] = [parent[key]] if chance.random() < 0.5 else {"a": parent[key]}
    return value


def text_of(value):
    """JSON with raw texts inserted literally."""
    raws = []

    def plain(each):
        if isinstance(each, Raw):
            raws.append(str(each))
            return f"@raw{len(raws) - 1}@"
        if isinstance(each, dict):
            return {key: plain(inner) for key, inner in each.items()}
        return [plain(inner) for inner in each] if isinstance(each, list) else each

    text = json.dumps(plain(value), ensure_ascii=False)
    for number, raw in enumerate(raws):
        text = text.replace(f'"@raw{number}@"', raw)
    return text.encode("utf-8", "surrogatepass")


def damaged(text, chance):
    """Bytes with some changed, cut off or added."""
    text = bytearray(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        what = chance.randrange(4)
        if what == 0:
            del text[at:]
        elif what == 1:
            text[at:at] = chance.choice([b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\", b'"', b"}", b"1e999", b","])
        elif what == 2 and text:
            text[at % len(text)] = chance.randrange(256)
        else:
            del text[at : at + chance.randrange(5)]
    return bytes(text)


def spoiled(value, chance):
    """The bytes of a value: unchanged, changed in one or several places, or damaged."""
    draw = chance.random()
    if draw < 0.15:
        return text_of(value)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        value = changed(value, chance)
    text = text_of(value)
    return damaged(text, chance) if draw > 0.85 else text
