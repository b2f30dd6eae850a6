"""The embedded model: its options, its failures, and one server shared by real processes."""

import asyncio
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from llama_client import CONFIG, make_prompt

from ifbench.engines.engine import no_media
from ifbench.engines.file_lock import is_held, locked
from ifbench.engines.llama_cpp import (
    LlamaCpp,
    bounded_schema,
    build_llama_cpp,
    ensure_ready,
    llama_options,
    usable_cpus,
)
from ifbench.engines.llama_server import IDLE_S, ServerFolder, load_address
from ifbench.engines.server_lease import runtime_folder
from ifbench.errors import ConfigError, PrerequisiteError
from ifbench.types import FailureKind, ImagePolicy, Limits, Media, Sampling, Stop, View

pytest.importorskip("xllamacpp")

CLIENT = Path(__file__).parent / "llama_client.py"


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    """A runtime folder of the test's own, for this process and its children."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path / f"ifbench-{os.getuid()}"
    tempfile.tempdir = None
    for address in tmp_path.rglob("address.json"):  # Sooner than by itself.
        folder = ServerFolder(address.parent)
        if is_held(folder.alive):
            os.kill(load_address(folder).pid, signal.SIGKILL)


def own_gguf(tmp_path, content=b"GGUF and then nothing that llama.cpp can read"):
    path = tmp_path / "own.gguf"
    path.write_bytes(content)
    return replace(CONFIG, options={"path": str(path)})


def test_strings_and_lists_of_a_structured_reply_are_bounded_and_nothing_else_is():
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "quote": {"enum": ["a", "b"]},
            "short": {"type": "string", "maxLength": 3},
            "names": {"type": "array", "items": {"type": "string"}},
            "steps": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
        },
    }
    parts = bounded_schema(schema, 60, 5)["properties"]
    assert parts["type"] == {"type": "string", "maxLength": 60}
    assert parts["quote"] == {"enum": ["a", "b"]}
    assert parts["short"] == {"type": "string", "maxLength": 3}
    assert parts["names"]["maxItems"] == 5
    assert parts["steps"]["maxItems"] == 2
    pattern = parts["names"]["items"]["pattern"]
    assert re.fullmatch(pattern, "Human blood (red)")
    assert not re.fullmatch(pattern, "…")
    assert not re.fullmatch(pattern, "a" * 61)
    assert bounded_schema(schema, None, None) == schema


# ── Without the model ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contxt": 4096}, r"options\.contxt.*knows path, context, slots, threads, cache_prompt"),
        ({"context": 8}, r"options\.context.*256.*got 8"),
        ({"slots": 0}, r"options\.slots"),
        ({"threads": "many"}, r"options\.threads.*'many'"),
    ],
)
def test_a_wrong_option_is_named_when_the_engine_is_built(options, words):
    with pytest.raises(ConfigError, match=words):
        build_llama_cpp(replace(CONFIG, options=options), no_media)


def test_a_model_without_known_weights_needs_a_path(tmp_path):
    unknown = replace(CONFIG, model="another", options={})
    with pytest.raises(ConfigError, match=r"'another'.*options\.path.*smollm2-135m-instruct-q4_1"):
        llama_options(unknown)
    assert llama_options(replace(unknown, options={"path": "x.gguf"})).path == "x.gguf"


async def test_a_picture_fails_its_row_before_anything_is_started(runtime):
    engine = build_llama_cpp(CONFIG, no_media)
    view = View(media=Media(kind="image", uri="x", sha256=""), policy=ImagePolicy())
    tried = await engine.generate(make_prompt("", parts=(view,)))
    await engine.aclose()
    assert tried.response.failure.kind is FailureKind.MEDIA
    assert not tried.retry
    assert not runtime.exists()


async def test_a_server_that_cannot_start_is_hopeless_and_its_last_words_are_shown(
    runtime, tmp_path
):
    engine = build_llama_cpp(own_gguf(tmp_path), no_media)
    tries = await asyncio.gather(*(engine.generate(make_prompt("Hello")) for _ in range(3)))
    await engine.aclose()
    for tried in tries:
        assert tried.response.failure.kind is FailureKind.REJECTED
        assert "ended while it started" in tried.response.failure.message
        assert "failed to load model" in tried.response.failure.message
        assert tried.hopeless
        assert not tried.retry


def test_the_doctor_is_told_what_is_wrong(runtime, tmp_path):
    with pytest.raises(PrerequisiteError, match="failed to load model"):
        ensure_ready(own_gguf(tmp_path))
    with pytest.raises(PrerequisiteError, match="no GGUF"):
        ensure_ready(own_gguf(tmp_path, b"text"))


def test_the_runtime_folder_is_the_users_alone(runtime):
    assert stat.S_IMODE(runtime_folder().stat().st_mode) == 0o700
    assert runtime_folder() == runtime
    runtime.chmod(0o777)
    with pytest.raises(PrerequisiteError, match="not a folder of yours alone"):
        runtime_folder()


def test_a_link_in_place_of_the_runtime_folder_is_refused(runtime, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    runtime.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PrerequisiteError, match="not a folder of yours alone"):
        runtime_folder()


@pytest.mark.parametrize(
    ("quota", "most"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", 9999)]
)
def test_no_more_threads_than_the_container_was_granted(tmp_path, quota, most):
    (tmp_path / "cpu.max").write_text(quota)
    assert 1 <= usable_cpus(tmp_path / "cpu.max") <= most
    assert usable_cpus(tmp_path / "absent") >= 1


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path):
    path = tmp_path / "lock"
    code = (
        "import sys, time; from pathlib import Path\n"
        "from ifbench.engines.file_lock import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        assert is_held(path)
        other.kill()
    waited = []
    with locked(path, lambda: waited.append(True)):
        assert is_held(path)
    assert waited == []
    assert not is_held(path)


# ── With the model ───────────────────────────────────────────────────────────────────

QUESTION = "Name a metal, a gas and a liquid, and say one thing about each of them."
SCHEMA = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"covered": {"type": "boolean"}},
                "required": ["covered"],
                "additionalProperties": False,
            },
            "minItems": 2,
            "maxItems": 2,
        },
        "verdict": {"enum": ["yes", "no"]},
    },
    "required": ["steps", "verdict"],
    "additionalProperties": False,
}


@pytest.fixture
async def engine(runtime):
    engine = build_llama_cpp(CONFIG, no_media)
    assert isinstance(engine, LlamaCpp)
    yield engine
    await engine.aclose()


@pytest.mark.model
async def test_the_model_answers_with_its_own_id_and_counts_tokens(engine):
    response = (await engine.generate(make_prompt(QUESTION))).response
    assert response.failure is None
    assert response.stop is Stop.LENGTH
    assert response.usage.output_tokens == 12
    assert response.usage.input_tokens > 20
    assert response.returned_model == CONFIG.model
    assert response.endpoint.startswith("http://127.0.0.1:")


@pytest.mark.model
@pytest.mark.parametrize("temperature", [0, 0.8])
async def test_an_answer_is_the_same_whatever_runs_beside_it(engine, temperature):
    sampling = Sampling(temperature=temperature, seed=7, max_tokens=24)
    prompts = [make_prompt(f"{QUESTION} Variant {n}.", sampling=sampling) for n in range(4)]
    together = await asyncio.gather(*(engine.generate(prompt) for prompt in prompts))
    alone = [await engine.generate(prompt) for prompt in reversed(prompts)]
    texts = [tried.response.text for tried in together]
    assert texts == [tried.response.text for tried in reversed(alone)]
    assert all(texts)


@pytest.mark.model
async def test_a_schema_constrains_the_reply(engine):
    prompt = make_prompt(
        "Judge this: water is wet.", reply_schema=SCHEMA, sampling=Sampling(max_tokens=120)
    )
    reply = json.loads((await engine.generate(prompt)).response.text)
    assert [type(step["covered"]) for step in reply["steps"]] == [bool, bool]
    assert reply["verdict"] in {"yes", "no"}


@pytest.mark.model
async def test_a_prompt_past_the_context_is_the_models_failure(engine):
    tried = await engine.generate(make_prompt("word " * 600))
    assert tried.response.failure.kind is FailureKind.CONTEXT_OVERFLOW
    assert not tried.retry


@pytest.mark.model
def test_the_doctor_is_told_what_serves(runtime):
    assert "SmolLM2-135M-Instruct.Q4_1.gguf at http://127.0.0.1:" in ensure_ready(CONFIG)


@pytest.mark.model
async def test_nobody_without_the_token_is_served(engine, runtime):
    await engine.generate(make_prompt("Hello"))
    import http.client

    (folder,) = runtime.iterdir()
    address = load_address(ServerFolder(folder))
    assert stat.S_IMODE((folder / "address.json").stat().st_mode) == 0o600
    host, port = address.url.removeprefix("http://").split(":")
    for token, status in (("wrong", 401), (address.token, 200)):
        connection = http.client.HTTPConnection(host, int(port))
        connection.request("GET", "/props", headers={"Authorization": f"Bearer {token}"})
        assert connection.getresponse().status == status
        connection.close()


# ── One server, many processes ───────────────────────────────────────────────────────


class Client:
    """A process that uses the model."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, str(CLIENT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, question="Hello"):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, question="Hello"):
        self.send(question)
        return self.receive()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def leave(self):
        self.process.communicate(timeout=60)


