"""Makes resnet*.json in nn/testdata: what torchvision's ResNets compute. Their
parameters are made from a formula that the Go test has as well, so that only
results need to be stored. See README.md there."""

import argparse
import base64
import hashlib
import json
import math
import os

import numpy as np
import torch
import torchvision

BATCH, SIZE, CLASSES = 2, 64, 10
FEW, MANY = 10, 192  # numbers to keep of each gradient and statistic, of the features

# The parameters are float32, results float64: the rounding that a comparison
# sees is ours alone.
torch.set_default_dtype(torch.float64)


def uniform(name, n):
    """n numbers in [−1, 1) of 24 bits: SplitMix64 from the FNV-1a hash of name."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def synthetic(name, shape):
    """The tensor called name. Weights keep the size of what passes a ReLU."""
    mean, spread = 0, 0.3
    if len(shape) > 1 and name != "input":
        spread = math.sqrt(6 / math.prod(shape[1:]))
    elif name.endswith("weight"):
        mean = 1
    elif name.endswith("running_var"):
        mean, spread = 1, 0.5
    elif name == "input":
        spread = 2
    x = (mean + spread * uniform(name, math.prod(shape))).astype(np.float32)
    return torch.from_numpy(x.astype(np.float64)).reshape(shape)


def state(net):
    return {k: v for k, v in net.state_dict().items() if not k.endswith("num_batches_tracked")}


def build(depth):
    return getattr(torchvision.models, f"resnet{depth}")(weights=None, num_classes=CLASSES)


def sample(x, m=FEW):
    """m numbers of x, evenly spread. m + 1 is prime: the numbers belong to
    different channels and pixels."""
    x = x.detach().flatten()
    return x[[k * len(x) // (m + 1) for k in range(1, m + 1)]].clone()


def outputs(depth, gradients):
    net = build(depth)
    net.load_state_dict({k: synthetic(k, tuple(v.shape)) for k, v in state(net).items()}, strict=False)
    x = synthetic("input", (BATCH, 3, SIZE, SIZE))
    features = {}
    net.avgpool.register_forward_hook(lambda _m, _in, out: features.update(now=sample(out, MANY)))

    net.eval()
    arrays = {"eval/logits": net(x), "eval/features": features["now"]}
    net.train()
    logits = net(x)
    arrays.update({"train/logits": logits, "train/features": features["now"]})
    for name, b in state(net).items():
        if "running" in name:
            arrays["buffer/" + name] = sample(b)
    if gradients:
        loss = logits.square().mean()
        loss.backward()
        arrays["loss"] = loss
        arrays.update({"grad/" + name: sample(p.grad) for name, p in net.named_parameters()})
    return arrays


def listing(depth):
    """All tensors but the last layer's: how many, and a hash of their sorted
    names and shapes."""
    net = build(depth)
    shapes = {k: list(v.shape) for k, v in state(net).items() if not k.startswith("fc.")}
    text = "".join(f"{k} {' '.join(map(str, shapes[k]))}\n" for k in sorted(shapes))
    return {
        "tensors": len(shapes),
        "parameters": sum(p.numel() for k, p in net.named_parameters() if not k.startswith("fc.")),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def pack(x):
    x = x.detach().numpy().astype("<f8")
    return {"shape": list(x.shape), "f8": base64.b64encode(x.tobytes()).decode()}


def write(out, name, content):
    origin = {
        "command": "python3 bench/peers/nn/resnet_reference.py",
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "numpy": np.__version__,
    }
    path = os.path.join(out, name + ".json")
    with open(path, "w") as f:
        json.dump({"origin": origin, **content}, f, indent=1)
        f.write("\n")
    print(path, os.path.getsize(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--out", default=os.path.join(here, "../../../nn/testdata"))
    args = parser.parse_args()
    write(args.out, "resnet", {"depths": {depth: listing(depth) for depth in (18, 34, 50, 101)}})
    for depth in (18, 50):
        arrays = outputs(depth, gradients=depth == 18)
        write(args.out, f"resnet{depth}", {"arrays": {k: pack(v) for k, v in arrays.items()}})


main()
