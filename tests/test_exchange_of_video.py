"""Answers of Video-IFBench's runner into a store: found by case, never asked again."""

from __future__ import annotations

import json

import pytest

from factories import make_model, make_score, make_work
from ifbench.benchmarks.videoif.annotations import load_samples
from ifbench.errors import DatasetError
from ifbench.exchange import import_answers, release_lines
from ifbench.keys import prompt_key
from ifbench.stages.prepare import prepare
from ifbench.store import open_store
from ifbench.types import Prompt
from video_release import instruction, selection, video, write_release


@pytest.fixture
def samples(tmp_path):
    one = video(
        instructions=[instruction("a"), instruction("b", instruction="Say <video> twice, <video>.")]
    )
    two = video("v2", instructions=[selection("c", instruction_id="日本")])
    return list(load_samples(write_release(tmp_path / "data", one, two)))


@pytest.fixture
def journal(tmp_path):
    store = open_store(str(tmp_path / "store"))
    yield store.journal
    store.close()


def answered(folder, **answers):
    folder.mkdir(exist_ok=True)
    for number, (case, fields) in enumerate(answers.items()):
        form = {"case_id": case, "response_text": f"answer {number}", **fields}
        (folder / f"{number}.response.json").write_text(json.dumps(form))
    return folder


def key_of(sample) -> str:
    prompt = prepare(make_work(sample))
    assert isinstance(prompt, Prompt)
    return prompt_key(prompt)


def test_answers_are_stored_under_the_prompts_that_they_answer(tmp_path, samples, journal):
    folder = answered(tmp_path / "out", v1_a={}, v1_b={"error": {"type": "x"}}, 日本={})
    done = import_answers(folder, samples, make_model(), journal)
    assert (done.stored, done.already, done.empty, done.missing) == (2, 0, 1, 1)
    found = journal.lookup([key_of(sample) for sample in samples])
    assert [found[key_of(samples[n])].text for n in (0, 2)] == ["answer 0", "answer 2"]
    assert {answer.endpoint for answer in found.values()} == {"import:out"}
    assert import_answers(folder, samples, make_model(), journal).already == 2


@pytest.mark.parametrize(
    ("case", "fields", "words"),
    [
        ("v1_z", {}, "no sample `v1_z` in the data"),
        ("v1_b", {"_meta": {"instruction": "Sing."}}, "the answer is to another question"),
    ],
)
def test_an_answer_that_fits_no_sample_stores_nothing(
    tmp_path, samples, journal, case, fields, words
):
    folder = answered(tmp_path / "out", v1_a={}, **{case: fields})
    with pytest.raises(DatasetError, match=rf"1\.response\.json: .*{words}"):
        import_answers(folder, samples, make_model(), journal)
    assert len(journal) == 0


def test_the_released_words_are_the_samples_though_a_mark_was_taken_out(tmp_path, samples, journal):
    words = "Say <video> twice, <video>."
    assert samples[1].instruction != words
    folder = answered(tmp_path / "out", v1_b={"_meta": {"instruction": words}})
    assert import_answers(folder, samples, make_model(), journal).stored == 1


def test_one_case_in_two_files_is_refused(tmp_path, samples, journal):
    folder = answered(tmp_path / "out", v1_a={}, v1_b={"case_id": "v1_a"})
    with pytest.raises(
        DatasetError, match=r"sample v1_a is answered in .*0\.response\.json already"
    ):
        import_answers(folder, samples, make_model(), journal)


def test_what_was_imported_is_exported_in_the_same_form(tmp_path, samples, journal):
    folder = answered(tmp_path / "out", v1_a={}, 日本={})
    import_answers(folder, samples, make_model(), journal)
    scores = [make_score(sample_id=s.id, response_key=key_of(s)) for s in samples]
    files = dict(release_lines({s.id: s for s in samples}, scores, journal))
    assert sorted(files) == ["v1__a.response.json", "v2__c.response.json"]
    assert json.loads(files["v2__c.response.json"])["case_id"] == "日本"
