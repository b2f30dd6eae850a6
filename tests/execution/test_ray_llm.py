"""The configuration of Ray Data's own vLLM processor; nothing is run."""

from __future__ import annotations

import pytest

from ifbench.execution.ray_llm import engine_settings, processor_config


def test_settings_have_vllms_names_and_leave_out_what_is_left_alone():
    assert engine_settings() == {"tensor_parallel_size": 1, "dtype": "auto"}
    assert engine_settings(
        gpus=4,
        dtype="bfloat16",
        quantization="fp8",
        context=8192,
        prefix_caching=False,
        gpu_memory_utilization=0.9,
    ) == {
        "tensor_parallel_size": 4,
        "dtype": "bfloat16",
        "quantization": "fp8",
        "max_model_len": 8192,
        "enable_prefix_caching": False,
        "gpu_memory_utilization": 0.9,
    }


@pytest.mark.ray
def test_processor_goes_on_when_a_row_fails():
    pytest.importorskip("ray.data.llm", reason="Ray's part for language models does not import")
    config = processor_config("org/m", engine_settings(gpus=2), replicas=3, batch=16)
    assert config.model_source == "org/m"
    assert config.engine_kwargs["tensor_parallel_size"] == 2
    assert (config.batch_size, config.concurrency) == (16, 3)
    assert config.should_continue_on_error
