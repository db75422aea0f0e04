"""Finds anomalies in a history of transactions that append to lists and read them.

Every appended value is unique, so a list shows the complete order of the writes of its key, and each read shows which
of them preceded it. The dependencies between transactions follow from that:

    ww  one appended directly before the other on some key
    wr  one read the other's append as the last of a list
    rw  one read a list before the other appended to it
    rt  one had its reply before the other was sent

A history is strictly serializable if these have no cycle (Adya; the use of lists comes from the Elle checker), nobody
saw a value of a refused transaction, and every list that was read is a prefix of the longest one.
"""

from bisect import bisect_left
from collections import namedtuple

# appends: {key: value}. reads: {key: tuple of values}; if the transaction also appended to the key, without its own
# value. ok: whether it was acknowledged; otherwise it must have had no effect.
Transaction = namedtuple("Transaction", "called_at returned_at appends reads ok", defaults=({}, {}, True))


def anomalies(history):
    """The anomalies of a history, as texts; none if it is strictly serializable."""
    writer = {value: place for place, each in enumerate(history) for value in each.appends.values()}
    orders, found = order_of_keys(history)
    found += [f"{key}: {value} was read, and its transaction refused" for key, order in orders.items()
              for value in order if not history[writer[value]].ok]
    acknowledged = {(key, value) for each in history if each.ok for key, value in each.appends.items()}
    seen = {(key, value) for key, order in orders.items() for value in order}
    found += [f"{key}: {value} was acknowledged, and is not in the last list" for key, value in
              sorted(acknowledged - seen)]
    if found:
        return found
    cycle = find_cycle(edges_of(history, orders, writer))
    return [describe(history, cycle)] if cycle else []


def order_of_keys(history):
    """The longest list read of each key, and the errors in the others."""
    orders, found = {}, []
    for each in history:
        for key, values in each.reads.items():
            if len(values) > len(orders.get(key, ())):
                orders[key] = values
    for each in history:
        for key, values in each.reads.items():
            if values != orders.get(key, ())[:len(values)]:
                found.append(f"{key}: {values} is no beginning of {orders[key]}")
    return orders, found


def edges_of(history, orders, writer):
    """A list of (to, label) for each node: the transactions, followed by one node for each time of a reply."""
    edges = [[] for _ in range(2 * len(history))]
    for key, order in orders.items():
        for before, after in zip(order, order[1:]):
            edges[writer[before]].append((writer[after], f"ww {key}"))
    for place, each in enumerate(history):
        for key, values in each.reads.items():
            if values and writer[values[-1]] != place:
                edges[writer[values[-1]]].append((place, f"wr {key}"))
            order = orders.get(key, ())
            if len(values) < len(order) and writer[order[len(values)]] != place:
                edges[place].append((writer[order[len(values)]], f"rw {key}"))
    # Real time: each reply leads to its time, each time to the next, and the last time before a call to the call.
    answered = sorted((each.returned_at, place) for place, each in enumerate(history))
    for moment, (_, place) in enumerate(answered):
        edges[place].append((len(history) + moment, "rt"))
        if moment > 0:
            edges[len(history) + moment - 1].append((len(history) + moment, "rt"))
    times = [returned_at for returned_at, _ in answered]
    for place, each in enumerate(history):
        moment = bisect_left(times, each.called_at) - 1
        if moment >= 0:
            edges[len(history) + moment].append((place, "rt"))
    return edges


def find_cycle(edges):
    """Some cycle as a list of (node, label of the edge that leaves it), or None."""
    state = [0] * len(edges)        # 0 new, 1 on the path, 2 done
    for start in range(len(edges)):
        if state[start]:
            continue
        path = [(start, iter(edges[start]))]
        state[start], labels = 1, []
        while path:
            node, rest = path[-1]
            following = next(rest, None)
            if following is None:
                state[node] = 2
                path.pop()
                labels[-1:] = []
                continue
            to, label = following
            if state[to] == 1:
                nodes = [other for other, _ in path]
                first = nodes.index(to)
                return list(zip(nodes[first:], labels[first:] + [label]))
            if state[to] == 0:
                state[to] = 1
                labels.append(label)
                path.append((to, iter(edges[to])))
    return None


def describe(history, cycle):
    steps = [f"{history[node]} --{label}-->" for node, label in cycle if node < len(history)]
    return "a cycle of dependencies:\n  " + "\n  ".join(steps)
