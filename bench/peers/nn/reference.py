"""Makes the files in nn/testdata: small networks, and what PyTorch computes
with them. See README.md there."""

import argparse
import base64
import json
import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SEED = 20203

# Inputs and initial parameters are float32, results float64: the rounding that
# a comparison sees is ours alone.
torch.set_default_dtype(torch.float64)
rng = np.random.default_rng(SEED)


def normal(*shape, mean=0.0, sd=1.0):
    x = (mean + sd * rng.normal(size=shape)).astype(np.float32)
    return torch.from_numpy(x.astype(np.float64))


def pack(x):
    x = np.asarray(x.detach() if torch.is_tensor(x) else x, dtype=np.float64)
    narrow = x.astype("<f4")
    exact = np.array_equal(narrow.astype(np.float64), x)
    data = base64.b64encode((narrow if exact else x.astype("<f8")).tobytes()).decode()
    return {"shape": list(x.shape), "f4" if exact else "f8": data}


def write(out, name, arrays):
    origin = {
        "command": "python3 bench/peers/nn/reference.py",
        "seed": SEED,
        "torch": torch.__version__,
        "numpy": np.__version__,
    }
    path = os.path.join(out, name + ".json")
    with open(path, "w") as f:
        json.dump({"origin": origin, "arrays": {k: pack(v) for k, v in arrays.items()}}, f, indent=1)
        f.write("\n")
    print(path, os.path.getsize(path))


def fill(net):
    """Gives every parameter of net a value of its own."""
    for name, p in net.named_parameters():
        scale = name.startswith(("norm", "scale")) and not name.endswith("bias")
        p.data = normal(*p.shape, mean=1.0 if scale else 0.0, sd=0.3)


def named(net, prefix, get=lambda p: p):
    return {prefix + name: get(p).clone() for name, p in net.named_parameters()}


class Critic(nn.Module):
    """Two convolutions, the first of stride 2, on images of size×size."""

    def __init__(self, channels, size, stride2):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 4, 4, stride=2, padding=1)
        self.conv2 = nn.Conv2d(4, 6, 4, stride=2, padding=1) if stride2 else nn.Conv2d(4, 3, 3, padding=1)
        with torch.no_grad():
            n = self.features(torch.zeros(1, channels, size, size)).shape[1]
        self.out = nn.Linear(n, 1)
        fill(self)

    def features(self, x):
        x = F.leaky_relu(self.conv1(x), 0.2)
        return torch.flatten(F.leaky_relu(self.conv2(x), 0.2), 1)

    def forward(self, x):
        return self.out(self.features(x))[:, 0]


def critic_loss(net, real, fake, eps):
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    (g,) = torch.autograd.grad(net(mixed).sum(), mixed, create_graph=True)
    norm = torch.sqrt(torch.flatten(g, 1).square().sum(1) + 1e-12)
    return net(fake).mean() - net(real).mean() + 10 * (norm - 1).square().mean(), norm


def critic():
    net = Critic(2, 8, True)
    real, fake = normal(4, 2, 8, 8), normal(4, 2, 8, 8)
    eps = torch.from_numpy(rng.random((4, 1, 1, 1)).astype(np.float32).astype(np.float64))
    loss, norm = critic_loss(net, real, fake, eps)
    loss.backward()
    return {
        "real": real, "fake": fake, "eps": eps, **named(net, "param/"),
        "scores": net(real), "norm": norm, "loss": loss, **named(net, "grad/", lambda p: p.grad),
    }


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(5, 4 * 3 * 3, bias=False)
        self.norm1 = nn.BatchNorm2d(4)
        self.conv = nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(3)
        fill(self)

    def forward(self, z):
        x = F.relu(self.norm1(self.dense(z).reshape(-1, 4, 3, 3)))
        return torch.tanh(self.norm2(self.conv(x)))


def generator():
    net = Generator()
    z, target = normal(6, 5), normal(6, 3, 6, 6)
    arrays = {"z": z, "target": target, **named(net, "param/")}
    y = net(z)
    loss = (y - target).square().mean()
    loss.backward()
    arrays.update({"train": y, "loss": loss, **named(net, "grad/", lambda p: p.grad)})
    for name, b in net.named_buffers():
        if not name.endswith("num_batches_tracked"):
            arrays["buffer/" + name] = b.clone()
    net.eval()
    arrays["eval"] = net(z)
    return arrays


