"""Reading the file that a medium names."""

import hashlib

import pytest

from ifbench.media.errors import MediaError
from ifbench.media.sources import read_source, sha256_of
from ifbench.types import Media

DATA = b"some bytes"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "Bild übersicht 图.bin"
    path.write_bytes(DATA)
    return path


def medium(uri, data=DATA):
    return Media(kind="image", uri=str(uri), sha256=hashlib.sha256(data).hexdigest())


def test_a_plain_path_is_read(file):
    assert read_source(medium(file)) == DATA


def test_a_file_uri_is_read_through_pyarrow(file):
    assert read_source(medium(file.as_uri())) == DATA


def test_the_hash_may_be_in_capitals(file):
    named = Media(kind="image", uri=str(file), sha256=sha256_of(file).upper())
    assert read_source(named) == DATA


def test_the_hash_of_a_file_is_that_of_its_bytes(file):
    assert sha256_of(file) == hashlib.sha256(DATA).hexdigest()


def test_a_file_with_other_bytes_than_named_is_an_error_that_gives_both_hashes(file):
    other = hashlib.sha256(b"other").hexdigest()
    with pytest.raises(MediaError, match=sha256_of(file)) as caught:
        read_source(medium(file, b"other"))
    assert other in str(caught.value)


def test_a_file_over_the_limit_is_refused_with_both_sizes(file):
    assert read_source(medium(file), max_bytes=len(DATA)) == DATA
    with pytest.raises(MediaError, match="10 bytes; at most 9"):
        read_source(medium(file), max_bytes=9)


@pytest.mark.parametrize("uri", ["", "no/such/file", "bogus://host/file", "file:///no/such/file"])
def test_what_cannot_be_opened_is_a_media_error(uri):
    with pytest.raises(MediaError):
        read_source(medium(uri))


def test_a_folder_is_a_media_error(tmp_path):
    with pytest.raises(MediaError):
        read_source(medium(tmp_path))
