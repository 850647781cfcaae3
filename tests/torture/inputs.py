"""Valid inputs of every kind, the commands that read them, and the malformed inputs that rules make from them."""

import atexit
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np
from scipy.io import savemat

from tests.networks.test_loaders import PACS, grey, write_domains, write_libsvm, write_mnist, write_pictures
from tests.torture import rules
from verify.commands.main import main as run
from verify.curves import compute
from verify.engine.certificates.store import entries
from verify.engine.records.files import read_json, write_json
from verify.engine.search.hunt import file_of, search_from

ROOT = Path(__file__).resolve().parents[2]

NETWORKS = "--tasks 1 --clients 2 --sampled 1 --seeds 1 --rounds 1 --epochs 1 --limit 20 --jobs 1 --algorithms fedavg"


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    Attributes
    ----------
    good : (folder) -> None
        Writes good files.
    files : sequence of str
        The files among them that are damaged, one at a time.
    rules : mapping of str to function
        (content, generator) -> malformed content.
    command : str
        With FOLDER and FILE, run by `python -m`.
    read, write : functions that convert between bytes and the input of the rules
    """

    good: Callable[[Path], None]
    files: Sequence[str]
    rules: Mapping[str, Callable]
    command: str
    read: Callable[[bytes], object] = bytes
    write: Callable[[object], bytes] = bytes


def _dumped(content) -> bytes:
    return json.dumps(content).encode()


@dataclass(frozen=True)
class Malformed:
    """One malformed input: its kind, its rule, and the command that receives it."""

    kind: str
    rule: str
    argv: list[str]


def malformed(name: str, each: int, folder: Path) -> Iterator[Malformed]:
    """`each` malformed inputs by every rule of a kind; each overwrites the one before."""
    kind = KINDS[name]
    for rule, change in kind.rules.items():
        for number in range(each):
            place = folder / f"{len(list(folder.iterdir()))}"
            place.mkdir()
            kind.good(place)
            rng = np.random.default_rng([number, *rule.encode()])
            file = place / kind.files[rng.integers(len(kind.files))]
            file.write_bytes(kind.write(change(kind.read(file.read_bytes()), rng)))
            command = kind.command.replace("FOLDER", str(place)).replace("FILE", str(file))
            yield Malformed(name, rule, command.split())


# ----------------------------------------------------------------------------------------------- valid inputs

RECORD, MANY = "special.eq27.json", "all.json"
HUNTED = "special.lemC.8"


@cache
def made() -> Path:
    """A folder with a record, a list of records, a witness, a theorem file, a curve and a certificate, as written by
    commands.
    """
    folder = Path(mkdtemp())
    atexit.register(rmtree, folder)
    run(
        [
            *["special.eq27", "special.lemC.8", "--budget", "quick", "--jobs", "1", "--out"],
            str(folder),
            "--json",
            str(folder / MANY),
        ]
    )
    compute(["psi"], folder)
    write_json(folder / "start.json", search_from((HUNTED, 1), folder / "hunt", "quick"))
    write_json(folder / "witness.json", read_json(folder / RECORD)["witness"])
    certificates = (entry["certificate"] for entry in entries().values() if "certificate" in entry)
    write_json(
        folder / "certificate.json", min(certificates, key=lambda one: (len(one["lines"]) != 5, str(one)))
    )
    lines = (ROOT / "examples" / "young.py").read_text().splitlines(keepends=True)
    (folder / "young.py").write_text("".join(line for line in lines if "third" not in line))
    return folder


def copied(*names: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in names:
            (folder / name).write_bytes((made() / name).read_bytes())

    return write


def hunt(folder: Path) -> None:
    """A start of a hunt, in the place where the hunt looks for it and under a short name: the same file."""
    copied("start.json")(folder)
    place = file_of(folder / "hunt", HUNTED, 1)
    place.parent.mkdir(parents=True)
    place.hardlink_to(folder / "start.json")


def curves(folder: Path) -> None:
    (folder / "curves").mkdir()
    (folder / "curves" / "psi.json").write_bytes((made() / "psi.json").read_bytes())


def _labels(n: int) -> np.ndarray:
    return (np.arange(n) % 10).astype(np.uint8)


def mnist(suffix: str = "") -> Callable[[Path], None]:
    return lambda folder: write_mnist(folder, grey(30, (6, 6)), _labels(30), suffix=suffix)


def letters(folder: Path) -> None:
    write_mnist(folder, grey(30, (6, 6)), _labels(30), "emnist-letters-", first_label=1)


def usps(folder: Path) -> None:
    values = np.random.default_rng(0).uniform(-1, 1, (30, 256)).round(2)
    for name in ("usps.bz2", "usps.t.bz2"):
        write_libsvm(folder / name, values, _labels(30).astype(int))


def svhn(folder: Path) -> None:
    for part in ("train", "test"):
        held = {"X": grey(30, (32, 32, 3)).transpose(1, 2, 3, 0), "y": _labels(30)[:, None] + 1}
        savemat(folder / f"{part}_32x32.mat", held, do_compression=True)


def cifar(names: Sequence[str], label_bytes: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        pixels = grey(20, (3, 32, 32))
        for name in names:
            records = [
                bytes([label] * label_bytes) + p.tobytes()
                for label, p in zip(_labels(20), pixels, strict=True)
            ]
            (folder / name).write_bytes(b"".join(records))

    return write


def domains(folder: Path) -> None:
    write_domains(folder, PACS)


def lists(folder: Path) -> None:
    names = ("sketch", "infograph", "painting", "quickdraw", "real", "clipart")
    write_domains(folder, names, n=3)
    for name in names:
        (folder / f"{name}_train.txt").write_text(
            f"{name}/dog/picture0.bmp 7\n{name}/elephant/picture2.bmp 340\n"
        )
        (folder / f"{name}_test.txt").write_text(f"{name}/elephant/picture1.bmp 340\n")


def tiny(folder: Path) -> None:
    (folder / "wnids.txt").write_text("n02\nn01\n")
    for name in ("n01", "n02"):
        write_pictures(folder / "train" / name / "images", grey(2, (6, 6, 3)))
    write_pictures(folder / "val" / "images", grey(2, (6, 6, 3)), name="val_")
    (folder / "val" / "val_annotations.txt").write_text(
        "val_1.png\tn01\t0\t0\t9\t9\nval_0.png\tn02\t0\t0\t9\t9\n"
    )


IDX = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
CIFAR_10 = (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin")


HUNT = f"verify hunt {HUNTED} --hours 0.0001 --budget quick --jobs 1 --out FOLDER/hunt"


def _trained(name: str) -> str:
    return f"verify.networks --data {name} --folder FOLDER --out FOLDER/runs {NETWORKS}"


def _json(good, files, which, command) -> Kind:
    return Kind(good, files, which, command, json.loads, _dumped)


KINDS: Mapping[str, Kind] = {
    "theorem": Kind(
        copied("young.py"),
        ["young.py"],
        rules.THEOREMS,
        "verify check FILE --budget quick --timeout 9 --jobs 1 --out FOLDER/records",
        bytes.decode,
        str.encode,
    ),
    "witness, as text": Kind(copied(RECORD), [RECORD], rules.TEXTS, "verify replay FILE"),
    "witness": _json(copied("witness.json"), ["witness.json"], rules.WITNESSES, "verify replay FILE"),
    "record, as text": Kind(copied(RECORD), [RECORD], rules.TEXTS, "verify report --records FOLDER --out FOLDER/r.html"),
    "record": _json(copied(RECORD), [RECORD], rules.RECORDS, "verify report --records FOLDER --format markdown --out FOLDER/r.md"),
    "record, told": _json(copied(RECORD), [RECORD], rules.RECORDS, "verify explain special.eq27 --records FOLDER"),
    "record, in an erratum": _json(copied(RECORD), [RECORD], rules.RECORDS, "verify erratum special --records FOLDER --out FOLDER/e.md"),
    "start of a hunt, as text": Kind(hunt, ["start.json"], rules.TEXTS, HUNT),
    "start of a hunt": _json(hunt, ["start.json"], rules.STARTS, HUNT),
    "run, as text": Kind(copied(RECORD, MANY), [MANY], rules.TEXTS, f"verify report --records FOLDER/{RECORD} --against FILE --out FOLDER/r.html"),
    "curve, as text": Kind(curves, ["curves/psi.json"], {k: v for k, v in rules.TEXTS.items() if k != "a NaN in it"}, "figures psi --results FOLDER --out FOLDER"),
    "curve": _json(curves, ["curves/psi.json"], rules.CURVES, "figures psi --results FOLDER --out FOLDER"),
    "certificate, as text": Kind(copied("certificate.json"), ["certificate.json"], {k: v for k, v in rules.TEXTS.items() if k not in ("a NaN in it", "half a character in it")}, "verify.check_proof FILE"),
    "certificate": _json(copied("certificate.json"), ["certificate.json"], rules.CERTIFICATES, "verify.check_proof FILE"),
    "mnist": Kind(mnist(), IDX, rules.IDX, _trained("mnist")),
    "mnist, packed": Kind(mnist(".gz"), [f"{name}.gz" for name in IDX], rules.GZIP, _trained("fashion-mnist")),
    "mnist, damaged and packed": Kind(mnist(".gz"), [f"{name}.gz" for name in IDX], rules.IDX, _trained("mnist"), gzip.decompress, gzip.compress),
    "emnist": Kind(letters, [name.replace("t10k", "test").join(("emnist-letters-", "")) for name in IDX], rules.IDX, _trained("emnist-letters")),
    "usps": Kind(usps, ["usps.bz2", "usps.t.bz2"], rules.USPS, _trained("usps")),
    "svhn": Kind(svhn, ["train_32x32.mat", "test_32x32.mat"], rules.MATLAB, _trained("svhn")),
    "cifar-10": Kind(cifar(CIFAR_10, 1), CIFAR_10, rules.RECORDS_OF_BYTES, _trained("cifar-10")),
    "cifar-100": Kind(cifar(("train.bin", "test.bin"), 2), ["train.bin", "test.bin"], rules.RECORDS_OF_BYTES, _trained("cifar-100")),
    "pacs": Kind(domains, ["photo/dog/picture1.bmp", "sketch/elephant/picture0.bmp"], rules.PICTURES, _trained("pacs")),
    "dn4il": Kind(lists, ["sketch_train.txt", "clipart_test.txt"], rules.LISTS, _trained("dn4il")),
    "tiny-imagenet": Kind(tiny, ["val/val_annotations.txt"], rules.LISTS, _trained("tiny-imagenet")),
    "tiny-imagenet, classes": Kind(tiny, ["wnids.txt"], rules.CLASSES, _trained("tiny-imagenet")),
}  # fmt: skip
