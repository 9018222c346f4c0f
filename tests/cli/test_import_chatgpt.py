"""``yesteryear import`` of ChatGPT's data export, as it is and as it can be."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.stage import Run, all_messages
from yesteryear.cli.importers import Draft, Flaw, chatgpt
from yesteryear.cli.importers.chatgpt import read_chatgpt

pytestmark = pytest.mark.sampled

BEGUN = 1_772_437_270.5


def node(
    key: str,
    parent: str | None,
    text: object = None,
    *,
    role: str = "user",
    kind: str = "text",
    seconds: float | None = 0.0,
    **message: Any,
) -> dict[str, Any]:
    """Return a node of the tree, as exports have them."""
    body = None
    if text is not None:
        body = {
            "id": key,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": None if seconds is None else BEGUN + seconds,
            "content": {"content_type": kind, "parts": text if isinstance(text, list) else [text]},
            "status": "finished_successfully",
            "weight": 1.0,
            "metadata": {},
            "recipient": "all",
            **message,
        }
    return {"id": key, "message": body, "parent": parent, "children": []}


def conversation(*nodes: dict[str, Any], current: str | None, name: str = "conv-1", **fields: Any) -> dict[str, Any]:
    """Return a conversation with these nodes."""
    mapping = {row["id"]: row for row in nodes}
    for row in nodes:
        if row["parent"] in mapping:
            mapping[row["parent"]]["children"].append(row["id"])
    found = {"title": "A title", "create_time": BEGUN, "mapping": mapping, "current_node": current}
    return found | {"conversation_id": name, "id": name} | fields


EDITED = conversation(
    node("root", None),
    node("s", "root", "", role="system", seconds=None),
    node("u1-old", "s", "I live in Porto"),
    node("a1-old", "u1-old", "Porto is lovely.", role="assistant", seconds=5),
    node("u1", "s", "I live in Lisbon, with two cats", seconds=9),
    node("a1", "u1", "And what are the cats called?", role="assistant", seconds=12),
    node("u2", "a1", "Miso and Taco", seconds=30),
    current="u2",
)


def test_only_what_was_seen_last_is_imported(run: Run, tmp_path: Path) -> None:
    """The way from the current node to the root; the branch that was edited away is counted."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([EDITED]))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert done.json["format"] == "chatgpt"
    assert done.json["left_out"] == {"empty or hidden": 1, "on branches that were edited away": 2}
    messages = all_messages("m.db")
    assert [(m.role, m.content, m.external_id) for m in messages] == [
        ("user", "I live in Lisbon, with two cats", "u1"),
        ("assistant", "And what are the cats called?", "a1"),
        ("user", "Miso and Taco", "u2"),
    ]
    assert {m.conversation for m in messages} == {"conv-1"}
    assert messages[0].at.isoformat() == "2026-03-02T07:41:19.500000+00:00"


@pytest.mark.parametrize("shape", ["file", "folder", "zip", "zip with a folder", "several files", "one conversation"])
def test_an_export_is_read_in_every_shape(run: Run, tmp_path: Path, shape: str) -> None:
    """The .zip as it was sent, unpacked, or the one file out of it."""
    other = conversation(node("x", None, "Tea, not coffee, from now on"), current="x", name="conv-2")
    both = json.dumps([EDITED, other])
    place = tmp_path / "export"
    place.mkdir()
    if shape == "file":
        place = place / "conversations.json"
        place.write_text(both)
    elif shape == "folder":
        (place / "conversations.json").write_text(both)
        (place / "user.json").write_text("{}")
    elif shape == "several files":
        (place / "conversations-000.json").write_text(json.dumps([EDITED]))
        (place / "conversations-001.json").write_text(json.dumps([other]))
    elif shape == "one conversation":
        place = place / "conversation.json"
        place.write_text(json.dumps(conversation(*EDITED["mapping"].values(), other["mapping"]["x"], current="u2")))
    else:
        prefix = "some-folder/" if "folder" in shape else ""
        place = tmp_path / "export.zip"
        with zipfile.ZipFile(place, "w") as packed:
            packed.writestr(prefix + "conversations.json", both)
            packed.writestr(prefix + "chat.html", "<html></html>")
    done = run("import", place, "--user", "ana", "--store", "m.db", "--no-flush", "--json")
    assert done.code == 0
    assert done.json["messages"]["new"] == (3 if shape == "one conversation" else 4)


