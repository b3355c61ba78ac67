"""Results as pages, the same as those of the command line, for notebooks."""

from __future__ import annotations

import html
import logging
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import numpy as np

from ._client import request
from ._errors import RotError

log = logging.getLogger("rot")

_MOST = 64 << 20  # bytes of a problem that are kept for its page
Asked = Optional[Tuple[Dict[str, Any], Dict[str, np.ndarray]]]


def kept(args: Mapping[str, Any], arrays: Mapping[str, Optional[np.ndarray]]) -> Asked:
    """A copy of a request, so that a page shows what was solved; None where it is too large to keep."""
    there = {k: v for k, v in arrays.items() if v is not None}
    if sum(v.nbytes for v in there.values()) > _MOST:
        return None
    return dict(args), {k: v.copy() for k, v in there.items()}


def draw(op: str, args: Mapping[str, Any], arrays: Mapping[str, Optional[np.ndarray]]) -> str:
    """The HTML of a page."""
    return request(op, args, arrays, lambda _, got: got["html"].tobytes().decode(), False)


def shown(title: str, summary: str, page: Callable[[], str], card: Callable[[], str]) -> str:
    """A page in a frame of its own, so that its styles stay there; the card where it cannot be drawn."""
    try:
        text = page()
    except RotError as e:
        log.warning("no page: %s", e)
        return card()
    return (
        f"<div><b>{html.escape(title)}</b> {html.escape(summary)}</div>"
        f'<iframe title="{html.escape(title, True)}" sandbox="allow-scripts allow-popups" style="width:100%;height:640px;border:1px solid #8888;border-radius:6px" '
        f'srcdoc="{html.escape(text, True)}"></iframe>'
    )


class Paged:
    """A result with a page. Classes have page, _title, _summary and _card."""

    def page(self) -> str:
        """The HTML of the page."""
        raise NotImplementedError

    def save_page(self, path: Any) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.page())

    def _title(self) -> str:
        raise NotImplementedError

    def _summary(self) -> str:
        raise NotImplementedError

    def _card(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return shown(self._title(), self._summary(), self.page, self._card)
