"""Film files: their extensions, the program that MP4 needs, and HTML pages without external resources."""

from __future__ import annotations

import os
import re

import matplotlib.pyplot as plt
from matplotlib.animation import writers

from ._errors import InputError

_SIGNS = {
    "−": "fa-minus",
    "|◀": "fa-fast-backward",
    "‹": "fa-step-backward",
    "◀": "fa-play fa-flip-horizontal",
    "‖": "fa-pause",
    "▶": "fa-play",
    "›": "fa-step-forward",
    "▶|": "fa-fast-forward",
    "+": "fa-plus",
}


def self_contained(page: str) -> str:
    """Matplotlib's page, with plain characters on its buttons instead of a font that it would fetch from the network."""
    page = re.sub(r"<link[^>]*>", "", page)
    for sign, classes in _SIGNS.items():
        page = page.replace(f'<i class="fa {classes}"></i>', sign)
    return page


def film_ending(path: str) -> str:
    """The extension of a film's file; an error if such a film cannot be made."""
    ending = os.path.splitext(path)[1]
    if ending not in (".mp4", ".gif", ".html"):
        raise InputError(f"{path}: films end in .mp4, .gif or .html")
    if ending == ".mp4" and not finds_ffmpeg():
        raise InputError(f"{path}: MP4 needs ffmpeg: pip install imageio-ffmpeg; or write a .gif or .html file")
    return ending


def finds_ffmpeg() -> bool:
    """Whether ffmpeg is available: the system's, or that of the package imageio-ffmpeg, for which matplotlib is then configured."""
    if writers.is_available("ffmpeg"):
        return True
    try:
        from imageio_ffmpeg import get_ffmpeg_exe  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return False
    plt.rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
    return writers.is_available("ffmpeg")
