#!/usr/bin/python3
"""Compares each system with a model of its document: random operations, the same replies, the same lists.

    tests/designs/random_systems.py [--steps 800] [--seed N] [names of systems]

The seed is printed; the same seed makes the same calls.
"""

import argparse
import random
import sys
import time
import traceback

from random_models import AuthzModel, BridgeModel, CatalogModel, ControlModel, PluginModel
from served import designs

MODELS = {model.design: model for model in (AuthzModel, CatalogModel, BridgeModel, ControlModel, PluginModel)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=800, help="operations of each system")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("systems", nargs="*", choices=[[], *MODELS], default=[])
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    passed = failed = 0
    for name in options.systems or MODELS:
        began = time.monotonic()
        model = MODELS[name](designs(), random.Random(f"{options.seed} {name}"))
        try:
            model.run(options.steps)
            passed += 1
            counts = ", ".join(f"{status}: {count}" for status, count in sorted(model.statuses.items()))
            print(f"ok {name}: {options.steps} steps, {counts} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception:       # noqa: BLE001 - reported, and the next system is tested
            failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED {name} at step {model.step}, --seed {options.seed}; the last calls:", *model.log[-6:],
                  sep="\n  ", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
