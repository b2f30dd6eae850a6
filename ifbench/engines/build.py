"""From configs to engines and to an asker over them. Each engine's packages load on first use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, assert_never

from ifbench.engines.ask import Asker, Journal
from ifbench.engines.budgets import ClientId, client_of
from ifbench.engines.engine import Engine, ViewLoader, no_media
from ifbench.engines.limits import local_limiters
from ifbench.engines.options import NoOptions, read_options
from ifbench.engines.shared_limits import Keeper, shared_limiters
from ifbench.engines.spending import local_spending
from ifbench.errors import ConfigError, PrerequisiteError
from ifbench.tally import Tally
from ifbench.types import ModelConfig

if TYPE_CHECKING:
    from ifbench.engines.vllm import FindServers


def build_engine(
    config: ModelConfig,
    view_loader: ViewLoader,
    *,
    find_servers: FindServers | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> Engine:
    """The engine that a config names. Raises `ConfigError` or `PrerequisiteError`.

    `find_servers` is for models that ifbench serves itself.
    """
    match config.engine:
        case "openai_chat":
            from ifbench.engines.openai_chat import build_openai_chat

            return build_openai_chat(config, view_loader)
        case "vllm":
            from ifbench.engines.vllm import build_vllm

            return build_vllm(config, view_loader, find_servers, stopping)
        case "llama_cpp":
            from ifbench.engines.llama_cpp import build_llama_cpp

            return build_llama_cpp(config, view_loader)
        case "scripted":
            from ifbench.engines.scripted import build_scripted

            return build_scripted(config, view_loader)
    assert_never(config.engine)


def check_options(models: Iterable[ModelConfig]) -> None:
    """Raise `ConfigError` for `options` that an engine does not take.

    Needs no key and no package, so that a run whose answers are all stored needs none.
    """
    for model in models:
        match model.engine:
            case "openai_chat":
                read_options(NoOptions, model)
            case "vllm":
                _check_vllm(model)
            case "llama_cpp":
                from ifbench.engines.llama_cpp import llama_options

                llama_options(model)
            case "scripted":
                from ifbench.engines.scripted import build_scripted

                build_scripted(model, no_media)
            case _:
                assert_never(model.engine)


def _check_vllm(model: ModelConfig) -> None:
    from ifbench.engines.vllm_command import vllm_options

    vllm_options(model)
    for name, value in (("base_url", model.base_url), ("api_key_env", model.api_key_env)):
        if value is not None:
            raise ConfigError(
                f"model {model.name}: `{name}` is for endpoints that others serve "
                "(`engine: openai_chat`); ifbench itself gives a server of `engine: vllm` its "
                f"address and key. Set `{name}: null`"
            )


@asynccontextmanager
async def open_engines(
    models: Iterable[ModelConfig],
    view_loader: ViewLoader,
    *,
    find_servers: FindServers | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> AsyncIterator[dict[ClientId, Engine]]:
    """An engine for each model's client, closed on leaving.

    Raises `ConfigError` or `PrerequisiteError`: what is wrong with any of them, at once.
    """
    clients: dict[ClientId, ModelConfig] = {}
    for model in models:
        clients.setdefault(client_of(model), model)
    async with AsyncExitStack() as stack:
        engines: dict[ClientId, Engine] = {}
        problems: list[ConfigError | PrerequisiteError] = []
        for client, model in clients.items():
            try:
                engines[client] = build_engine(
                    model, view_loader, find_servers=find_servers, stopping=stopping
                )
            except (ConfigError, PrerequisiteError) as problem:
                problems.append(problem)
            else:
                stack.push_async_callback(engines[client].aclose)
        if problems:
            raise type(problems[0])("\n".join(map(str, problems)))
        yield engines


@asynccontextmanager
async def open_asker(
    models: Iterable[ModelConfig],
    journal: Journal,
    view_loader: ViewLoader,
    *,
    keeper: Keeper | None = None,
    run: str = "",
    cap_usd: float | None = None,
    tally: Tally | None = None,
    stopping: Callable[[], bool] = lambda: False,
    find_servers: FindServers | None = None,
) -> AsyncIterator[Asker]:
    """An asker for one worker of `run`, whose workers may spend `cap_usd` together. `keeper` keeps
    the budgets of all workers; without one this asker has them for itself.
    """
    models = tuple(models)
    async with AsyncExitStack() as stack:
        engines = await stack.enter_async_context(
            open_engines(models, view_loader, find_servers=find_servers, stopping=stopping)
        )
        if keeper is None:
            limiters = local_limiters(models)
            spending = None if cap_usd is None else local_spending(cap_usd)
        else:
            shared = await stack.enter_async_context(shared_limiters(models, keeper, run, cap_usd))
            limiters, spending = shared.limiters, shared.spending
        yield Asker(
            engines=engines,
            journal=journal,
            limiters=limiters,
            spending=spending,
            tally=tally,
            stopping=stopping,
        )
