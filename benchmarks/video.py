"""Frames of video: our path beside a bare decord loop, what is cached, memory, and sharing.

    python benchmarks/video.py [--seconds 60] [--hours 1]

The clips are drawn by this script. Figures are ratios within one run, each the best of three.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import decord
import numpy as np
from PIL import Image

from ifbench.media.frame_times import picked_times, shown_at
from ifbench.media.sources import sha256_of
from ifbench.media.video import why_not_decord
from ifbench.media.video_decord import decode_with_decord
from ifbench.media.video_probe import probe_video
from ifbench.media.video_pyav import decode_with_pyav
from ifbench.media.views import ViewLoader
from ifbench.types import FramesPolicy, Media, View

decord.logging.set_level(decord.logging.FATAL)
POLICIES = {
    "1 fps": FramesPolicy(),
    "50 frames": FramesPolicy(count=50),
    "5 fps": FramesPolicy(fps=5),
}


def draw(path: Path, seconds: int, size: tuple[int, int], fps: int, codec: str) -> Path:
    """Moving noise blocks: about as dear to decode as a film."""
    width, height = size
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    wide = np.repeat(np.repeat(blocks, 8, 0), 8, 1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.gop_size = fps * 5
        stream.options = {"preset": "veryfast"} if codec == "libx264" else {"cpu-used": "8"}
        for number in range(seconds * fps):
            pixels = np.roll(wide, (number * 2, number * 3), (0, 1))
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def media_of(path: Path) -> Media:
    return Media(kind="video", uri=str(path), sha256=sha256_of(path))


def best(run: Callable[[], int]) -> tuple[float, int]:
    """Seconds of the fastest of three, and how many frames it gave."""
    found = []
    for _ in range(3):
        start = time.perf_counter()
        count = run()
        found.append((time.perf_counter() - start, count))
    return min(found)


def bare(path: Path, policy: FramesPolicy) -> int:
    """What a plain script does: open, take the frames, shrink, JPEG."""
    reader = decord.VideoReader(str(path), ctx=decord.cpu(0))
    times = [index / reader.get_avg_fps() for index in range(len(reader))]
    moments = picked_times(policy, len(reader) / reader.get_avg_fps(), len(reader))
    for moment in moments:
        picture = Image.fromarray(reader[shown_at(times, moment)].asnumpy())
        picture.thumbnail((policy.long_side_px, policy.long_side_px), Image.Resampling.LANCZOS)
        picture.save(io.BytesIO(), "jpeg", quality=policy.quality)
    return len(moments)


def ours(path: Path, policy: FramesPolicy) -> int:
    """A view from nothing: hashed, looked through, decoded, encoded."""
    return len(ViewLoader()(View(media=media_of(path), policy=policy))) // 2


def compare(path: Path) -> None:
    stream = probe_video(path)
    reason = why_not_decord(stream) or "decord"
    for name, policy in POLICIES.items():
        seconds, count = best(lambda policy=policy: ours(path, policy))
        plain, _ = best(lambda policy=policy: bare(path, policy))
        moments = picked_times(policy, stream.end_s, len(stream.times))
        wanted = sorted({shown_at(stream.times, moment) for moment in moments})
        size = stream.size_within(policy.long_side_px)
        by = {
            decode.__name__: best(lambda d=decode: sum(1 for _ in d(stream, wanted, size)))[0]  # noqa: B023
            for decode in (decode_with_decord, decode_with_pyav)
        }
        print(
            f"{path.name} ({reason}), {name}: {count / seconds:.0f} frames/s, "
            f"bare loop {count / plain:.0f}, ratio {plain / seconds:.2f}; decoding alone: "
            + ", ".join(f"{name[12:]} {count / took:.0f}" for name, took in by.items())
        )


def sharing(path: Path, folder: Path) -> None:
    """Three models, one policy but for caps and labels."""
    policies = (FramesPolicy(), FramesPolicy(max_bytes=10**9), FramesPolicy(labels=False))
    media = media_of(path)
    apart, _ = best(lambda: sum(len(ViewLoader()(View(media=media, policy=p))) for p in policies))
    start = time.perf_counter()
    load = ViewLoader(folder)
    for policy in policies:
        load(View(media=media, policy=policy))
    together = time.perf_counter() - start
    kept = sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file())
    start = time.perf_counter()
    ViewLoader(folder)(View(media=media, policy=policies[0]))
    print(
        f"three models on one video: {apart:.2f} s each for itself, {together:.2f} s sharing "
        f"({apart / together:.1f} times less); {kept / 1e6:.2f} MB cached beside a video of "
        f"{path.stat().st_size / 1e6:.2f} MB; from the disk {time.perf_counter() - start:.3f} s"
    )


def memory(path: Path) -> None:
    """Peak memory of a child process that makes a view of a long video, above its imports."""
    for name in ("decord", "pyav"):
        command = [sys.executable, __file__, "--child", str(path), name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        print(
            f"{path.name}, {told['frames']} frames by {name}: {told['seconds']:.1f} s, peak "
            f"{told['peak_mb'] - told['before_mb']:.0f} MB above the imports, of which encoded "
            f"pictures {told['held_mb']:.0f} MB"
        )


def memory_mb(name: str) -> float:
    """A figure of this process, as Linux tells it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def child(path: Path, decoder: str) -> None:
    from ifbench.media import video

    if decoder == "pyav":
        video._DECORD_CODECS = frozenset()
    Path("/proc/self/clear_refs").write_text("5")  # The peak starts anew; a child inherits one.
    before = memory_mb("VmRSS")
    start = time.perf_counter()
    made = video.video_frames(path, FramesPolicy())
    told = {
        "frames": len(made.blobs),
        "seconds": time.perf_counter() - start,
        "before_mb": before,
        "peak_mb": memory_mb("VmHWM"),
        "held_mb": made.size / 1e6,
    }
    print(json.dumps(told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--child", nargs=2, metavar=("PATH", "DECODER"))
    asked = parser.parse_args()
    if asked.child:
        child(Path(asked.child[0]), asked.child[1])
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = draw(folder / "film.mp4", asked.seconds, (1280, 720), 25, "libx264")
        compare(film)
        compare(draw(folder / "film.webm", asked.seconds // 3, (320, 176), 25, "libvpx-vp9"))
        sharing(film, folder / "views")
        long = draw(folder / "long.mp4", int(asked.hours * 3600), (160, 96), 2, "libx264")
        memory(long)


if __name__ == "__main__":
    main()
