"""Makes the files in features/testdata: what PyTorch computes for torchvision's
networks, that of the Fréchet inception distance, and resized images. Parameters and images
are made from a formula that the Go tests have as well, so that only results
need to be stored. See README.md there."""

import argparse
import base64
import hashlib
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torchvision.models import inception

BATCH, CLASSES = 2, 1008
MANY = 192  # numbers to keep of each result

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
        spread = 1
    x = (mean + spread * uniform(name, math.prod(shape))).astype(np.float32)
    return torch.from_numpy(x.astype(np.float64)).reshape(shape)


class Pooling:
    """Stands for torch.nn.functional in torchvision's Inception: its mean over
    3×3 pixels leaves out what lies outside the image, and becomes a maximum in
    the last block."""

    last = False

    def __getattr__(self, name):
        return getattr(F, name)

    def avg_pool2d(self, x, kernel_size, stride, padding):
        if self.last:
            return F.max_pool2d(x, kernel_size, stride, padding)
        return F.avg_pool2d(x, kernel_size, stride, padding, count_include_pad=False)


def fid_inception():
    net = torchvision.models.inception_v3(
        weights=None, num_classes=CLASSES, aux_logits=False, transform_input=False, init_weights=False
    )
    inception.F = pooling = Pooling()
    net.Mixed_7c.register_forward_pre_hook(lambda *_: setattr(pooling, "last", True))
    net.Mixed_7c.register_forward_hook(lambda *_: setattr(pooling, "last", False))
    return net.eval()


def sample(x, m=MANY):
    """m numbers of x, evenly spread. m + 1 is prime: the numbers belong to
    different channels and pixels."""
    x = x.detach().flatten()
    return x[[k * len(x) // (m + 1) for k in range(1, m + 1)]].clone()


def last_pool(net, found):
    """Puts the vectors before the last layer of a network into found."""
    if hasattr(net, "avgpool"):
        net.avgpool.register_forward_hook(lambda _m, _in, out: found.update(vectors=out.flatten(1)))
    else:  # their mean over the pixels is not a layer, or comes after the last one
        net.features.register_forward_hook(lambda _m, _in, out: found.update(vectors=out.mean((2, 3))))


def network(net, size):
    """What a network is made of, and makes of images of size×size pixels unless that is 0."""
    shapes = {k: tuple(v.shape) for k, v in net.state_dict().items() if not k.endswith("num_batches_tracked")}
    text = "".join(f"{k} {' '.join(map(str, shapes[k]))}\n" for k in sorted(shapes))
    content = {"tensors": len(shapes), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    if size == 0:
        return content
    net.load_state_dict({k: synthetic(k, s) for k, s in shapes.items()}, strict=False)
    found = {}
    last_pool(net, found)
    with torch.no_grad():
        logits = net(synthetic("input", (BATCH, 3, size, size)))
    if isinstance(net, torchvision.models.Inception3):
        logits = found["vectors"] @ net.fc.weight.T  # the bias is not used
    content["arrays"] = {"vectors": pack(sample(found["vectors"])), "logits": pack(sample(logits))}
    return content


def resized():
    """Images of bytes, resized in two ways; values from 0 to 255."""
    arrays = {}
    for name, h, w, c in (("square", 32, 32, 3), ("wide", 300, 500, 3), ("tall", 400, 290, 3), ("tiny", 16, 16, 1)):
        pix = np.floor((uniform(name, h * w * c) + 1) * 128).reshape(h, w, c)
        x = torch.from_numpy(pix).permute(2, 0, 1)[None]
        whole = F.interpolate(x, size=(299, 299), mode="bilinear", align_corners=False)
        short = min(h, w)
        big = F.interpolate(
            x, size=(h * 256 // short, w * 256 // short), mode="bilinear", align_corners=False, antialias=True
        )
        middle = torchvision.transforms.functional.center_crop(big, [224, 224])
        for kind, y in (("whole", whole), ("middle", middle)):
            y = y.expand(-1, 3, -1, -1).permute(0, 2, 3, 1)
            arrays[f"{name}/{kind}"] = pack(sample(y))
    return {"arrays": arrays}


def pack(x):
    x = x.detach().numpy().astype("<f8")
    return {"shape": list(x.shape), "f8": base64.b64encode(x.tobytes()).decode()}


def write(out, name, content):
    origin = {
        "command": "python3 bench/peers/features/reference.py",
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
    parser.add_argument("--out", default=os.path.join(here, "../../../features/testdata"))
    args = parser.parse_args()
    write(args.out, "resized", resized())
    write(args.out, "inception", network(fid_inception(), 139))  # the smallest size that leaves 3×3 pixels at the end
    for name, size in (
        ("mobilenet_v2", 64),
        ("squeezenet1_1", 64),
        ("resnet18", 64),
        ("resnet34", 0),
        ("resnet50", 64),
        ("resnet101", 0),
    ):
        write(args.out, name, network(getattr(torchvision.models, name)(weights=None).eval(), size))


main()
