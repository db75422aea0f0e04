"""Decides whether a history of concurrent operations on one item is linearizable (Wing and Gong's search with Lowe's
memoization).

A history is a list of Event. It is linearizable if every operation can be assigned a point in time between its call
and its return such that, executed one after another at those points, each operation would have returned what it did.
An operation whose reply was lost (returned_at is None) may have taken effect at any time after its call, or never.

`apply(state, event)` is the specification: the state after the operation, or None if the operation could not have
returned what it did in that state. States must be hashable. Linearizability is local, so each item is checked
separately.
"""

from dataclasses import dataclass
from typing import Any, Optional


@dataclass
class Event:
    called_at: int
    returned_at: Optional[int]
    operation: tuple
    answer: Any = None


def linearizable(events, initial, apply, changes_nothing=lambda event: False):
    """Returns True if the history has a linearization. Depth-first; each (set of done operations, state) is tried
    once.

    changes_nothing(event) is true if the operation's reply shows that it did not change the state: a read, or a
    failed condition. If such an operation may be next, it is done at once and not tried later: if it came later in
    some linearization, it could be moved here.
    """
    events = sorted(events, key=lambda event: event.called_at)
    needed = sum(1 << place for place, event in enumerate(events) if event.returned_at is not None)
    seen = {(0, initial)}
    stack = [(0, 0, initial)]
    while stack:
        first, done, state = stack.pop()
        if done & needed == needed:
            return True
        while first < len(events) and done >> first & 1:
            first += 1
        steps = []
        for place in may_be_next(events, first, done):
            after = apply(state, events[place])
            if after is not None:
                steps.append((done | 1 << place, after))
                if events[place].returned_at is not None and changes_nothing(events[place]):
                    steps = steps[-1:]
                    break
        for step in steps:
            if step not in seen:
                seen.add(step)
                stack.append((first, *step))
    return False


def may_be_next(events, first, done):
    """The operations not yet done that were called before any of these operations returned."""
    found, horizon = [], float("inf")
    for place in range(first, len(events)):
        event = events[place]
        if event.called_at > horizon:
            break
        if not done >> place & 1:
            found.append(place)
            if event.returned_at is not None:
                horizon = min(horizon, event.returned_at)
    return reversed([place for place in found if events[place].called_at <= horizon])


# --- the specification of one item with a value and a counter ---------------------------------------------------------
# State: ABSENT, or (value, count). A reply is what the client learned, None if it was lost.

ABSENT = ("absent",)


def apply_item(state, event):
    verb, *arguments = event.operation
    answer = event.answer
    lost = event.returned_at is None
    if verb == "put":
        return (arguments[0], 0)
    if verb == "create":                    # put if the item does not exist; returns True or False
        return conditional(state, state == ABSENT, (arguments[0], 0), answer, lost)
    if verb == "swap":                      # put if the value equals the given one; returns True or False
        return conditional(state, state != ABSENT and state[0] == arguments[0], (arguments[1], 0), answer, lost)
    if verb == "delete":                    # returns the old value, None if there was no item
        return ABSENT if lost or answer == (None if state == ABSENT else state) else None
    if verb == "delete_if":                 # delete if the value equals the given one; returns True or False
        return conditional(state, state != ABSENT and state[0] == arguments[0], ABSENT, answer, lost)
    if verb == "add":                       # ADD count :n; returns the new count
        value, count = (None, 0) if state == ABSENT else state
        after = (value, count + arguments[0])
        return after if lost or answer == after[1] else None
    if verb == "get":
        return state if lost or answer == (None if state == ABSENT else state) else None
    raise ValueError(verb)


def conditional(state, holds, after, answer, lost):
    if lost or answer == holds:
        return after if holds else state
    return None


def item_unchanged(event):
    """True for an operation with a reply that left the item unchanged in any state."""
    verb, answer = event.operation[0], event.answer
    return verb == "get" or verb == "delete" and answer is None or answer is False
