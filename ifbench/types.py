"""The values that flow through ifbench, in the order in which they appear.

Everything here is frozen data: no clock, no network, no provider. Media bytes never
appear; a `Media` names its source by content hash and a `View` says how to look at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

from annotated_types import Ge, Gt, Le

if TYPE_CHECKING:  # types sits below constraints; only the annotation needs the name.
    from ifbench.constraints.constraint import Params

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
# The recursive form above is for readers and mypy; pydantic reads an equivalent `Any`.
JsonObject: TypeAlias = Mapping[str, Any]


# ── Models and how they are asked ────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a reply is drawn. `None` leaves a field to the endpoint's own default."""

    temperature: Annotated[float, Ge(0)] | None = None
    top_p: Annotated[float, Gt(0), Le(1)] | None = None
    max_tokens: Annotated[int, Gt(0)] | None = None
    seed: int | None = None
    extra_body: JsonObject = field(default_factory=dict)
    """Further fields of the request's body, passed on as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an endpoint grants one run. They never change an answer, so they are in no key."""

    requests_per_minute: Annotated[float, Gt(0)] | None = None
    tokens_per_minute: Annotated[float, Gt(0)] | None = None
    concurrency: Annotated[int, Gt(0)] = 16
    timeout_s: Annotated[float, Gt(0)] = 300.0
    """Total time of one try, from connecting to the last byte."""
    attempts: Annotated[int, Gt(0)] = 6
    """Tries of one call, the first included."""
    elapsed_s: Annotated[float, Gt(0)] = 1800.0
    """Time after which no further try of one call begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens."""

    input_per_million: Annotated[float, Ge(0)] = 0.0
    output_per_million: Annotated[float, Ge(0)] = 0.0

    def usd(self, input_tokens: float, output_tokens: float) -> float:
        """What so many tokens cost."""
        return (
            input_tokens * self.input_per_million + output_tokens * self.output_per_million
        ) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePolicy:
    """How a picture is sent. The defaults are SciMIF's release: 512 px, JPEG, quality 60."""

    long_side_px: Annotated[int, Gt(0)] | None = 512
    """Longest side after shrinking (never enlarged); `None` keeps the size."""
    format: Literal["jpeg", "png", "webp"] = "jpeg"
    quality: Annotated[int, Ge(1), Le(100)] = 60
    max_bytes: Annotated[int, Gt(0)] | None = None
    """A picture that is larger after encoding fails its row; it is never shrunk in secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NativePolicy:
    """The file goes out as it is."""

    mode: Literal["native"] = "native"
    max_bytes: Annotated[int, Gt(0)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesPolicy:
    """A video is sent as pictures, each with its time. The defaults are Video-IFBench's release:
    one picture a second, 720 px, JPEG, quality 85.
    """

    mode: Literal["frames"] = "frames"
    fps: Annotated[float, Gt(0)] = 1.0
    """Pictures a second, from the first frame on."""
    count: Annotated[int, Gt(0)] | None = None
    """So many pictures, spread evenly over the real duration; where it is set, `fps` is not used."""
    max_frames: Annotated[int, Gt(0)] | None = None
    """Where the rate gives more, so many are spread evenly over the whole; none is cut off."""
    long_side_px: Annotated[int, Gt(0)] | None = 720
    """Longest side after shrinking (never enlarged); `None` keeps the size."""
    format: Literal["jpeg", "png", "webp"] = "jpeg"
    quality: Annotated[int, Ge(1), Le(100)] = 85
    labels: bool = True
    """Whether a line of text with its time (`[00:12.400]`) goes before each picture."""
    max_bytes: Annotated[int, Gt(0)] | None = None
    """Pictures that come to more bytes, all together, fail their row; none is shrunk or left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WavePolicy:
    """Sound is sent as WAV: one channel, 16 bits. The sound of a video always is."""

    mode: Literal["wav"] = "wav"
    rate_hz: Annotated[int, Ge(8000), Le(48000)] = 16_000
    """What speech models are trained on; 32 kB a second."""
    max_seconds: Annotated[float, Gt(0)] | None = None
    """Longer sound fails its row; it is never cut off in secret."""
    max_bytes: Annotated[int, Gt(0)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtitlesPolicy:
    """Subtitles are sent as text, a cue a line, each after its times."""

    mode: Literal["text"] = "text"
    max_bytes: Annotated[int, Gt(0)] | None = None


VideoPolicy: TypeAlias = FramesPolicy | NativePolicy
AudioPolicy: TypeAlias = NativePolicy | WavePolicy
Policy: TypeAlias = ImagePolicy | FramesPolicy | NativePolicy | WavePolicy | SubtitlesPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPolicy:
    """One policy for each kind of media that a model takes."""

    image: ImagePolicy = field(default_factory=ImagePolicy)
    audio: AudioPolicy = field(default_factory=NativePolicy)
    video: VideoPolicy = field(default_factory=FramesPolicy)
    sound: Literal["with", "without"] = "without"
    """Whether a video's sound goes along, after its pictures, for models that hear."""
    subtitles: Literal["with", "without"] = "with"
    """Whether a sample's subtitles are shown."""


EngineName: TypeAlias = Literal["openai_chat", "vllm", "llama_cpp", "scripted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """One file of `conf/model/`: a model that can take any role (candidate, judge, …)."""

    name: str
    """The file's name; how people and tables call the model."""
    engine: EngineName
    model: str
    """The id that the endpoint knows."""
    revision: str = ""
    """Tells apart two deployments that share a model id; part of every key."""
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; never the key."""
    sampling: Sampling = field(default_factory=Sampling)
    limits: Limits = field(default_factory=Limits)
    price: Price = field(default_factory=Price)
    media: MediaPolicy = field(default_factory=MediaPolicy)
    family: str = ""
    billions: Annotated[float, Gt(0)] | None = None
    thinking: bool | None = None
    """A label to group by. What switches thinking on belongs into `sampling.extra_body`."""
    access: Literal["closed", "open"] | None = None
    options: JsonObject = field(default_factory=dict)
    """What only this engine understands (`vllm`: gpus, dtype, context; `llama_cpp`: path, threads;
    `scripted`: table)."""


# ── Samples ──────────────────────────────────────────────────────────────────────────

MediaKind: TypeAlias = Literal["image", "video", "audio", "subtitles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A source, never its bytes. `sha256` is of the file's bytes, in hex; it is the identity."""

    kind: MediaKind
    uri: str
    sha256: str
    duration_s: float | None = None
    """How long it plays, for estimates only; `None` where nobody looked or it cannot be told."""


Origin: TypeAlias = Literal["original", "scientific", "general", "release"]
Scope: TypeAlias = Literal["response", "answer"] | int
"""The whole response, its final answer, or the index of the task that an item is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnboundParams:
    """Parameters that no parser could read: the item is undecided, cause *parameters*."""

    raw: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    """A constraint bound to a sample. Items are told apart by index: one may stand twice."""

    constraint_id: str
    params: Params | UnboundParams
    origin: Origin = "general"
    scope: Scope = "response"
    question: str = ""
    """For judged items: what the judge is asked, where the record says so itself."""
    evidence: str = ""
    """For judged items: facts that the judge may rely on."""
    raw: str = ""
    """The parameters as the source's free text, letter by letter; empty where it gave none."""

    @property
    def parameter_text(self) -> str:
        """What `rules=release` decides on; a file older than `raw` has it of unbound items."""
        unbound = self.params.raw if isinstance(self.params, UnboundParams) else ""
        return self.raw or unbound


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing that an instruction asks for (Video-IFBench, section 3)."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One way on from a place in a conditional instruction (Video-IFBench, section 3.1)."""

    condition: str
    """What has to be true of the video; empty for the branch that is left (*else*)."""
    holds: bool = False
    """Whether the condition is true of the video; of *else* it follows from the others."""
    then: Tree | str
    """Further conditions, or the instruction to be carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A conditional instruction: one level of it is Selection, several are Nested."""

    branches: tuple[Branch, ...]
    """In the order in which they are to be read; *else* comes last, or is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One item of a benchmark."""

    id: str
    benchmark: str
    instruction: str
    """The whole query shown to the model; `<image>` marks the place of a picture."""
    original_instruction: str = ""
    """Before augmentation; correctness is asked of it."""
    active_instruction: str = ""
    """The branch or leaf that is to be carried out; empty where there is no tree."""
    tree: Tree | None = None
    """The conditions that lead to it, where they are known one by one."""
    media: tuple[Media, ...] = ()
    checklist: tuple[ChecklistItem, ...] = ()
    tasks: tuple[Task, ...] = ()
    reference: Json = None
    facets: Mapping[str, str] = field(default_factory=dict)
    """Flat labels to group by: discipline, task_type, source, modality, …"""
    provenance: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One sample put to one candidate, for the `attempt`-th time (from 0)."""

    sample: Sample
    candidate: ModelConfig
    attempt: int = 0


# ── Prompts and responses ────────────────────────────────────────────────────────────


class Purpose(StrEnum):
    """Why a model is asked."""

    CANDIDATE = "candidate"
    TRANSCRIBE = "transcribe"
    """A video's sound is written down, for candidates that do not hear."""
    BIND = "bind"
    EXTRACT = "extract"
    JUDGE = "judge"
    CORRECTNESS = "correctness"
    CONSTRUCT = "construct"
    PREFLIGHT = "preflight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A piece of text in a prompt."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A medium in a prompt, seen under a policy."""

    media: Media
    policy: Policy


Part: TypeAlias = Text | View


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """All that determines a reply. Its content hash, `keys.prompt_key`, is its identity."""

    purpose: Purpose
    model: ModelConfig
    parts: tuple[Part, ...]
    system: str = ""
    sampling: Sampling
    attempt: int = 0
    """Tells repeats apart: the candidate's attempt, or a judge's re-asking (from 0)."""
    reply_schema: JsonObject | None = None
    """A JSON Schema that the reply should obey; `None` asks for free text."""


class Blame(StrEnum):
    """Whose fault a failure is: the model's are scored, infrastructure's are owed again."""

    MODEL = "model"
    INFRASTRUCTURE = "infrastructure"


class FailureKind(StrEnum):
    """Why there is no answer. `BLAME` says whose fault each is."""

    REFUSAL = "refusal"
    CONTEXT_OVERFLOW = "context_overflow"
    CONTENT_FILTER = "content_filter"
    EMPTY = "empty"
    TRANSPORT = "transport"
    """Broken connections, 408, 409, 429, 5xx and unreadable bodies, after the last try."""
    TIMEOUT = "timeout"
    REJECTED = "rejected"
    """400, 401, 403, 404 and the like: the request or the credential is at fault."""
    MEDIA = "media"
    SPENDING_CAP = "spending_cap"
    CRASH = "crash"
    """Workers died with the trial in hand, so often that no further one is given it."""
    NOT_RUN = "not_run"


BLAME: Mapping[FailureKind, Blame] = {
    FailureKind.REFUSAL: Blame.MODEL,
    FailureKind.CONTEXT_OVERFLOW: Blame.MODEL,
    FailureKind.CONTENT_FILTER: Blame.MODEL,
    FailureKind.EMPTY: Blame.MODEL,
    FailureKind.TRANSPORT: Blame.INFRASTRUCTURE,
    FailureKind.TIMEOUT: Blame.INFRASTRUCTURE,
    FailureKind.REJECTED: Blame.INFRASTRUCTURE,
    FailureKind.MEDIA: Blame.INFRASTRUCTURE,
    FailureKind.SPENDING_CAP: Blame.INFRASTRUCTURE,
    FailureKind.CRASH: Blame.INFRASTRUCTURE,
    FailureKind.NOT_RUN: Blame.INFRASTRUCTURE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A fact about one call; data, never an exception, a text or a number."""

    kind: FailureKind
    message: str = ""

    @property
    def blame(self) -> Blame:
        return BLAME[self.kind]


class Stop(StrEnum):
    """Why the model stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    """Cut off at `max_tokens` or at the end of the context."""
    FILTER = "filter"
    OTHER = "other"
    NONE = "none"
    """There was no reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the endpoint counted them; 0 where it did not say."""

    input_tokens: int = 0
    output_tokens: int = 0
    """All tokens written, reasoning included."""
    reasoning_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a model gave back, byte for byte, or its failure (then `text` is empty)."""

    key: str
    purpose: Purpose
    model: str
    """The id that was asked for."""
    text: str = ""
    reasoning: str = ""
    stop: Stop = Stop.NONE
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """Wall time of the last try."""
    tries: int = 1
    returned_model: str = ""
    fingerprint: str = ""
    endpoint: str = ""
    """The base URL that answered."""
    failure: Failure | None = None

    @property
    def is_answered(self) -> bool:
        """True when the call is settled: it was paid for and must not be made again."""
        return self.failure is None or self.failure.blame is Blame.MODEL


# ── Verdicts and scores ──────────────────────────────────────────────────────────────


class Outcome(StrEnum):
    """What a verdict says; undecided is neither a pass nor a fail."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


class Cause(StrEnum):
    """Why a verdict is missing; a closed list, shown beside every score."""

    TRANSPORT = "transport"
    TIMEOUT = "timeout"
    MEDIA = "media"
    PARAMETERS = "parameters"
    EXTRACTOR = "extractor"
    JUDGE_UNREADABLE = "judge_unreadable"
    JUDGE_TRUNCATED = "judge_truncated"
    VERIFIER_TIMEOUT = "verifier_timeout"
    VERIFIER_ERROR = "verifier_error"
    SPENDING_CAP = "spending_cap"
    CRASH = "crash"
    NOT_RUN = "not_run"
    GRADER_UNREADABLE = "grader_unreadable"
    GRADER_TRUNCATED = "grader_truncated"
    NO_GRADER = "no_grader"
    """No script can tell whether the answer is right, and the run names no grader."""
    NO_JUDGE = "no_judge"
    """Only a judge can decide it, and the run names none."""
    NO_EXTRACTOR = "no_extractor"
    """A script decides it on what an extractor quotes, and the run names none."""
    NO_REFERENCE = "no_reference"
    """There is nothing to compare the answer with."""


CAUSE_OF_FAILURE: Mapping[FailureKind, Cause] = {
    FailureKind.TRANSPORT: Cause.TRANSPORT,
    FailureKind.REJECTED: Cause.TRANSPORT,
    FailureKind.TIMEOUT: Cause.TIMEOUT,
    FailureKind.MEDIA: Cause.MEDIA,
    FailureKind.SPENDING_CAP: Cause.SPENDING_CAP,
    FailureKind.CRASH: Cause.CRASH,
    FailureKind.NOT_RUN: Cause.NOT_RUN,
}
"""The cause that an infrastructure failure of a call gives to what depends on it."""


class Evidence(NamedTuple):
    """A place in the final text that a verdict rests on. `end` is exclusive, in code points.

    A tuple, since a check makes several: a frozen dataclass takes four times as long to build.
    """

    start: int
    end: int
    text: str


Aspect: TypeAlias = Literal["constraint", "task", "correctness"]
Rules: TypeAlias = Literal["paper", "release"]
Grade: TypeAlias = Literal["A", "B", "C"]
"""CompassVerifier's: correct, incorrect, invalid (no answer at all). C counts as incorrect."""
GradedBy: TypeAlias = Literal["script", "model"]
Grading: TypeAlias = Literal["none", "script", "model"]
"""Who says whether answers are right: nobody; a script, and the grader where it cannot tell; the
grader alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Pass, fail or undecided, on one item of one trial, by one grader."""

    sample_id: str
    candidate: str
    attempt: int = 0
    aspect: Aspect = "constraint"
    item: int
    """Index into the checklist (or the tasks)."""
    constraint_id: str
    outcome: Outcome
    cause: Cause | None = None
    """Set exactly when the outcome is undecided."""
    requirements: tuple[bool | None, ...]
    """The decomposed yes/no parts, at least one; `None` where undecided."""
    grader: str
    """`script:general:json_constraint@1`; where a model was asked, the prompt template with its
    hash and the model's name follow: `judge:general:number_response@1 judge/distinct@HASH NAME`."""
    rules: Rules = "paper"
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    extracted: str | None = None
    """What a script or an extractor read out of the answer, where that is what was decided."""
    asked: tuple[str, ...] = ()
    """Keys of the prompts behind the verdict, so that a report can show the judge's words."""
    grade: Grade | None = None
    """Of the aspect *correctness*, where it is decided; `None` of every other verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One trial's verdicts brought together. `None` stands for undecided throughout."""

    sample_id: str
    benchmark: str
    candidate: str
    attempt: int = 0
    judge: str
    extractor: str
    grader: str
    rules: Rules = "paper"
    constraints: tuple[str, ...]
    """The constraint of each item, in the order of `satisfied`."""
    satisfied: tuple[bool | None, ...]
    requirements: tuple[tuple[bool | None, ...], ...]
    tasks_done: tuple[bool | None, ...] = ()
    correct: bool | None = None
    """Whether the answer is right, constraints aside; `None` too where nobody was to say."""
    grade: Grade | None = None
    """Set exactly when `correct` is."""
    graded_by: GradedBy | None = None
    """Set exactly when `correct` is."""
    ungraded: Cause | None = None
    """Why correctness is undecided; `None` where it is decided, or nobody was to say."""
    causes: tuple[Cause, ...] = ()
    """The causes of what is undecided of items and tasks, sorted, each once."""
    response_key: str = ""
    stop: Stop = Stop.NONE
    failure: FailureKind | None = None
    """The candidate's failure, whoever is to blame."""
    usage: Usage = field(default_factory=Usage)
    facets: Mapping[str, str] = field(default_factory=dict)

    @property
    def undecided(self) -> int:
        """Number of items and tasks without a verdict."""
        return sum(value is None for value in (*self.satisfied, *self.tasks_done))

    @property
    def is_complete(self) -> bool:
        return self.undecided == 0

    @property
    def is_owed(self) -> bool:
        """True while something is undecided that the run set out to decide."""
        return not self.is_complete or bool(self.owed_causes)

    @property
    def owed_causes(self) -> tuple[Cause, ...]:
        """Why the trial is owed, sorted, each once.

        That nobody in the run can say whether the answer is right is no such cause.
        """
        ungraded = self.ungraded
        more = () if ungraded is None or ungraded in _NOBODY else (ungraded,)
        return tuple(sorted({*self.causes, *more}))


_NOBODY = frozenset({Cause.NO_GRADER, Cause.NO_REFERENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The row that travels from step to step: a work item and what is known of it so far."""

    item: WorkItem
    run: str = ""
    """The id of the run that it belongs to: several may be on their way together."""
    response: Response | None = None
    verdicts: tuple[Verdict, ...] = ()
    score: Score | None = None
