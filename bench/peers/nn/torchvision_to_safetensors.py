"""Turns a PyTorch checkpoint, such as torchvision's resnet18-f37072fd.pth, into
a safetensors file of float32 arrays under the same names, which --pretrained
reads. Needs PyTorch and nothing else.

    python3 bench/peers/nn/torchvision_to_safetensors.py resnet18-f37072fd.pth resnet18.safetensors
"""

import argparse
import json
import struct

import torch


def tensors(path):
    """The arrays of a checkpoint by name, in float32."""
    # weights_only: a checkpoint is a pickle, which could run anything.
    content = torch.load(path, map_location="cpu", weights_only=True)
    for key in ("state_dict", "model"):  # as training scripts save it
        if isinstance(content.get(key), dict):
            content = content[key]
    out = {}
    for name, x in content.items():
        name = name.removeprefix("module.")  # DataParallel's
        if not torch.is_tensor(x):
            raise SystemExit(f"{path}: {name} is a {type(x).__name__}, not a tensor")
        if not name.endswith("num_batches_tracked"):
            out[name] = x.detach().to(torch.float32).contiguous()
    return out


def write(path, arrays):
    """The format: length of the header in 8 bytes, header in JSON, data."""
    header, at = {}, 0
    for name, x in arrays.items():
        end = at + 4 * x.numel()
        header[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # data on a multiple of 8 bytes
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)))
        f.write(text)
        for x in arrays.values():
            f.write(x.numpy().astype("<f4", copy=False).tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    args = parser.parse_args()
    arrays = tensors(args.checkpoint)
    write(args.out, arrays)
    print(f"{args.out}: {len(arrays)} arrays, {sum(x.numel() for x in arrays.values())} numbers")


main()
