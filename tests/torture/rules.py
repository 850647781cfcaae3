"""Rules that make valid inputs malformed. Each takes a valid input and a random generator, and returns a malformed input.

All rules here always do damage, so every result must be refused.
"""

import bz2
import gzip
import json
import pickle
import struct
import zlib
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from io import BytesIO

from PIL import Image

BRACKETS = 100_000
BOMB = 3 << 30
"""Expanded size in bytes of a small compressed file."""


# ------------------------------------------------------------------------------------------- bytes of any file


def cut(good: bytes, rng) -> bytes:
    return good[: rng.integers(1, len(good) // 2)]


def emptied(good: bytes, rng) -> bytes:
    return b""


def all_ones(good: bytes, rng) -> bytes:
    return b"\xff" * len(good)


def longer(good: bytes, rng) -> bytes:
    return good + b"\x07"


def pickled(good: bytes, rng) -> bytes:
    return pickle.dumps({"data": good[:100], "labels": [1, 2, 3]})


def text_instead(good: bytes, rng) -> bytes:
    return b"<html>404: no such data set</html>" * int(rng.integers(1, 50))


# ------------------------------------------------------------------------------------------------- JSON as text


def nested(good: bytes, rng) -> bytes:
    return b"[" * BRACKETS + good + b"]" * BRACKETS


def twice(good: bytes, rng) -> bytes:
    return good + good


def not_text(good: bytes, rng) -> bytes:
    place = int(rng.integers(2, len(good)))
    return good[:place] + b"\xff" + good[place:]


def with_nan(good: bytes, rng) -> bytes:
    content = json.loads(good)
    first = content[0] if isinstance(content, list) else content
    first["seconds"] = float("nan")
    return json.dumps(content).encode()


def half_a_character(good: bytes, rng) -> bytes:
    """The first half of a character that JSON writes as two, inserted after some name."""
    places = [place for place in range(len(good)) if good.startswith(b'": "', place)]
    place = places[rng.integers(len(places))] + 4
    return good[:place] + b"\\ud83d" + good[place:]


TEXTS = {
    "cut in its first half": cut,
    "empty": emptied,
    "all bytes 255": all_ones,
    "a pickle": pickled,
    "a page of the web": text_instead,
    f"{BRACKETS} brackets around it": nested,
    "twice, one after the other": twice,
    "a byte in it that is no UTF-8": not_text,
    "a NaN in it": with_nan,
    "half a character in it": half_a_character,
}

# --------------------------------------------------------------------------------------------------- JSON's parts

WRONG = (None, 17, -0.5, "\ud800 text", True, [], [[]], ["a", 1], {}, {"a": None})
"""Values of every kind; at least one is wrong wherever a particular kind is required."""


def at(content, path: str):
    """The container of the last name of a dotted path, and that name."""
    *above, last = (int(name) if name.isdecimal() else name for name in path.split("."))
    for name in above:
        content = content[name]
    return content, last


def without(*paths: str) -> Callable:
    def change(good, rng):
        content = deepcopy(good)
        holder, name = at(content, str(rng.choice(paths)))
        del holder[name]
        return content

    return change


def other_kind(kinds: Mapping[str, tuple]) -> Callable:
    """A value of a wrong type; `kinds` gives the right types by path."""

    def change(good, rng):
        content = deepcopy(good)
        path = str(rng.choice(list(kinds)))
        holder, name = at(content, path)
        wrong = [
            value
            for value in WRONG
            if not isinstance(value, kinds[path]) or (value is True and bool not in kinds[path])
        ]
        holder[name] = wrong[rng.integers(len(wrong))]
        return content

    return change


def replaced(path: str, *values) -> Callable:
    def change(good, rng):
        content = deepcopy(good)
        holder, name = at(content, path)
        holder[name] = values[rng.integers(len(values))]
        return content

    return change


def whole(good, rng):
    return WRONG[rng.integers(len(WRONG))]


NONE, TEXT, NUMBER, MANY, PARTS = type(None), str, (int, float), list, dict

RECORDS = {
    "a part is missing": without("id", "kind", "verdict", "source", "statement", "evidence", "uses", "reason", "seconds", "source.paper", "statement.relation", "statement.latex", "evidence.0.check", "evidence.0.reason", "evidence.0.tightness", "witness.shape", "witness.lhs", "witness.conditions"),
    "a part is of another kind": other_kind({"id": (TEXT,), "kind": (TEXT,), "verdict": (TEXT,), "source": (PARTS,), "statement": (PARTS,), "evidence": (MANY,), "uses": (MANY,), "reason": (MANY,), "seconds": NUMBER, "source.paper": (TEXT,), "source.lines": (TEXT,), "statement.conditions": (MANY,), "statement.says": (TEXT,), "evidence.0": (PARTS,), "evidence.0.tightness": (*NUMBER, NONE), "evidence.0.trials": (int, NONE), "evidence.0.witness": (PARTS, NONE), "witness": (PARTS, NONE), "witness.shape": (PARTS,), "witness.lhs.0": NUMBER, "changes": (TEXT,), "proof": (PARTS, NONE), "tightness": (*NUMBER, NONE)}),
    "a verdict that there is not": replaced("verdict", "true", "PROVED", "", "refuted "),
    "something else as a whole": whole,
}  # fmt: skip
WITNESSES = {
    "a part is missing": without("statement", "scene", "relation", "conditions", "shape", "parameters", "lhs", "rhs", "steps", "shape.M", "parameters.lam"),
    "a part is of another kind": other_kind({"statement": (TEXT,), "scene": (TEXT,), "relation": (TEXT,), "conditions": (MANY,), "shape": (PARTS,), "parameters": (PARTS,), "steps": (PARTS,), "lhs": (MANY,), "rhs": (MANY,), "shape.M": (int,), "lhs.0": NUMBER}),
    "a number that is none": replaced("parameters.lam", "1/0", "nan", "inf", "1e99999", "--1", "0x10", "1" * 401, "one", None, [], "1/2/3"),
    "a number out of its range": replaced("parameters.lam", "-1", "1000000000", "-1/3"),
    "a size that is too large": replaced("shape.M", 10**9, 10**30, -1),
    "a shape that is not the scene's": replaced("shape", {"M": 1}, {"M": 1, "N": 1, "t": 2, "d": 1, "more": 1}, {}),
    "an end that no float holds": replaced("lhs.0", 10**309, -(10**4000)),
    "another relation": replaced("relation", "Eq(1, 1)", "a <= b", "__import__('os')"),
    "a statement that there is not": replaced("statement", "special.thm99", "", "../../etc/passwd", "special.eq27\n", "x" * 10_000),
    "another scene": replaced("scene", "another", "", "\x00"),
    "something else as a whole": whole,
}  # fmt: skip
STARTS = {
    "a part is missing": without(
        "id", "start", "trials", "ratio", "instance", "witness", "seconds", "digest"
    ),
    "another number": replaced("ratio", 0.5, 1e9, None, "1", []),
    "another start": replaced("start", 2, -1, "1", None),
    "another instance": replaced("instance", {}, [], "x", 3),
    "something else as a whole": whole,
}
CURVES = {
    "a part is missing": without(
        "name", "sweeps", "sweeps.K", "sweeps.N.values", "sweeps.T.bound", "sweeps.K.terms"
    ),
    "a part is of another kind": other_kind(
        dict.fromkeys(("sweeps", "sweeps.K", "sweeps.N.terms", "sweeps.T.free"), (PARTS,))
    ),
    "another curve's name": replaced("name", "drift", "", None, 3),
    "something else as a whole": whole,
}
CERTIFICATES = {
    "a part is missing": without("symbols", "lines"),
    "a part is of another kind": other_kind({"symbols": (PARTS,), "lines": (MANY,), "lines.0": (PARTS,)}),
}

# -------------------------------------------------------------------------------------------------- theorem files


def line_put_in(*lines: str) -> Callable:
    """One of the lines before `CLAIMS`, which is the last line."""

    def change(good: str, rng) -> str:
        *before, last = good.rstrip("\n").split("\n")
        return "\n".join([*before, lines[rng.integers(len(lines))], last, ""])

    return change


def claims_are(*values: str) -> Callable:
    def change(good: str, rng) -> str:
        return "\n".join(
            [*good.rstrip("\n").split("\n")[:-1], f"CLAIMS = {values[rng.integers(len(values))]}", ""]
        )

    return change


def cut_text(good: str, rng) -> str:
    return good[: rng.integers(1, len(good) - 10)]


def swapped(*pairs: tuple[str, str]) -> Callable:
    def change(good: str, rng) -> str:
        old, new = pairs[rng.integers(len(pairs))]
        assert old in good
        return good.replace(old, new)

    return change


THEOREMS = {
    "cut": cut_text,
    "no Python": line_put_in("def (", "x = = 1", "if True", "    indented", "'unclosed", "a b c", "\x00", "print 'x'"),
    "fails": line_put_in("1 / 0", "raise SystemExit", "raise ValueError('two\\nlines')", "import nothing_of_this_name", "undefined_name", "[][1]", "def f(): return f()\nf()", "assert 0", "exit(3)", "open('/nowhere/at/all')"),
    "claims are none": claims_are("None", "5", "'notes'", "()", "[]", "[1]", "{}", "[None, None]", "notes", "print"),
    "a wrong argument": swapped(('claim("young"', 'claim(3, "young"'), ('claim("young"', 'claim(""'), ('claim("young"', "claim(None"), ('Notes("young")', "Notes(7)"), ('Notes("young")', "Notes()")),
    "a relation that is none": swapped(("a * b <= ", "a * b, "), ("a * b <= ", "a * b + "), ("a * b <= c", "1 <= 2, c")),
    "a name of the catalogue": swapped(('Notes("young")', 'Notes("special")')),
}  # fmt: skip

# ------------------------------------------------------------------------------------------------------ data files


def huge_lengths(good: bytes, rng) -> bytes:
    """An idx file whose header claims more data than any machine can hold."""
    return good[:4] + b"\xff" * 12 + good[16:]


def other_lengths(good: bytes, rng) -> bytes:
    length = struct.unpack(">I", good[4:8])[0] + int(rng.integers(1, 1000))
    return good[:4] + struct.pack(">I", length) + good[8:]


def other_kind_of_idx(good: bytes, rng) -> bytes:
    return good[:2] + bytes([int(rng.choice([0, 9, 11, 12, 13, 14, 255]))]) + good[3:]


def other_axes(good: bytes, rng) -> bytes:
    others = [axes for axes in (0, 1, 2, 3, 4, 200) if axes != good[3]]
    return good[:3] + bytes([int(rng.choice(others))]) + good[4:]


BYTES = {
    "cut in its first half": cut,
    "empty": emptied,
    "all bytes 255": all_ones,
    "a pickle": pickled,
    "a page of the web": text_instead,
}
IDX = {
    **BYTES,
    "a byte more": longer,
    "lengths of the header beyond all memory": huge_lengths,
    "another count": other_lengths,
    "another type of numbers": other_kind_of_idx,
    "another number of axes": other_axes,
}
GZIP = {**BYTES, "a byte more": longer}
RECORDS_OF_BYTES = {**BYTES, "a byte more": longer}


def bz2_bomb(good: bytes, rng) -> bytes:
    return bz2.compress(bytes(1 << 24)) * (BOMB >> 24)


def gzip_bomb(good: bytes, rng) -> bytes:
    return gzip.compress(bytes(1 << 24)) * (BOMB >> 24)


def picture_bomb(good: bytes, rng) -> bytes:
    """A picture of a few kilobytes that is 13,000 pixels wide and high."""
    file = BytesIO()
    Image.new("1", (13_000, 13_000)).save(file, "png")
    return file.getvalue()


def outside(good: bytes, rng) -> bytes:
    """Paths that leave the folder."""
    return rng.choice([b"../../../etc/passwd 3\n", b"/etc/passwd 3\n", b"a/../../../x.bmp 1\n"]).replace(
        b" ", b"\t" if b"\t" in good else b" "
    )


def absent(good: bytes, rng) -> bytes:
    return good.replace(b"picture", b"not_there").replace(b"val_", b"not_there")


def no_number(good: bytes, rng) -> bytes:
    return b"\n".join(line.split()[0] for line in good.splitlines())


def other_digits(good: bytes, rng) -> bytes:
    """Class labels of digits that are not decimal numbers."""
    number = ["²", "٣", "9" * 5000, "-1", "1_0"][rng.integers(5)].encode()
    mark = b"\t" if b"\t" in good else b" "
    return b"\n".join(line.split()[0] + mark + number for line in good.splitlines())


def zero_byte(good: bytes, rng) -> bytes:
    return good.replace(b"picture", b"pic\0ture").replace(b"val_", b"val\0")


def postscript(good: bytes, rng) -> bytes:
    """A program under the name of a picture, for which Pillow would start another program."""
    return b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\n(x) run showpage\n"


@cache
def _matrix(count: int) -> bytes:
    """This number of black pictures as `X` of a compressed MATLAB file."""
    size, packed = 3072 * count, zlib.compressobj(1)
    head = struct.pack("<IIII", 6, 8, 9, 0) + struct.pack("<IIiiii", 5, 16, 32, 32, 3, count)
    head += struct.pack("<HH4s", 1, 1, b"X") + struct.pack("<II", 2, size)
    parts = [packed.compress(struct.pack("<II", 14, len(head) + size) + head)]
    parts += [packed.compress(bytes(min(1 << 24, size - done))) for done in range(0, size, 1 << 24)]
    whole = b"".join([*parts, packed.flush()])
    return (
        b"MATLAB 5.0 MAT-file".ljust(124)
        + struct.pack("<HH", 0x100, 0x4D49)
        + struct.pack("<II", 15, len(whole))
        + whole
    )


def matlab_bomb(good: bytes, rng) -> bytes:
    return _matrix(BOMB // 3072)


def not_utf8(good: bytes, rng) -> bytes:
    place = int(rng.integers(0, len(good)))
    return good[:place] + b"\xff\xfe" + good[place:]


USPS = {**BYTES, "three gigabytes in a small file": bz2_bomb}
MATLAB = {**BYTES, "three gigabytes in a small file": matlab_bomb}
PICTURES = {**BYTES, "PostScript": postscript, "169 million pixels in a small file": picture_bomb}
LISTS = {
    "empty": emptied,
    "bytes that are no UTF-8": not_utf8,
    "a page of the web": text_instead,
    "pictures that are not there": absent,
    "no classes": no_number,
    "digits that are no number": other_digits,
    "a zero byte in a name": zero_byte,
    "pictures elsewhere": outside,
}
CLASSES = {"empty": emptied, "bytes that are no UTF-8": not_utf8, "a page of the web": text_instead}
GZIP["three gigabytes in a small file"] = gzip_bomb
