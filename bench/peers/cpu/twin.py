"""The workloads of step_test.go in PyTorch on the CPU, and matrix products in numpy
by the library that it was built with, which is OpenBLAS in wheels: the same
networks, batches and optimizers, written for speed.

    python3 twin.py --seconds 5 gemm1024 dcgan

prints one JSON object a line. Networks run in both memory
layouts, and the faster one counts.
"""
import argparse, json, resource, sys, time

p = argparse.ArgumentParser()
p.add_argument("--seconds", type=float, default=5)
p.add_argument("--threads", type=int, default=2)
p.add_argument("workloads", nargs="+")
a = p.parse_args()


def best(step, seconds):
    step()
    fastest, busy, steps, end = 1e9, 1e9, 0, time.perf_counter() + seconds
    while time.perf_counter() < end or steps == 0:
        t, c = time.perf_counter(), time.process_time()
        step()
        fastest, busy = min(fastest, time.perf_counter() - t), min(busy, time.process_time() - c)
        steps += 1
    return fastest, busy, steps


def report(who, workload, unit, work, result):
    fastest, busy, steps = result
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(dict(who=who, workload=workload, unit=unit, rate=work / fastest, ms=1e3 * fastest, cpu_ms=1e3 * busy, steps=steps, rss_mb=rss)), flush=True)


def gemm(n):
    import numpy as np
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    out = np.empty((n, n), np.float32)
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    who = "OpenBLAS" if "openblas" in blas["name"] else blas["name"]
    report(f"{who} {blas.get('version', '')}", f"gemm{n}", "GFLOP/s", 2 * n**3 / 1e9, best(lambda: np.matmul(x, y, out=out), a.seconds))


def network(name):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    B = 64

    def critic(widths, first, head):
        layers, i = [], first
        for o, k, s in widths:
            layers += [nn.Conv2d(i, o, k, s, 1), nn.LeakyReLU(0.2)]
            i = o
        return nn.Sequential(*layers, nn.Flatten(), nn.Linear(head, 1))

    def critic_step(layout, d, shape):
        d = d.to(memory_format=layout)
        opt = torch.optim.Adam(d.parameters(), 1e-4, betas=(0.0, 0.9))
        real, fake = (torch.randn(B, *shape).contiguous(memory_format=layout) for _ in range(2))
        eps = torch.randn(B, 1, 1, 1)

        def step():
            r, k = d(torch.cat([real, fake])).chunk(2)
            mixed = torch.lerp(fake, real, eps).requires_grad_()
            grad, = torch.autograd.grad(d(mixed).sum(), mixed, create_graph=True)
            penalty = ((grad.flatten(1).norm(dim=1) - 1) ** 2).mean()
            loss = k.mean() - r.mean() + 10 * penalty
            opt.zero_grad()
            loss.backward()
            opt.step()
        return step

    def classifier_step(layout, net, shape):
        net = net.to(memory_format=layout)
        opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, weight_decay=5e-4)
        x, y = torch.randn(B, *shape).contiguous(memory_format=layout), torch.arange(B) % 10

        def step():
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        return step

    class Block(nn.Module):
        def __init__(s, i, o, stride):
            super().__init__()
            s.conv1, s.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
            s.conv2, s.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
            s.short = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if stride > 1 or i != o else None

        def forward(s, x):
            h = s.bn2(s.conv2(F.relu(s.bn1(s.conv1(x)), inplace=True)))
            return F.relu(h + (x if s.short is None else s.short(x)), inplace=True)

    def resnet18():
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        i = 64
        for o in (64, 128, 256, 512):
            layers += [Block(i, o, 1 if o == 64 else 2), Block(o, o, 1)]
            i = o
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))

    def lenet():
        return nn.Sequential(nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(20, 50, 5), nn.MaxPool2d(2), nn.ReLU(),
                             nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))

    make = dict(
        dcgan=lambda l: critic_step(l, critic([(64, 3, 1), (128, 4, 2), (256, 4, 2), (512, 4, 2)], 3, 8192), (3, 32, 32)),
        tiny=lambda l: critic_step(l, critic([(32, 4, 2), (64, 4, 2)], 1, 3136), (1, 28, 28)),
        lenet=lambda l: classifier_step(l, lenet(), (1, 28, 28)),
        resnet18=lambda l: classifier_step(l, resnet18(), (3, 32, 32)),
    )[name]
    results = [best(make(l), a.seconds / 2) for l in (torch.contiguous_format, torch.channels_last)]
    report("PyTorch " + torch.__version__, name, "images/s", B, min(results))


for w in a.workloads:
    if w.startswith("gemm"):
        gemm(int(w[4:]))
    else:
        network(w)
