"""The PyTorch twin of rot's robust DCGAN WGAN-GP: the same networks, batch,
cadence and data feeding (the images stay on the GPU and batches are gathered
there), written as a PyTorch user would write it for speed: channels last, TF32,
fused Adam, cudnn.benchmark.

    python3 twin.py --batch 128 --dtype f32 --mode eager --steps 500

prints one JSON object a line: img/s of critic steps, with the weight and
generator steps of every fifth included.
"""
import argparse, json, time

import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--batch", type=int, default=128)
p.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
p.add_argument("--mode", choices=["eager", "compile"], default="eager")
p.add_argument("--net", choices=["dcgan", "resnet"], default="dcgan")
p.add_argument("--steps", type=int, default=500)
p.add_argument("--images", type=int, default=10000)
p.add_argument("--rho", type=float, default=0.1)
a = p.parse_args()

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True
dev, last = "cuda", torch.channels_last
B = a.batch


class DCGenerator(nn.Module):
    def __init__(s):
        super().__init__()
        s.dense = nn.Linear(128, 16 * 512, bias=False)
        s.norm = nn.BatchNorm2d(512)
        layers = [nn.ReLU()]
        for i, o in ((512, 256), (256, 128), (128, 64)):
            layers += [nn.ConvTranspose2d(i, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        s.rest = nn.Sequential(*layers, nn.Conv2d(64, 3, 3, 1, 1), nn.Tanh())

    def forward(s, z):
        return s.rest(s.norm(s.dense(z).view(-1, 512, 4, 4)))


class DCCritic(nn.Module):
    def __init__(s):
        super().__init__()
        layers = [nn.Conv2d(3, 64, 3, 1, 1), nn.LeakyReLU(0.2)]
        for i, o in ((64, 128), (128, 256), (256, 512)):
            layers += [nn.Conv2d(i, o, 4, 2, 1), nn.LeakyReLU(0.2)]
        s.net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * 512, 1))

    def forward(s, x):
        return s.net(x).view(-1)


class Block(nn.Module):
    def __init__(s, i, o, up=False, down=False, norm=False, first=False):
        super().__init__()
        s.up, s.down, s.first = up, down, first
        s.n1 = nn.BatchNorm2d(i) if norm else nn.Identity()
        s.n2 = nn.BatchNorm2d(o) if norm else nn.Identity()
        s.c1, s.c2 = nn.Conv2d(i, o, 3, 1, 1), nn.Conv2d(o, o, 3, 1, 1)
        s.short = nn.Conv2d(i, o, 1) if up or down or i != o else None

    def forward(s, x):
        h = x if s.first else F.relu(s.n1(x))
        if s.up:
            h = F.interpolate(h, scale_factor=2)
        h = s.c2(F.relu(s.n2(s.c1(h))))
        if s.down:
            h, x = F.avg_pool2d(h, 2), F.avg_pool2d(x, 2)
        if s.short is not None:
            x = s.short(x)
        if s.up:
            x = F.interpolate(x, scale_factor=2)
        return h + x


class ResGenerator(nn.Module):
    def __init__(s):
        super().__init__()
        s.dense = nn.Linear(128, 16 * 128)
        s.net = nn.Sequential(*[Block(128, 128, up=True, norm=True) for _ in range(3)], nn.BatchNorm2d(128), nn.ReLU(), nn.Conv2d(128, 3, 3, 1, 1), nn.Tanh())

    def forward(s, z):
        return s.net(s.dense(z).view(-1, 128, 4, 4))


class ResCritic(nn.Module):
    def __init__(s):
        super().__init__()
        s.net = nn.Sequential(Block(3, 128, down=True, first=True), Block(128, 128, down=True), Block(128, 128), Block(128, 128), nn.ReLU())
        s.out = nn.Linear(128, 1)

    def forward(s, x):
        return s.out(s.net(x).sum((2, 3))).view(-1)


class Weight(nn.Module):
    def __init__(s):
        super().__init__()
        layers = []
        for i, o in ((3, 64), (64, 128), (128, 256)):
            layers += [nn.Conv2d(i, o, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2)]
        s.net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * 256, 1))

    def forward(s, x):
        w = F.relu(s.net(x).view(-1).float() + 1) + 1e-4
        w = w / w.mean()
        chi2 = ((w - 1) ** 2).mean()
        return 1 + (w - 1) * (2 * a.rho / (chi2 + 1e-12)).sqrt().clamp(max=1)


G = (DCGenerator if a.net == "dcgan" else ResGenerator)().to(dev, memory_format=last)
D = (DCCritic if a.net == "dcgan" else ResCritic)().to(dev, memory_format=last)
W = Weight().to(dev, memory_format=last)
lr, betas = (1e-4, (0.5, 0.9)) if a.net == "dcgan" else (2e-4, (0.0, 0.999))
optD, optG, optW = (torch.optim.Adam(m.parameters(), lr, betas, fused=True) for m in (D, G, W))
data = torch.randint(0, 256, (a.images, 3, 32, 32), dtype=torch.uint8, device=dev)


def amp():
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=a.dtype == "bf16")


def batch():
    x = data[torch.randint(0, a.images, (B,), device=dev)]
    x = x.float() / 128 - 1 + torch.rand(x.shape, device=dev) / 128
    return x.to(memory_format=last)


def critic_loss(x):
    with amp():
        with torch.no_grad():
            fake, w = G(torch.randn(B, 128, device=dev)).float(), W(x)
        u = torch.rand(B, 1, 1, 1, device=dev)
        hat = (fake + u * (x - fake)).detach().requires_grad_(True)
        both = D(torch.cat([x, fake])).float()
        score = D(hat).float()
    (g,) = torch.autograd.grad(score.sum(), hat, create_graph=True)
    gp = ((g.float().flatten(1).pow(2).sum(1) + 1e-12).sqrt() - 1).pow(2).mean()
    return both[B:].mean() - (w * both[:B]).mean() + 10 * gp


def weight_loss(x):
    with amp():
        w, d = W(x), D(x).float().detach()
    return (w * d).mean()


def generator_loss():
    with amp():
        return -D(G(torch.randn(B, 128, device=dev))).float().mean()


if a.mode == "compile":
    # The critic's double backward is beyond torch.compile: what it can take is
    # the rest, and the generator inside the critic step.
    weight_loss, generator_loss = torch.compile(weight_loss), torch.compile(generator_loss)
    G = torch.compile(G)


def step(i):
    x = batch()
    optD.zero_grad(set_to_none=True)
    loss = critic_loss(x)
    loss.backward()
    optD.step()
    if i % 5 == 4:
        optW.zero_grad(set_to_none=True)
        weight_loss(x).backward()
        optW.step()
        optG.zero_grad(set_to_none=True)
        generator_loss().backward()
        optG.step()
    return loss


for i in range(50):
    step(i)
torch.cuda.synchronize()
t = time.time()
for i in range(a.steps):
    loss = step(i)
torch.cuda.synchronize()
t = time.time() - t
print(json.dumps({
    "peer": f"torch {torch.__version__} {a.mode}", "net": a.net, "dtype": a.dtype, "batch": B,
    "ms_per_step": round(1e3 * t / a.steps, 3), "images_per_second": round(B * a.steps / t), "loss": round(loss.item(), 3),
}), flush=True)