class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)
        self.dense = nn.Linear(3 * 4 * 4, 2)
        fill(self)
        for layer in (self.conv, self.dense):
            nn.utils.spectral_norm(layer)
            layer.weight_u = F.normalize(normal(*layer.weight_u.shape), dim=0).float().double()

    def forward(self, x):
        return self.dense(torch.flatten(torch.tanh(self.conv(x)), 1))


def spectral():
    net = Spectral()
    x, target = normal(4, 2, 4, 4), normal(4, 2)
    arrays = {"x": x, "target": target, **named(net, "param/")}
    for name in ("conv", "dense"):
        arrays[f"start/{name}.u"] = getattr(net, name).weight_u.clone()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in (1, 2):
        opt.zero_grad()
        loss = (net(x) - target).square().mean()
        loss.backward()
        arrays[f"step{step}/loss"] = loss
        for name in ("conv", "dense"):
            layer = getattr(net, name)
            w = layer.weight_orig.detach().flatten(1)
            arrays[f"step{step}/{name}.u"] = layer.weight_u.clone()
            arrays[f"step{step}/{name}.v"] = layer.weight_v.clone()
            arrays[f"step{step}/{name}.sigma"] = layer.weight_u @ (w @ layer.weight_v)
        opt.step()
        arrays.update(named(net, f"step{step}/param/"))
    return arrays


class Conditional(nn.Module):
    """A batch norm with a scale and an offset by class, and a projection head."""

    def __init__(self, classes):
        super().__init__()
        self.norm = nn.BatchNorm2d(3, affine=False)
        self.scale = nn.Embedding(classes, 3)
        self.offset = nn.Embedding(classes, 3)
        self.out = nn.Linear(3, 1)
        self.embed = nn.Embedding(classes, 3)
        fill(self)

    def forward(self, x, y):
        x = self.norm(x) * self.scale(y)[:, :, None, None] + self.offset(y)[:, :, None, None]
        x = F.relu(x).sum((2, 3))
        return self.out(x)[:, 0] + (self.embed(y) * x).sum(1)


def conditional():
    net = Conditional(4)
    x, y = normal(6, 3, 2, 2), torch.tensor([3, 0, 1, 3, 3, 1])
    scores = net(x, y)
    loss = scores.square().mean()
    loss.backward()
    return {
        "x": x, "labels": y, **named(net, "param/"),
        "scores": scores, "loss": loss, **named(net, "grad/", lambda p: p.grad),
        "buffer/norm.running_mean": net.norm.running_mean, "buffer/norm.running_var": net.norm.running_var,
    }


def training():
    """The first ten losses of a critic under three optimizers."""
    steps = 10
    net = Critic(1, 6, False)
    start = {name: p.detach().clone() for name, p in net.named_parameters()}
    real, fake = normal(steps, 4, 1, 6, 6), normal(steps, 4, 1, 6, 6, mean=0.3)
    eps = torch.from_numpy(rng.random((steps, 4, 1, 1, 1)).astype(np.float32).astype(np.float64))
    arrays = {"real": real, "fake": fake, "eps": eps, **named(net, "param/")}
    for name, make in (
        ("adam", lambda p: torch.optim.Adam(p, lr=1e-3, betas=(0.5, 0.9))),
        ("adam0", lambda p: torch.optim.Adam(p, lr=1e-3, betas=(0.0, 0.999))),
        ("adamw", lambda p: torch.optim.AdamW(p, lr=1e-3, betas=(0.9, 0.999), weight_decay=0.1)),
        ("sgd", lambda p: torch.optim.SGD(p, lr=1e-3, momentum=0.9, weight_decay=5e-4)),
    ):
        for key, p in net.named_parameters():
            p.data = start[key].clone()
        opt = make(net.parameters())
        losses = []
        for i in range(steps):
            opt.zero_grad()
            loss, _ = critic_loss(net, real[i], fake[i], eps[i])
            losses.append(loss.item())
            loss.backward()
            opt.step()
        arrays[name + "/losses"] = np.array(losses)
        arrays.update(named(net, name + "/param/"))
    return arrays


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--out", default=os.path.join(here, "../../../nn/testdata"))
    args = parser.parse_args()
    for make in (critic, generator, spectral, conditional, training):
        write(args.out, make.__name__, make())


main()