@pytest.fixture
def clients(runtime):
    started = []

    def start():
        started.append(Client())
        return started[-1]

    yield start
    for client in started:
        if client.process.poll() is None:
            client.kill()


def server_of(runtime):
    (path,) = runtime.iterdir()
    return ServerFolder(path)


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


@pytest.mark.model
def test_processes_that_start_together_share_one_server_and_the_killed_starter_leaves_it(
    clients, runtime
):
    first, second = clients(), clients()
    first.send()
    second.send()
    (url, kind, text), other = first.receive(), second.receive()
    assert kind == "-"
    assert other == [url, "-", text]
    for gone, left in ((first, second), (second, clients())):
        gone.kill()
        assert left.ask() == [url, "-", text]


@pytest.mark.model
def test_the_server_ends_soon_after_its_last_user_was_killed(clients, runtime):
    client = clients()
    client.ask()
    server = server_of(runtime)
    pid = load_address(server).pid
    client.kill()
    assert is_held(server.alive)
    assert wait_until(lambda: not is_held(server.alive), IDLE_S + 10)
    assert not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_text()
    assert load_address(server) is None


@pytest.mark.model
@pytest.mark.soak
def test_the_server_stays_while_a_silent_user_lives_and_ends_after_it_left(clients, runtime):
    client = clients()
    url, _, _ = client.ask()
    time.sleep(IDLE_S + 3)
    assert client.ask()[0] == url
    server = server_of(runtime)
    client.leave()
    assert wait_until(lambda: not is_held(server.alive), IDLE_S + 10)


