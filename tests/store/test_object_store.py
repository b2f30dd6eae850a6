"""The store on S3: the same answers and results, few requests, and clear words when it fails."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from s3_server import ENVIRONMENT, Broken, S3Server, serve
from store_values import answer, answers, key_of, make_score

from ifbench.errors import StoreError
from ifbench.store import Manifest, Store, open_store, read_scores
from ifbench.store.compaction import compact
from ifbench.store.journal import Journal, journal_folder, parts_folder
from ifbench.store.location import Location, resolve

pytest.importorskip("moto.server", reason="needs moto's S3 server: uv sync --extra dev")


@pytest.fixture(scope="module")
def running() -> Iterator[S3Server]:
    yield from serve()


@pytest.fixture
def server(running: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    running.fail()
    running.forget()
    yield running
    running.fail()


@pytest.fixture
def place(server: S3Server) -> Location:
    return resolve(server.uri(server.make_bucket()))


# ── As on a disk ─────────────────────────────────────────────────────────────────────


def test_one_store_holds_answers_results_and_manifests(place: Location) -> None:
    store = open_store(place)
    store.journal.append(answers(1))
    with store.results("run1", "d") as writer:
        writer.add(make_score(), ())
        writer.commit()
    store.save_manifest(Manifest(run_id="run1", identity={}, config={}, dataset_sha256="d"))
    store.close()

    again = Store(place.address)
    assert again.journal.lookup([key_of(1)]) == {key_of(1): answer(1)}
    assert again.compact().merged == 1
    assert read_scores(place.address).num_rows == 1
    assert [manifest.run_id for manifest in again.list_runs()] == ["run1"]
    assert Store(place).journal.lookup([key_of(1)]) == {key_of(1): answer(1)}


def test_a_store_can_be_sent_to_a_worker(place: Location) -> None:
    store = open_store(place)
    store.journal.append(answers(1))
    copy = pickle.loads(pickle.dumps(store))
    copy.journal.append(answers(2))
    assert copy.journal.stored([key_of(1), key_of(2)]) == {key_of(1), key_of(2)}
    copy.close()
    store.close()


def test_an_answer_is_durable_within_a_second(place: Location) -> None:
    with Journal(place) as journal:
        start = time.monotonic()
        journal.append(answers(1))
        assert time.monotonic() - start < 1
        assert Journal(place).stored([key_of(1)])


# ── Requests ─────────────────────────────────────────────────────────────────────────


def test_answers_in_flight_together_share_an_object(place: Location, server: S3Server) -> None:
    with Journal(place) as journal:
        server.forget()
        with ThreadPoolExecutor(100) as pool:
            list(pool.map(lambda number: journal.append(answers(number)), range(100)))
    assert server.counts().keys() == {"PUT"}
    assert server.counts()["PUT"] <= 3


def test_a_refresh_fetches_only_what_is_new(place: Location, server: S3Server) -> None:
    reader = Journal(place)
    with Journal(place) as writer:
        for number in range(5):
            writer.append(answers(number))
        server.forget()
        reader.refresh()
        assert server.counts() == {"LIST": 3, "HEAD": 5, "GET": 5}
        server.forget()
        reader.refresh()
        assert server.counts() == {"LIST": 3}
        writer.append(answers("new"))
        server.forget()
        reader.refresh()
        assert server.counts() == {"LIST": 3, "HEAD": 1, "GET": 1}
    assert len(reader) == 6


def test_looking_up_costs_no_request(place: Location, server: S3Server) -> None:
    with Journal(place) as writer:
        writer.append(answers(*range(50)))
        server.forget()
        assert len(writer.lookup(map(key_of, range(50)))) == 50
        assert server.counts() == {}
    compact(place)
    with Journal(place) as reader:
        server.forget()
        for number in range(50):
            assert reader.lookup([key_of(number)]) == {key_of(number): answer(number)}
        assert server.counts() == {}


def test_results_and_manifests_appear_in_one_put_each(place: Location, server: S3Server) -> None:
    store = Store(place)
    server.forget()
    with store.results("run1", "d") as writer:
        writer.add(make_score(), ())
        assert server.counts() == {}
        writer.commit()
    store.save_manifest(Manifest(run_id="run1", identity={}, config={}, dataset_sha256="d"))
    put = [path for method, path, _ in server.requests if method == "PUT" and path[-1] != "/"]
    assert sorted(path.rpartition("/")[2] for path in put) == [
        "manifest.json", "run1.mark", "run1.parquet", "run1.parquet",
    ]  # fmt: skip
    assert not server.objects("run1.mark")


# ── Several at once ──────────────────────────────────────────────────────────────────


def test_compaction_under_writers_and_readers_loses_no_row(place: Location) -> None:
    is_done = threading.Event()

    def write(writer: int) -> None:
        with Journal(place) as journal:
            for number in range(6):
                journal.append(answers(f"{writer}-{number}", f"shared-{number}"))

    def keep_compacting() -> int:
        times = 0
        while not is_done.is_set():
            try:
                times += bool(compact(place, size=4_000).parts)
            except StoreError as error:  # Two at once: one of them gives way.
                if "another compaction" not in str(error):
                    raise
        return times

    reader = Journal(place)
    with ThreadPoolExecutor(6) as pool:
        compactions = [pool.submit(keep_compacting) for _ in range(2)]
        writers = [pool.submit(write, writer) for writer in range(3)]
        seen: frozenset[str] = frozenset()
        names = [f"{w}-{n}" for w in range(3) for n in range(6)] + [f"shared-{n}" for n in range(6)]
        while not all(writer.done() for writer in writers):
            reader.refresh()
            now = reader.stored(map(key_of, names))
            assert seen <= now
            seen = now
        is_done.set()
        assert sum(done.result() for done in compactions) > 2
        for writer in writers:
            writer.result()
    everything = {key_of(name): answer(name) for name in names}
    assert Journal(place).lookup(map(key_of, names)) == everything
    reader.refresh()
    assert reader.lookup(map(key_of, names)) == everything
    compact(place)
    compact(place)
    assert journal_folder(place).files() == {}
    assert len(Journal(place)) == len(names)


def test_a_row_is_found_after_its_object_was_merged_away(place: Location) -> None:
    with Journal(place) as writer:
        writer.append(answers(1))
        reader = Journal(place)
        compact(place)
        assert len(parts_folder(place).files()) == 1
        assert reader.lookup([key_of(1)]) == writer.lookup([key_of(1)]) == {key_of(1): answer(1)}


@pytest.mark.parametrize("code", ["NoSuchKey", "ResourceNotFound"])
def test_an_object_that_goes_between_its_opening_and_its_reading_is_no_damage(
    place: Location, server: S3Server, code: str
) -> None:
    with Journal(place) as writer:
        writer.append(answers(1))
    gone = Broken(method="GET", path=r"\.arrow$", status=404, code=code, times=1)
    server.fail(gone)
    assert Journal(place).lookup([key_of(1)]) == {key_of(1): answer(1)}
    assert gone.times == 0
    server.fail(replace(gone, times=1))
    with pytest.raises(StoreError, match="another compaction is at work"):
        compact(place)
    assert compact(place).rows == 1


def test_a_run_comes_to_know_what_another_has_stored(place: Location) -> None:
    ours = Journal(replace(place, session="aa"))
    with Journal(replace(place, session="bb")) as theirs:
        theirs.append(answers(1))
    assert ours.lookup([key_of(1)]) == {}  # It is looked for in the background.
    end = time.monotonic() + 20
    while not ours.lookup([key_of(1)]):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_writers_of_one_run_do_not_fetch_from_each_other(place: Location, server: S3Server) -> None:
    ours = Journal(replace(place, session="aa"))
    with Journal(replace(place, session="aa")) as fellow:
        fellow.append(answers(*range(5)))
    server.forget()
    assert ours.lookup([key_of(1)]) == {}
    end = time.monotonic() + 10
    while server.counts()["LIST"] < 3:
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.2)
    assert server.counts() == {"LIST": 3}
    ours.refresh()
    assert ours.lookup([key_of(1)])


# ── Faults ───────────────────────────────────────────────────────────────────────────

PASSING = {
    "errors 500": Broken(method="PUT", status=500, times=4),
    "throttled 503": Broken(method="PUT", status=503, code="SlowDown", times=4),
    "too slow": Broken(method="PUT", wait_s=3.5, times=1),
    "resets": Broken(method="PUT", drop=True, times=5),
    "stored, then cut off": Broken(method="PUT", drop=True, late=True, times=1),
}


@pytest.mark.parametrize("name", PASSING)
def test_puts_that_fail_for_a_while_lose_and_double_nothing(
    place: Location, server: S3Server, name: str
) -> None:
    with Journal(place) as journal:
        journal.append(answers("before"))
        server.fail(PASSING[name])
        journal.append(answers("while"))
        server.fail()
        journal.append(answers("after"))
    again = Journal(place)
    assert len(again) == len(again.lookup(map(key_of, ("before", "while", "after")))) == 3


def test_puts_that_fail_for_good_end_the_run_and_keep_what_came_in(
    place: Location, server: S3Server, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(replace(place, patience_s=1.0))
    store.journal.append(answers("before"))
    server.fail(Broken(method="PUT", status=500))
    first = store.journal.append_soon(answer("in flight"))
    with pytest.raises(StoreError, match="can no longer be stored") as caught:
        first.result()
    assert place.uri in str(caught.value)
    assert "are kept in" in str(caught.value)
    with pytest.raises(StoreError, match="can no longer be stored"):
        store.journal.append_soon(answer("answered later")).result()
    store.close()
    assert "the store did not take 2 answers; 2 of them are kept there" in caplog.text
    server.fail()
    wanted = [key_of(name) for name in ("before", "in flight", "answered later")]
    assert Journal(place).stored(wanted) == {wanted[0]}
    mended = open_store(place)
    assert len(mended.journal.lookup(wanted)) == 3
    server.forget()
    assert open_store(place).journal.stored(wanted) == set(wanted)
    assert compact(place).rows == 3


def test_right_answers_survive_a_compaction_that_is_cut_off(
    place: Location, server: S3Server
) -> None:
    with Journal(place) as journal:
        for number in range(4):
            journal.append(answers(number))
    server.fail(Broken(method="DELETE", status=403, code="AccessDenied"))
    with pytest.raises(StoreError, match=r"cannot be compacted.*AWS_ACCESS_KEY_ID"):
        compact(place)
    assert Store(place).tidy(files=1) is None
    server.fail()
    assert len(Journal(place).lookup(map(key_of, range(4)))) == 4
    compact(place)
    assert len(Journal(place)) == 4


def test_results_that_cannot_be_published_say_that_the_answers_are_kept(
    place: Location, server: S3Server
) -> None:
    with Store(place).results("run1", "d") as writer:
        writer.add(make_score(), ())
        server.fail(Broken(method="PUT", status=403, code="AccessDenied"))
        with pytest.raises(StoreError, match=r"cannot be published.*the answers are stored"):
            writer.commit()


# ── At the start ─────────────────────────────────────────────────────────────────────

BAD_STARTS = {
    "no right to write": (Broken(status=403, code="AccessDenied"), "set AWS_ACCESS_KEY_ID"),
    "unknown key": (
        Broken(status=403, code="InvalidAccessKeyId"),
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    "wrong secret": (
        Broken(status=403, code="SignatureDoesNotMatch"),
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    "another region": (
        Broken(status=400, code="AuthorizationHeaderMalformed", region_is_not="eu-central-1"),
        "name the bucket's own region",
    ),
    "another region's endpoint": (
        Broken(status=301, code="PermanentRedirect"),
        "name the bucket's own region",
    ),
}


@pytest.mark.parametrize("name", BAD_STARTS)
def test_a_bucket_that_refuses_is_told_before_anything_is_asked(
    place: Location, server: S3Server, name: str
) -> None:
    broken, words = BAD_STARTS[name]
    server.fail(broken)
    with pytest.raises(StoreError) as caught:
        open_store(place.address)
    assert str(caught.value).startswith(f"{place.uri}: the store cannot be written: ")
    assert words in str(caught.value)


def test_no_keys_are_told(
    place: Location, server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    server.fail(Broken(status=403, code="AccessDenied", unsigned=True))
    with pytest.raises(StoreError, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        open_store(place.address)


def test_no_bucket_is_told(server: S3Server) -> None:
    with pytest.raises(StoreError, match=r"s3://nowhere/ifbench: .*make the bucket"):
        open_store(server.uri("nowhere"))


def test_an_endpoint_that_is_down_is_told() -> None:
    with pytest.raises(StoreError, match=r"s3://bucket/a: .*see that the endpoint is up"):
        open_store("s3://bucket/a?endpoint_override=127.0.0.1:9&scheme=http")


@pytest.mark.parametrize(
    "uri",
    ["s3://name:planted@bucket/a", "s3://bucket/a?access_key=planted&secret_key=planted"],
)
def test_keys_may_not_stand_in_a_uri(uri: str) -> None:
    with pytest.raises(StoreError, match="keys may not stand in a URI") as caught:
        resolve(uri)
    assert "planted" not in str(caught.value)


def test_the_right_region_is_passed_on(server: S3Server) -> None:
    uri = server.uri(server.make_bucket()) + "&region=eu-central-1"
    server.fail(
        Broken(status=400, code="AuthorizationHeaderMalformed", region_is_not="eu-central-1")
    )
    store = open_store(uri)
    store.journal.append(answers(1))
    assert store.root.address == uri
    store.close()
