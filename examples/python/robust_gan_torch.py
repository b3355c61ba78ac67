"""Makes a PyTorch GAN robust: the lines that do it are marked.

The data are eight clumps on a ring, and 5 % of garbage in one corner. The same
GAN is trained twice, as it was and with weights from rot.weights, and the share
of its samples that are garbage is printed. About a minute on two cores.

    python examples/python/robust_gan_torch.py [--plot samples.png]
"""

import argparse
import math
import time

import torch
from torch import nn

import rot

GARBAGE = 0.05


def data(n, seed=0):
    """Points on a ring of clumps, then the garbage."""
    g = torch.Generator().manual_seed(seed)
    bad = int(GARBAGE * n)
    angle = torch.randint(8, (n - bad,), generator=g) * (math.pi / 4)
    ring = torch.stack((angle.cos(), angle.sin()), 1) * 2 + 0.1 * torch.randn(n - bad, 2, generator=g)
    corner = torch.tensor([5.0, 5.0]) + 0.3 * torch.randn(bad, 2, generator=g)
    return torch.cat((ring, corner))


def net(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))


def penalty(critic, real, fake):
    """The gradient penalty that keeps a Wasserstein critic 1-Lipschitz."""
    t = torch.rand(len(real), 1)
    x = (t * real + (1 - t) * fake).requires_grad_()
    (grad,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return ((grad.norm(dim=1) - 1).clamp(min=0) ** 2).mean()


def train(x, robust, steps=1500, batch=256, seed=1):
    torch.manual_seed(seed)
    generator, critic = net(2, 2), net(2, 1)
    opt_g = torch.optim.Adam(generator.parameters(), 5e-4, betas=(0.5, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), 5e-4, betas=(0.5, 0.9))
    weight = torch.ones(len(x))  # robust
    score = torch.zeros(len(x))  # robust
    for step in range(steps):
        for _ in range(3):
            index = torch.randint(len(x), (batch,))
            fake = generator(torch.randn(batch, 2)).detach()
            d_real, d_fake = critic(x[index])[:, 0], critic(fake)[:, 0]
            loss = d_fake.mean() - (weight[index] * d_real).mean() + 10 * penalty(critic, x[index], fake)  # robust: weight
            opt_c.zero_grad()
            loss.backward()
            opt_c.step()
        if robust and step % 10 == 9:  # robust
            with torch.no_grad():  # robust
                score = 0.9 * score + 0.1 * critic(x)[:, 0]  # robust: what the generator cannot make, for long, is garbage
            weight = rot.weights(score, gamma=GARBAGE)  # robust
        loss = -critic(generator(torch.randn(batch, 2))).mean()
        opt_g.zero_grad()
        loss.backward()
        opt_g.step()
    with torch.no_grad():
        return generator(torch.randn(4000, 2)), weight


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--plot", help="picture of the samples (needs matplotlib)")
    args.add_argument("--steps", type=int, default=1500)
    plot, steps = vars(args.parse_args()).values()
    torch.set_num_threads(1)  # small networks are faster so
    x = data(4000)
    bad = int(GARBAGE * len(x))
    pictures = {"data": x}
    for name, robust in (("as it was", False), ("robust", True)):
        start = time.time()
        samples, weight = train(x, robust, steps)
        garbage = (samples.sum(1) > 6).float().mean()
        radius = samples.norm(dim=1)
        ring = ((radius > 1.6) & (radius < 2.4)).float().mean()
        print(f"{name:10s} garbage {garbage:6.2%}, on the ring {ring:6.1%}; weight of the garbage {weight[-bad:].mean():.2f}, of the others {weight[:-bad].mean():.2f}; {time.time() - start:.0f} s")
        pictures[name] = samples
    if plot:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True)
        for ax, (name, points) in zip(axes, pictures.items()):
            ax.scatter(points[:, 0], points[:, 1], s=2)
            ax.set_title(name)
        figure.savefig(plot, dpi=100)


if __name__ == "__main__":
    main()
