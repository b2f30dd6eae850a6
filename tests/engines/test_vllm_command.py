"""From options to the command line of `vllm serve`, flag by flag."""

from __future__ import annotations

import pytest

from ifbench.engines.vllm_command import VllmOptions, serve_command, vllm_options
from ifbench.errors import ConfigError
from ifbench.types import ModelConfig

ALWAYS = (
    *("vllm", "serve", "org/m", "--served-model-name", "org/m"),
    *("--host", "127.0.0.1", "--port", "8123"),
)
QUIET = "--disable-uvicorn-access-log"

FLAGS = [
    ({}, ("--dtype", "auto", QUIET)),
    ({"gpus": 0}, ("--dtype", "auto", QUIET)),
    (
        {"gpus": 4},
        (
            *("--tensor-parallel-size", "4", "--distributed-executor-backend", "mp"),
            *("--dtype", "auto", QUIET),
        ),
    ),
    ({"dtype": "bfloat16"}, ("--dtype", "bfloat16", QUIET)),
    ({"quantization": "fp8"}, ("--dtype", "auto", "--quantization", "fp8", QUIET)),
    ({"context": 32768}, ("--dtype", "auto", "--max-model-len", "32768", QUIET)),
    ({"prefix_caching": True}, ("--dtype", "auto", "--enable-prefix-caching", QUIET)),
    ({"prefix_caching": False}, ("--dtype", "auto", "--no-enable-prefix-caching", QUIET)),
    (
        {"limit_mm_per_prompt": {"image": 8, "video": 1, "audio": 0}},
        ("--dtype", "auto", "--limit-mm-per-prompt", '{"image": 8, "video": 1, "audio": 0}', QUIET),
    ),
    ({"limit_mm_per_prompt": {}}, ("--dtype", "auto", QUIET)),
    (
        {"gpu_memory_utilization": 0.85},
        ("--dtype", "auto", "--gpu-memory-utilization", "0.85", QUIET),
    ),
    (
        {"args": ["--reasoning-parser", "qwen3"], "speed_args": ["--max-num-seqs", "64"]},
        ("--dtype", "auto", QUIET, "--reasoning-parser", "qwen3", "--max-num-seqs", "64"),
    ),
    # What is no flag of the server's.
    (
        {"replicas": 3, "start_s": 9, "restarts": 0, "port": 0},
        ("--dtype", "auto", QUIET),
    ),
]


@pytest.mark.parametrize(("options", "flags"), FLAGS)
def test_options_become_the_flags_of_vllm(options, flags):
    command = serve_command("org/m", vllm_options(model(options)), "127.0.0.1", 8123)
    assert command == (*ALWAYS, *flags)


def test_another_command_takes_the_place_of_vllm():
    options = VllmOptions(command=("python", "stand_in.py"))
    assert serve_command("org/m", options, "0.0.0.0", 1)[:3] == ("python", "stand_in.py", "org/m")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gpu": 1}, r"`options\.gpu`: unknown key.*knows gpus"),
        ({"gpus": -1}, r"`options\.gpus`.*-1"),
        ({"context": 3}, r"`options\.context`"),
        ({"gpu_memory_utilization": 1.5}, r"`options\.gpu_memory_utilization`"),
        ({"limit_mm_per_prompt": {"picture": 1}}, r"`options\.limit_mm_per_prompt\.picture`"),
        ({"command": []}, r"`options\.command`"),
        ({"quantization": ""}, r"`options\.quantization`"),
        ({"args": "--seed 1"}, r"`options\.args`"),
    ],
)
def test_a_wrong_option_is_named(options, message):
    with pytest.raises(ConfigError, match=message):
        vllm_options(model(options))


def model(options):
    return ModelConfig(name="m", engine="vllm", model="org/m", options=options)
