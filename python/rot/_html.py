"""Small pages for notebooks: a table and drawings, without scripts."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

_W, _H = 320, 130


def card(title: str, rows: Sequence[Tuple[str, str]], pictures: Sequence[str]) -> str:
    """A title, a table of two columns and drawings below it."""
    cells = "".join(f'<tr><td style="text-align:left;opacity:.7">{k}</td><td style="text-align:left">{v}</td></tr>' for k, v in rows)
    return f'<div style="display:inline-block"><b>{title}</b><table>{cells}</table>{"".join(pictures)}</div>'


def _frame(inside: str, title: str, left: str, right: str) -> str:
    return (
        f'<svg width="{_W}" height="{_H + 34}" viewBox="0 0 {_W} {_H + 34}" role="img" font-family="sans-serif" font-size="11" fill="currentColor">'
        f'<text x="4" y="12">{title}</text><g transform="translate(0,18)">{inside}'
        f'<line x1="0" x2="{_W}" y1="{_H}" y2="{_H}" stroke="currentColor" stroke-opacity=".4"/></g>'
        f'<text x="0" y="{_H + 31}">{left}</text><text x="{_W}" y="{_H + 31}" text-anchor="end">{right}</text></svg>'
    )


def bars(values: np.ndarray, title: str) -> str:
    """A histogram; the bar at 0, the rows left out, is red."""
    top = float(values.max()) if len(values) else 1.0
    counts, _ = np.histogram(values, bins=32, range=(0, top or 1.0))
    scale = (_H - 14) / np.sqrt(max(counts.max(), 1))
    inside: List[str] = []
    for k, c in enumerate(counts):
        h = np.sqrt(c) * scale  # roots, so that a few rows left out are seen beside many kept
        colour = "#c0392b" if k == 0 and (values == 0).any() else "#2c6fbb"
        inside.append(f'<rect x="{k * 10:.0f}" y="{_H - h:.1f}" width="9" height="{h:.1f}" fill="{colour}"><title>{c} rows</title></rect>')
    return _frame("".join(inside), title + " (square-root scale)", "0", f"{top:.3g}")


def line(x: np.ndarray, y: np.ndarray, xname: str, yname: str, mark: Optional[float] = None) -> str:
    """A line, and a dashed one where mark is."""
    wide, high = float(x.max()) or 1.0, float(y.max()) or 1.0
    place = " ".join(f"{a / wide * _W:.1f},{_H - b / high * (_H - 14):.1f}" for a, b in zip(x, y))
    inside = f'<polyline points="{place}" fill="none" stroke="#2c6fbb" stroke-width="2"/>'
    if mark:
        at = mark / wide * _W
        inside += f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{_H}" stroke="#c0392b" stroke-dasharray="4 3"/>'
    return _frame(inside, f"{yname}, up to {high:.4g}", "0", f"{xname} = {wide:.3g}")
