"""animate.py FRAMES FILE: makes an animated GIF of the frames that web/tests/pages/demo_pictures.ts has taken."""

import sys
from pathlib import Path

from PIL import Image

COLOURS = 128
SCALE = 0.76
FRAME_MS = 220
LAST_MS = 3000


def frame(top: Path) -> Image.Image:
    """The two cards at one moment, one below the other."""
    parts = [Image.open(file).convert("RGB") for file in (top, top.with_name(top.name.replace("-a", "-b")))]
    whole = Image.new("RGB", (parts[0].width, sum(part.height for part in parts)), "white")
    for i, part in enumerate(parts):
        whole.paste(part, (0, i * parts[0].height))
    return whole.resize((round(whole.width * SCALE), round(whole.height * SCALE)), Image.Resampling.LANCZOS)


frames = [
    frame(top)
    for top in sorted(Path(sys.argv[1]).glob("*-a.png"))
    if top.with_name(top.name.replace("-a", "-b")).exists()
]
palette = frames[len(frames) // 2].quantize(COLOURS, Image.Quantize.MEDIANCUT)
pictures = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
pictures[0].save(
    sys.argv[2],
    save_all=True,
    append_images=pictures[1:],
    duration=[FRAME_MS] * (len(pictures) - 1) + [LAST_MS],
    loop=0,
    optimize=True,
)
