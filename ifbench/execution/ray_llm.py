"""Optional: Ray Data's own vLLM processor for a model, without a server of ours.

Ray's batch processor runs vLLM's engine inside actors and reads and writes whole datasets. It has
no journal: what it was doing when it stopped is lost, so runs of ours never use it. It is for
those who put a model's prompts through a cluster once and import the answers
(`ifbench answers import`). Needs `ray[llm]`, which pins a vLLM of its own; only the building of
its configuration is tested.
"""

from __future__ import annotations

from typing import Any

from ifbench.errors import PrerequisiteError


def engine_settings(
    *,
    gpus: int = 1,
    dtype: str = "auto",
    quantization: str | None = None,
    context: int | None = None,
    prefix_caching: bool | None = None,
    gpu_memory_utilization: float | None = None,
) -> dict[str, Any]:
    """Options of `engine: vllm` under vLLM's own names; what is left alone is left out."""
    settings = {
        "tensor_parallel_size": max(1, gpus),
        "dtype": dtype,
        "quantization": quantization,
        "max_model_len": context,
        "enable_prefix_caching": prefix_caching,
        "gpu_memory_utilization": gpu_memory_utilization,
    }
    return {name: value for name, value in settings.items() if value is not None}


def processor_config(model: str, settings: dict[str, Any], *, replicas: int, batch: int) -> Any:
    """A `vLLMEngineProcessorConfig`: a row that fails is a row with its error, no lost batch.

    Raises `PrerequisiteError` where Ray's part for language models does not import.
    """
    return _llm().vLLMEngineProcessorConfig(
        model_source=model,
        engine_kwargs=settings,
        batch_size=batch,
        concurrency=replicas,
        should_continue_on_error=True,
    )


def _llm() -> Any:
    try:
        import ray.data.llm
    except ImportError as error:
        raise PrerequisiteError(
            f"Ray's processor for language models does not import ({error}): install `ray[llm]`"
        ) from error
    return ray.data.llm
