#!/usr/bin/env bash
# rot beside its PyTorch twin on one GPU, in one run: images a second of the
# robust WGAN-GP, data feeding included.
#
#   bench/peers/gan/run.sh ROT DATA [STEPS]
#
# ROT is a binary built with make build-xla, DATA 32×32 RGB images as rot reads
# them. python3 must have PyTorch with CUDA.
set -euo pipefail
rot=$1 data=$2 steps=${3:-4000}
here=$(cd "$(dirname "$0")" && pwd)
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

ours() {
	local begin line
	begin=${EPOCHREALTIME/[.,]/}
	line=$("$rot" gan train --backend xla --data "$data" --preset "$1" --dtype "$2" --steps "$3" --weights net --rho 0.1 \
		--sample-every 1000000 --runs "$runs" --json 2>/dev/null | tr -d '\n ')
	echo "rot $1 $2, $(((${EPOCHREALTIME/[.,]/} - begin) / 1000)) ms in all: $line"
}

for net in dcgan resnet; do
	for dtype in f32 bf16; do
		ours $net $dtype "$steps"
		python3 "$here/twin.py" --net $net --dtype $dtype --mode eager --steps 400
	done
done
# The same again: XLA's autotuning is cached, so that little but loading and
# compiling comes before the first step.
ours dcgan bf16 100
# What torch.compile adds; the critic's double backward is beyond it.
for dtype in f32 bf16; do
	python3 "$here/twin.py" --dtype $dtype --mode compile --steps 400
done
