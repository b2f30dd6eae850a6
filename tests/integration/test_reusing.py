"""What is asked is decided by prompts alone: a new judge, a twin, a model's own failure."""

from __future__ import annotations

import json
from collections import Counter

from ifbench.benchmarks.datasets import data_path


def test_another_judge_asks_the_candidate_nothing_and_stands_beside_the_first(
    finished, undisturbed
):
    finished.write_model("other")
    assert finished.evaluate("judge=other").code == 0
    assert finished.preflights() == 1
    by_model = Counter(line["model"] for line in finished.answered())
    assert set(by_model) == {"other"}
    assert finished.prompts().total() == by_model["other"]
    assert finished.results(judge="judge") == undisturbed
    second = finished.results(judge="other")
    assert [row["satisfied"] for row in by_sample(second)] == [
        row["satisfied"] for row in by_sample(undisturbed)
    ]
    runs = finished.run(["report", "--store", finished.store, "--list"])
    assert {"judge", "other"} <= set(runs.out.split())


def by_sample(results) -> list[dict]:
    return sorted(results.scores, key=lambda row: row["sample_id"])


def test_one_prompt_under_two_ids_and_two_models_that_answer_alike_are_asked_once(
    place, undisturbed, wanted
):
    lines = data_path("builtin:scimif_starter").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    judged = [record for record in records if not record["media"]]
    twins = [{**record, "id": f"{record['id']}-twin"} for record in judged]
    data = place.folder / "twins.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in [*judged, *twins]))
    place.write_model("second")
    done = place.evaluate("candidates=[candidate,second]", f"benchmark.data={data}")
    assert done.code == 0, done.err
    assert set(place.prompts().values()) == {1}
    asked = Counter(line["kind"] for line in place.answered())
    assert asked["candidate"] == 2 * len(judged)
    assert set(place.prompts()) > {p for p in wanted if p in place.prompts()}
    scores = {(row["sample_id"], row["candidate"]): row for row in place.results().scores}
    assert len(scores) == 4 * len(judged)
    for row in undisturbed.scores:
        for sample in (row["sample_id"], f"{row['sample_id']}-twin"):
            for candidate in ("candidate", "second"):
                if (sample, candidate) in scores:
                    assert scores[sample, candidate]["satisfied"] == row["satisfied"]
