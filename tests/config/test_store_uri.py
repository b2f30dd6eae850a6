"""Where the store lies: a folder, a URI, or what an environment variable says."""

from __future__ import annotations

import pytest

from ifbench.config import load_config
from ifbench.errors import ConfigError


def uri(*overrides: str) -> str:
    return load_config(["candidates=smollm2", *overrides]).store.uri


def test_a_bucket_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IFBENCH_STORE_URI", " s3://bucket/a?region=eu-central-1&scheme=http ")
    assert uri("store=s3") == "s3://bucket/a?region=eu-central-1&scheme=http"
    assert uri("store=s3", "store.uri='s3://other/b?region=x'") == "s3://other/b?region=x"
    assert uri("store.uri=${oc.env:IFBENCH_STORE_URI,elsewhere}").startswith("s3://bucket/a")


def test_a_default_may_stand_in_for_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELSEWHERE", raising=False)
    assert uri("store.uri=${oc.env:ELSEWHERE,/data/ifbench}") == "/data/ifbench"


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IFBENCH_STORE_URI", raising=False)
    with pytest.raises(ConfigError, match="wants the environment variable IFBENCH_STORE_URI"):
        uri("store=s3")


def test_keys_in_a_uri_of_the_command_line_are_refused_with_where_they_belong() -> None:
    with pytest.raises(ConfigError, match="AWS_ACCESS_KEY_ID"):
        uri("store.uri='s3://bucket/a?secret_key=planted'")


@pytest.mark.parametrize(
    "planted", ["s3://id:planted@bucket/a", "s3://bucket/a?secret_key=planted&access_key=planted"]
)
def test_keys_in_the_environment_s_uri_are_refused(
    planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IFBENCH_STORE_URI", planted)
    with pytest.raises(ConfigError, match="holds a password or key") as caught:
        uri("store=s3")
    assert "planted" not in str(caught.value)
