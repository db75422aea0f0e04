"""The benchmark's picture: operations per second by operation, as bars on a logarithmic scale. SVG, written by hand."""

import math
from html import escape

COLOURS = {
    "echo": "#b8bec8",
    "trestle relaxed": "#1b9e77",
    "trestle durable": "#2c6fbb",
    "DynamoDB Local": "#8d5bb5",
    "dynoxide": "#b5485a",
    "dynalite": "#d9822b",
}
LABELS = {
    "echo": "HTTP echo of the same sizes (ceiling, one thread)",
    "trestle relaxed": "Trestle, relaxed",
    "trestle durable": "Trestle, durable",
    "DynamoDB Local": "DynamoDB Local, on disk, durable",
    "dynoxide": "dynoxide, on disk, durable",
    "dynalite": "dynalite, on disk",
}
WIDTH, LEFT, RIGHT = 1060, 150, 230
BAR, GAP, GROUP_GAP, TOP, BOTTOM = 15, 2, 18, 118, 56


def short(number):
    if number >= 100_000:
        return f"{number / 1000:.0f}k"
    if number >= 1_000:
        return f"{number / 1000:.1f}".removesuffix(".0") + "k"
    return f"{number:.0f}"


def draw(title, subtitle, operations, rates):
    """`operations`: (key, label) in order. `rates`: {(system, key): per_second}. Returns the SVG text."""
    systems = [s for s in COLOURS if any((s, key) in rates for key, _ in operations)]
    values = [v for v in rates.values() if v > 0]
    low = 10 ** math.floor(math.log10(min(values)))
    high = max(values)
    group = len(systems) * (BAR + GAP) + GROUP_GAP
    height = TOP + group * len(operations) + BOTTOM
    plot = WIDTH - LEFT - RIGHT

    def x(value):
        return LEFT + plot * (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="24" y="34" font-size="20" font-weight="bold" fill="#1c2330">{escape(title)}</text>',
        f'<text x="24" y="56" fill="#5a6475">{escape(subtitle)}</text>',
    ]
    at = 24
    for system in systems:
        label = LABELS[system]
        out.append(f'<rect x="{at}" y="72" width="13" height="13" rx="2" fill="{COLOURS[system]}"/>')
        out.append(f'<text x="{at + 19}" y="83" fill="#1c2330">{escape(label)}</text>')
        at += 19 + 7 * len(label) + 22

    bottom = height - BOTTOM + 4
    power = low
    while power <= high:
        out.append(
            f'<line x1="{x(power):.1f}" y1="{TOP - 12}" x2="{x(power):.1f}" y2="{bottom}" stroke="#e3e6eb"/>'
            f'<text x="{x(power):.1f}" y="{bottom + 18}" text-anchor="middle" fill="#5a6475">{short(power)}</text>'
        )
        power *= 10
    out.append(
        f'<text x="{LEFT + plot / 2:.0f}" y="{bottom + 40}" text-anchor="middle" fill="#5a6475">'
        "operations a second, logarithmic</text>"
    )

    for index, (key, label) in enumerate(operations):
        top = TOP + index * group
        middle = top + len(systems) * (BAR + GAP) / 2
        out.append(
            f'<text x="{LEFT - 12}" y="{middle + 4:.1f}" text-anchor="end" fill="#1c2330">{escape(label)}</text>'
        )
        for place, system in enumerate(systems):
            rate = rates.get((system, key), 0)
            y = top + place * (BAR + GAP)
            if rate <= 0:
                continue
            text = short(rate)
            best = max(rates.get((peer, key), 0) for peer in ("dynalite", "DynamoDB Local", "dynoxide"))
            if system.startswith("trestle") and best > 0:
                text += f"  ({rate / best:.1f}× the best of the others)"
            end = max(x(rate), LEFT + 2)
            out.append(
                f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR}" rx="2" fill="{COLOURS[system]}"/>'
                f'<text x="{end + 6:.1f}" y="{y + 12}" font-size="12" fill="#1c2330">{escape(text)}</text>'
            )
    out.append("</svg>\n")
    return "\n".join(out)