def test_what_is_no_text_leaves_a_word_or_nothing(run: Run, tmp_path: Path) -> None:
    """Images are named, tools and hidden settings left out and counted, speech is its transcription."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    speech = {"content_type": "audio_transcription", "text": "It is my brother's birthday", "direction": "in"}
    sound = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}}
    odd = conversation(
        node("r", None),
        node("hidden", "r", "About me: ...", metadata={"is_visually_hidden_from_conversation": True}),
        node("pic", "hidden", [image, "My new bike"], kind="multimodal_text"),
        node("code", "pic", "print(1)", role="assistant", kind="code", recipient="python"),
        node("out", "code", "1", role="tool", kind="execution_output"),
        node("think", "out", "hm", role="assistant", kind="thoughts"),
        node("voice", "think", [speech, sound], kind="multimodal_text"),
        node("noise", "voice", [sound], kind="multimodal_text"),
        node("empty", "noise", "  ", role="assistant"),
        current="empty",
    )
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([odd]))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert done.json["left_out"] == {"empty or hidden": 2, "of tools, settings and thoughts": 3}
    assert [message.content for message in all_messages("m.db")] == [
        "[image]\n\nMy new bike",
        "It is my brother's birthday",
        "[audio]",
    ]


def test_a_later_export_adds_only_what_is_new(run: Run, tmp_path: Path) -> None:
    """Conversations are known by their ids, whatever their titles became."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([EDITED]))
    run("import", file, "--user", "ana", "--store", "m.db")
    grown = conversation(
        *EDITED["mapping"].values(), node("a2", "u2", "Good names.", role="assistant", seconds=40), current="a2"
    )
    file.write_text(json.dumps([{**grown, "title": "Cats"}]))
    again = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert again.json["messages"] == {"new": 1, "known": 3, "redacted": 0}


def test_a_message_without_a_time_has_that_of_the_one_before(run: Run, tmp_path: Path) -> None:
    """Or of the conversation; without any time it cannot be placed and is told."""
    placed = conversation(
        node("a", None, "first", seconds=None), node("b", "a", "second", seconds=60),
        node("c", "b", "third", seconds=None), current="c",
    )  # fmt: skip
    lost = conversation(node("d", None, "when was that?", seconds=None), current="d", name="conv-2", create_time=None)
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([placed, lost]))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert [(m.at.timestamp() - BEGUN) for m in all_messages("m.db")] == [0.0, 60.0, 60.0]
    assert done.json["unusable"] == [{"where": "conversation 2 'A title', message d", "reason": "it has no time"}]


def test_a_broken_tree_ends_where_it_breaks(run: Run, tmp_path: Path) -> None:
    """A circle, a parent that is not there, no current node, things that are no conversations: none of them hangs."""
    circle = conversation(node("a", "b", "round"), node("b", "a", "and round", seconds=1), current="b", name="c1")
    orphan = conversation(node("c", "gone", "an orphan"), current="c", name="c2")
    unsaid = conversation(node("d", None, "kept"), node("e", "d", "the last leaf"), current=None, name="c3")
    nameless = {"mapping": {}, "title": "no id"}
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([circle, orphan, unsaid, nameless, "text", {"mapping": 3}]))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert {message.content for message in all_messages("m.db")} == {
        "round", "and round", "an orphan", "kept", "the last leaf",
    }  # fmt: skip
    assert [flaw["where"] for flaw in done.json["unusable"]] == [
        "conversation 4 'no id'", "conversation 5", "conversation 6",
    ]  # fmt: skip


def test_a_file_that_breaks_off_gives_what_stands_before(run: Run, tmp_path: Path) -> None:
    """With the line where it breaks."""
    whole = json.dumps([EDITED, conversation(node("x", None, "never read"), current="x", name="conv-2")], indent=1)
    file = tmp_path / "conversations.json"
    file.write_text(whole[: whole.index("never read")])
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    [flaw] = done.json["unusable"]
    line = whole[: whole.index("never read")].count("\n") + 1
    assert flaw["where"] == f"conversations.json line {line}"
    assert "nothing after it was read" in flaw["reason"]
    assert len(all_messages("m.db")) == 3


def test_invalid_utf8_costs_its_message_only(run: Run, tmp_path: Path) -> None:
    """The file is one document; the broken message is told by its place, the rest imported."""
    file = tmp_path / "conversations.json"
    file.write_bytes(json.dumps([EDITED]).encode().replace(b"Miso and Taco", b"Miso and Ta\xe7o"))
    done = run("import", file, "--user", "ana", "--store", "m.db", "--json")
    assert done.json["unusable"] == [{"where": "conversation 1 'A title', message u2", "reason": "not valid UTF-8"}]
    assert len(all_messages("m.db")) == 2