@pytest.mark.model
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_was_killed_is_replaced_at_the_next_try(clients, runtime, how):
    one, other = clients(), clients()
    url, _, text = one.ask()
    assert other.ask()[0] == url
    server = server_of(runtime)
    os.kill(load_address(server).pid, how)
    assert wait_until(lambda: not is_held(server.alive), 10)
    assert one.ask()[1] == "transport"
    new_url, kind, again = one.ask()
    assert (kind, again) == ("-", text)
    assert new_url != url
    other.ask()
    assert other.ask() == [new_url, "-", text]


@pytest.mark.model
@pytest.mark.soak
async def test_a_server_that_hangs_is_replaced_after_a_time_out(engine, runtime):
    hurried = replace(CONFIG, limits=Limits(timeout_s=3))
    await engine.generate(make_prompt("Hello"))
    server = server_of(runtime)
    stopped = load_address(server).pid
    os.kill(stopped, signal.SIGSTOP)
    tried = await engine.generate(make_prompt("Hello", model=hurried))
    assert tried.response.failure.kind is FailureKind.TIMEOUT
    assert (await engine.generate(make_prompt("Hello"))).response.failure is None
    assert load_address(server).pid != stopped


@pytest.mark.model
def test_a_starter_that_is_killed_while_the_server_loads_does_not_stop_the_next(clients, runtime):
    first = clients()
    first.send()
    assert wait_until(lambda: list(runtime.glob("*/server.log")) if runtime.exists() else [], 60)
    first.kill()
    assert clients().ask()[1] == "-"
