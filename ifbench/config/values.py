"""What a run is: the values that configuration files and a command line come down to.

Plain frozen dataclasses with their bounds as annotations; `check` validates into them. The
fields' docstrings are the reference, `docs/configuration.md` is the guide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge, Gt, MinLen, Predicate

from ifbench.keys import engine_identity, policy_identity
from ifbench.types import Grading, MediaPolicy, ModelConfig, Rules, Sampling

VARIANTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"scimif": ("original",), "videoif": ("branch_count", "branch_position")}
)
"""The variants of each benchmark. `original`: the question before augmentation, with nothing to
check, so that correctness before and after can be compared (SciMIF, Figure 7). `branch_count` and
`branch_position`: Selection instructions with fewer branches, or the true one moved
(Video-IFBench, Table 3)."""


FacetValue: TypeAlias = str | int
"""Facets are text; a number is as good, so that `where.n_constraints=2` needs no quotes."""


def is_said(text: str) -> bool:
    """False for blanks alone; an empty path would be the working folder, which nobody meant."""
    return bool(text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Which samples are asked."""

    name: Literal["scimif", "videoif"]
    data: Annotated[str, Predicate(is_said)]
    """A record file, a public release's file or folder, `builtin:NAME` for a set that the package
    carries, or `hub:OWNER/NAME[@REVISION]` for one on the Hugging Face hub."""
    limit: Annotated[int, Gt(0)] | None = None
    """Only the first so many samples."""
    ids: tuple[str, ...] | None = None
    """Only the samples with these ids; `None` takes all."""
    where: Mapping[str, FacetValue | tuple[FacetValue, ...]] = field(default_factory=dict)
    """Only the samples whose facets have these values, or one of several: `{modality: text}`."""
    variant: str | None = None
    """A named way of changing the samples; `None` takes them as they are."""

    def __post_init__(self) -> None:
        known = VARIANTS[self.name]
        if self.variant is not None and self.variant not in known:
            owners = [name for name, names in VARIANTS.items() if self.variant in names]
            hint = f" (`{self.variant}` is one of {owners[0]})" if owners else ""
            raise ValueError(
                f"{self.name} has no variant `{self.variant}`; it has {', '.join(known)}{hint}"
            )
        empty = [facet for facet in self.where if not self.wanted(facet)]
        if empty:
            raise ValueError(f"`where.{empty[0]}` names no value, so that no sample has it")

    def wanted(self, facet: str) -> tuple[str, ...]:
        """The values of a facet of `where` that samples are taken with, as text."""
        value = self.where[facet]
        return tuple(map(str, value if isinstance(value, tuple) else (value,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How many workers each step gets; a step of model calls seldom needs a second one."""

    generate: Annotated[int, Gt(0)] = 1
    verify: Annotated[int, Gt(0)] = 1
    judge: Annotated[int, Gt(0)] = 1
    correctness: Annotated[int, Gt(0)] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Where the steps run. None of it changes a result."""

    name: Literal["local", "ray"]
    workers: Workers = field(default_factory=Workers)
    in_flight: Annotated[int, Gt(0)] = 256
    """Rows that one worker handles at once, at most. A model's `limits.concurrency` bounds its
    calls; twice that many rows keep them busy, and a worker takes no more."""
    check_time_s: Annotated[float, Gt(0)] = 10.0
    """Time for one check of a constraint; past it the item is undecided."""
    check_memory_mb: Annotated[int, Ge(64)] = 1024
    """Memory that the checks of one worker may take; past it the item is undecided."""
    gpus: Annotated[int, Ge(0)] | None = None
    """GPUs that servers of `engine: vllm` may take together; `None` takes all that there are. On a
    cluster that grows as it is asked to, the number that it may grow to."""
    most_crashes: Annotated[int, Gt(0)] | None = None
    """Ray only: workers that may die with a sample in hand before it is set apart (`crash`);
    `None` is 3."""
    cpus: Annotated[int, Gt(0)] | None = None
    """Ray only: CPUs that the cluster may grow to, where it adds machines as it is asked to;
    `None` counts those that it has at the start, and fits all workers onto them."""
    address: str | None = None
    """Ray only: a running cluster (`auto`, `ray://…`); `None` starts one on this machine."""

    def __post_init__(self) -> None:
        for key in ("address", "cpus", "most_crashes"):
            if self.name == "local" and getattr(self, key) is not None:
                raise ValueError(f"`{key}` is for `execution=ray`; here `execution` is local")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """Where responses and results are kept."""

    uri: Annotated[str, Predicate(is_said)]
    """A folder, or any URI that `pyarrow.fs` reads. A relative folder starts where the
    command is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How the judge, the extractor and the grader are asked."""

    attempts: Annotated[int, Gt(0)] = 3
    """Times that one thing is asked until the reply can be read, the first included."""
    listed_quotes: bool = False
    """Whether the schema of an extractor's reply lists the answer's own words and passages, so
    that it can quote nothing else. For a model too small to copy; a schema for each answer is
    slow at endpoints that prepare each new one."""
    grader_media: bool = False
    """Whether the grader is shown a sample's pictures. CompassVerifier-32B reads text alone."""
    calls: Literal["sample", "item"] = "sample"
    """Whether a judge decides the items of Video-IFBench all in one call for each sample, or
    each in a call of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """One evaluation, with each role's model spelled out."""

    benchmark: Benchmark
    candidates: Annotated[tuple[ModelConfig, ...], MinLen(1)]
    judge: ModelConfig | None = None
    """Decides judged constraints; without one they stay undecided."""
    extractor: ModelConfig | None = None
    """Quotes what a script decides on; the judge, where none is named."""
    grader: ModelConfig | None = None
    """Decides whether an answer is right where a script cannot tell."""
    transcriber: ModelConfig | None = None
    """Writes subtitles from a video's sound, for candidates that see pictures and do not hear,
    where a sample brings none. Without one they get none."""
    correctness: Grading = "script"
    """Who says whether answers are right: `script` asks the grader, if one is named, only what
    no rule can tell; `model` asks it of every sample (the paper's protocol); `none` nobody."""
    execution: Execution
    store: StoreConfig
    judging: Judging = field(default_factory=Judging)
    attempts: Annotated[int, Gt(0)] = 1
    """How often each candidate answers each sample."""
    rules: Rules = "paper"
    seed: int = 0
    """Where every draw of the run itself starts (a model's own seed is in its sampling)."""
    max_owed: Annotated[int, Ge(0)] = 0
    """Trials that may stay without a verdict for the run still to count as complete."""
    max_usd: Annotated[float, Gt(0)] | None = None
    """What the run may cost, over all its invocations, at the models' prices."""
    experiment: str | None = None
    """The overlay that was chosen, for the record."""

    def __post_init__(self) -> None:
        if self.correctness == "model" and self.grader is None:
            raise ValueError("`correctness: model` needs a `grader`")
        if self.correctness == "none" and self.grader is not None:
            raise ValueError("`correctness: none` leaves nothing for a `grader` to decide")

    @property
    def models(self) -> tuple[ModelConfig, ...]:
        """Every model that takes a role, once each, candidates first."""
        roles = (*self.candidates, self.judge, self.extractor, self.grader, self.transcriber)
        found: list[ModelConfig] = []
        for model in roles:
            if model is not None and model not in found:
                found.append(model)
        return tuple(found)


def resolved(config: RunConfig) -> dict[str, Any]:
    """The whole config as plain JSON, for a manifest. Keys appear only as variables' names."""
    plain = asdict(config)
    assert isinstance(plain, dict)
    return {name: _plain(value) for name, value in plain.items()}


def _plain(value: Any) -> Any:  # JSON has no tuples.
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def identity(config: RunConfig) -> dict[str, Any]:
    """What decides the results, as plain JSON; the ground of a run's id.

    Left out is what only decides how fast, how dear, where or under which label: limits,
    prices, execution, store, `max_owed`, `max_usd`, `experiment`, and the order of the candidates.
    `data` stands as it was written; who has read the file knows its hash, which says more.
    """
    benchmark = _plain(asdict(config.benchmark))
    ids = config.benchmark.ids
    benchmark["ids"] = None if ids is None else sorted(set(ids))
    where = {facet: sorted(set(config.benchmark.wanted(facet))) for facet in config.benchmark.where}
    del benchmark["where"]
    if where:  # A run over everything keeps the id that it had before there was such a choice.
        benchmark["where"] = where
    return {
        "benchmark": benchmark,
        "candidates": [
            _model_identity(model) for model in sorted(config.candidates, key=lambda m: m.name)
        ],
        **{
            role: None if model is None else _model_identity(model)
            for role, model in (
                ("judge", config.judge),
                ("extractor", config.extractor),
                ("grader", config.grader),
            )
        },
        # Left out where there is none: run ids from before it stay what they are.
        **(
            {}
            if config.transcriber is None
            else {"transcriber": _model_identity(config.transcriber)}
        ),
        "judging": {
            "attempts": config.judging.attempts,
            "grader_media": config.judging.grader_media,
            # Left out at its default: run ids from before it stay what they are.
            **({} if config.judging.calls == "sample" else {"calls": config.judging.calls}),
            **({"listed_quotes": True} if config.judging.listed_quotes else {}),
        },
        "correctness": config.correctness,
        "attempts": config.attempts,
        "rules": config.rules,
        "seed": config.seed,
    }


def _model_identity(model: ModelConfig) -> dict[str, Any]:
    return {
        "name": model.name,
        **engine_identity(model),
        "model": model.model,
        "revision": model.revision,
        "sampling": _sampling_identity(model.sampling),
        "media": _media_identity(model.media),
    }


def _sampling_identity(sampling: Sampling) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(asdict(sampling))
    for name in ("temperature", "top_p"):  # 0 and 0.0 ask for the same thing.
        if plain[name] is not None:
            plain[name] = float(plain[name])
    return plain


def _media_identity(media: MediaPolicy) -> dict[str, Any]:
    policies = (("image", media.image), ("audio", media.audio), ("video", media.video))
    return {
        **{kind: dict(policy_identity(policy)) for kind, policy in policies},
        **({"sound": media.sound} if media.sound == "with" else {}),
        **({"subtitles": media.subtitles} if media.subtitles == "without" else {}),
    }