@pytest.mark.heavy
@pytest.mark.parametrize("what", ["bytes", "files"])
def test_b14_a_zip_that_is_far_more_than_it_seems_is_refused_unread(run: Run, tmp_path: Path, what: str) -> None:
    """One and a half megabytes took more than three gigabytes of memory."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        with packed.open("conversations.json", "w") as entry:
            for _ in range(200 if what == "bytes" else 1):
                entry.write(b" " * 1_000_000)
        for number in range(100_001 if what == "files" else 0):
            packed.writestr(zipfile.ZipInfo(f"{number}"), b"")
    done = run("import", tmp_path / "export.zip", "--user", "ana", "--store", "m.db", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")
    assert "an export of its size has at most" in done.json["error"]["message"]


def test_b14_no_more_than_a_conversation_is_held(tmp_path: Path) -> None:
    """However many there are, in a zip as in a file."""
    text = json.dumps(conversation(node("a", None, "tea " * 10_000), current="a"))
    content = "[" + ",\n ".join([text] * 400) + "]"
    (tmp_path / "conversations.json").write_text(content)
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("conversations.json", content)
    for place in ("conversations.json", "export.zip"):
        tracemalloc.start()
        count = sum(isinstance(found, Draft) for found in read_chatgpt(tmp_path / place))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == 400
        assert most < len(content) / 2


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_file_is_read_the_same_in_whatever_pieces(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign of several bytes, a number or a word may be cut anywhere."""
    rows = [conversation(node("a", None, "été ☕ 🫖 and so on"), current="a", name=f"c{number}") for number in range(5)]
    content = json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass")
    (tmp_path / "conversations.json").write_bytes(b"\xef\xbb\xbf \n" + content + b"\n")
    whole = list(read_chatgpt(tmp_path / "conversations.json"))
    monkeypatch.setattr(chatgpt, "_PIECE_BYTES", size)
    pieces = list(read_chatgpt(tmp_path / "conversations.json"))
    assert [getattr(row, "message", row) for row in pieces] == [getattr(row, "message", row) for row in whole]
    assert len(whole) == 5


@pytest.mark.parametrize("broken", ["[" * 1_200_000, "[" + "[]," * 600_000, '["' + "a" * 1_000])
def test_b14_what_is_no_conversation_is_not_waited_for(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values take a hundred times the room of their signs, and a text without an end all there is."""
    monkeypatch.setattr(chatgpt, "_CONVERSATION_CHARS", 3_000_000)
    (tmp_path / "conversations.json").write_text("[" + broken + " " * 20_000_000)
    (flaw,) = [row for row in read_chatgpt(tmp_path / "conversations.json") if isinstance(row, Flaw)][:1]
    assert "not valid JSON" in flaw.reason


@pytest.mark.parametrize("kind", ["empty folder", "other zip", "cut zip"])
def test_what_is_no_export_is_refused_with_a_reason(run: Run, tmp_path: Path, kind: str) -> None:
    """It names the place and says what is missing."""
    place = tmp_path / "export.zip"
    if kind == "empty folder":
        place = tmp_path / "export"
        place.mkdir()
    else:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("photos.txt", "none" * 1000)
        if kind == "cut zip":
            place.write_bytes(place.read_bytes()[:30])
    done = run("import", place, "--user", "ana", "--store", "m.db", "--json")
    assert done.code == 1
    assert done.json["error"]["code"] == "input"
    assert str(place) in done.stderr or place.name in done.stderr


def instructed(key: str, *, with_metadata: bool) -> dict[str, Any]:
    """Return a node with custom instructions, as newer and older exports have them."""
    found = node(key, "root", "", role="user", kind="user_editable_context")
    content = {
        "content_type": "user_editable_context",
        "user_profile": "The user provided the following information:\n```Preferred name: Joel\nI'm a nurse.```",
        "user_instructions": "How they would like you to respond:\n```No emojis.```",
    }
    data = {"about_user_message": "Preferred name: Joel\nI'm a nurse.", "about_model_message": "No emojis."}
    hidden = {"is_visually_hidden_from_conversation": True}
    shown = {"user_context_message_data": data} if with_metadata else {}
    found["message"] |= {"content": content, "metadata": hidden | shown}
    return found


def test_a09_custom_instructions_are_taken_down_once(run: Run, tmp_path: Path) -> None:
    """What somebody wrote about themself on purpose would be the one thing that is not imported."""
    talks = [
        conversation(node("root", None), instructed("i1", with_metadata=True), current="i1", name="one"),
        conversation(node("root", None), instructed("i2", with_metadata=False), current="i2", name="two"),
    ]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(talks))

    run("import", file, "--user", "ana", "--store", "m.db", "--json")

    assert [message.content for message in all_messages("m.db")] == [
        "About me: Preferred name: Joel\nI'm a nurse.",
        "How I would like you to answer: No emojis.",
    ]
