"""PyTorch tensors in and out, for those who use them."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ._arrays import is_tensor


def first_tensor(*given: Any) -> Optional[Any]:
    """The first tensor among the arguments, after which answers are made."""
    return next((x for x in given if is_tensor(x) and x.numel()), next((x for x in given if is_tensor(x)), None))


def back(x: np.ndarray, like: Optional[Any]) -> Any:
    """x as a tensor like that, or as it is."""
    if like is None:
        return x
    import torch

    return torch.as_tensor(x, dtype=like.dtype if like.is_floating_point() else torch.float64, device=like.device)


def with_gradient(value: float, like: Any, parts: List[Tuple[Any, np.ndarray]]) -> Any:
    """A tensor of the value whose gradient with respect to each tensor is the array beside it."""
    out = back(np.asarray(value), like)
    live = [(x, g) for x, g in parts if is_tensor(x) and x.requires_grad]
    if not live:
        return out
    import torch

    class Known(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, v: Any, *inputs: Any) -> Any:
            return v.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return (None,) + tuple(grad * back(g, x).reshape(x.shape) for x, g in live)

    return Known.apply(out, *(x for x, _ in live))
