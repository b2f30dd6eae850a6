"""Sound becomes WAV that runs beside the film."""

from __future__ import annotations

import wave
from io import BytesIO

import numpy as np
import pytest
from clips import draw_clip, draw_sound

from ifbench.media.audio import has_sound, wave_sound
from ifbench.media.errors import MediaError

STEADY = list(range(0, 2000, 40))


def samples_of(data):
    with wave.open(BytesIO(data)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), np.int16)


def loud_from_to(data):
    rate, samples = samples_of(data)
    loud = np.flatnonzero(np.abs(samples) > 3000)
    return loud[0] / rate, loud[-1] / rate


@pytest.mark.parametrize("rate_hz", [8000, 16_000, 44_100])
def test_a_sound_file_becomes_wav_of_one_channel(tmp_path, rate_hz):
    sound = wave_sound(draw_sound(tmp_path / "a.wav", 1.5), rate_hz)
    rate, samples = samples_of(sound.data)
    assert rate == rate_hz
    assert len(samples) / rate == pytest.approx(1.5, abs=0.01)
    assert sound.seconds == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize(
    ("first_frame_ms", "tone_ms", "heard"),
    [(0, (0, 1000), (0, 1)), (0, (500, 1500), (0.5, 1.5)), (1000, (500, 2000), (0, 1))],
)
def test_what_is_heard_at_a_second_is_what_is_seen_at_it(tmp_path, first_frame_ms, tone_ms, heard):
    times = [first_frame_ms + at for at in STEADY]
    path = draw_clip(tmp_path / "a.mkv", times, sound_ms=tone_ms)
    assert loud_from_to(wave_sound(path, 16_000).data) == pytest.approx(heard, abs=0.03)


def test_a_film_without_sound_says_so(tmp_path):
    path = draw_clip(tmp_path / "a.mp4", STEADY)
    assert not has_sound(path)
    with pytest.raises(MediaError, match="no sound"):
        wave_sound(path, 16_000)


def test_sound_over_its_length_is_refused(tmp_path):
    with pytest.raises(MediaError, match="longer than 1 s"):
        wave_sound(draw_sound(tmp_path / "a.wav", 1.5), 16_000, max_seconds=1)


@pytest.mark.parametrize("data", [b"", b"no sound\n" * 40])
def test_what_is_no_sound_is_refused(tmp_path, data):
    path = tmp_path / "a.wav"
    path.write_bytes(data)
    with pytest.raises(MediaError, match="no audio or video"):
        wave_sound(path, 16_000)
