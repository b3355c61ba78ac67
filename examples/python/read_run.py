"""What a training run has left: metrics, samples, weights, the generator's arrays.

    rot gan train --data synth:ring,n=1000 --preset mlp --steps 200 --gamma 0.05 --name ring
    python examples/python/read_run.py runs/ring
"""

import sys

import rot

run = rot.Run(sys.argv[1])
print(run, "of", run.config["steps"], "steps")
print(run.metrics.tail(3))
print("pictures:", [p.name for p in run.samples[-2:]])
print(run.weights.sort_values("weight").head())
print({name: array.shape for name, array in run.generator().items()})
