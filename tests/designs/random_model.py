"""Shared by the models of random_models.py: random choices, calls, comparisons."""

from served import Refused


class Mismatch(AssertionError):
    pass


class Model:
    design = None

    def __init__(self, designs, random):
        self.api = designs.api(self.design)
        self.designs = designs
        self.random = random
        self.log = []
        self.statuses = {}
        self.step = 0
        self.run_tag = f"{random.randrange(1 << 32):08x}"
        self.words = 0

    def run(self, steps):
        self.begin()
        moves = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("step_")]
        for self.step in range(1, steps + 1):
            self.pick(moves)()
            if self.step % 100 == 0:
                self.check()
        self.check()

    def pick(self, choices):
        return self.random.choice(choices)

    def maybe(self):
        return self.random.random() < 0.5

    def word(self, prefix):
        """A word unique to this run, the same for the same seed."""
        self.words += 1
        return f"{prefix}{self.run_tag}-{self.words}"

    def does(self, status, operation, api=None, /, **inputs):
        """Calls, and raises Mismatch unless the reply has this status; returns the reply, None if it is a refusal."""
        self.log.append(f"{operation} {inputs} -> {status}")
        try:
            reply, got = (api or self.api)(operation, **inputs), 200
        except Refused as refusal:
            reply, got = None, refusal.status
            if got != status:
                raise Mismatch(f"{operation} {inputs}: expected {status}, got {refusal}") from None
        if got != status:
            raise Mismatch(f"{operation} {inputs}: expected {status}, got {reply}")
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return reply

    def same(self, expected, got, what):
        if expected != got:
            raise Mismatch(f"{what}: expected {expected}, got {got}")

    def item(self, operation, expected, /, **inputs):
        """Reads one item: these members, or 404 if `expected` is None."""
        reply = self.does(200 if expected else 404, operation, **inputs)
        if expected:
            self.same(expected, {name: reply["item"].get(name) for name in expected}, operation)

    def list(self, operation, expected, key, /, **inputs):
        mine = inputs.pop("mine", lambda item: True)
        for more in ({}, {"limit": self.random.randrange(1, 5)}):
            found = [item[key] for item in self.api.all(operation, **inputs, **more) if mine(item)]
            self.same(expected, found, f"{operation} {inputs} {more}")
