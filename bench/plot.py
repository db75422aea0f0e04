"""Small line charts in a grid, each with its own scale from zero: the pictures of growth.py and soak.py. SVG, written by hand."""

import math
from html import escape

COLOURS = ["#2c6fbb", "#1b9e77", "#d9822b", "#8d5bb5", "#b5485a", "#5a6475"]
WIDTH, COLUMNS, MARGIN, TOP = 1060, 3, 24, 76
PANEL_HEIGHT, HEAD, FOOT, AXIS = 200, 42, 34, 46
POINTS_MAX = 400


def short(number):
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def round_step(span):
    """A step of 1, 2 or 5 times a power of ten that divides the range into three to six parts."""
    step = 10 ** math.floor(math.log10(span / 3))
    return next(step * times for times in (5, 2, 1) if span / (step * times) >= 3)


def ticks(low, high, is_log):
    if is_log:
        return [10**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    step = round_step((high - low) or 1)
    return [step * place for place in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def thinned(points):
    """At most POINTS_MAX points, each the highest of its neighbours, so that no peak is lost."""
    size = math.ceil(len(points) / POINTS_MAX)
    return [max(points[at:at + size], key=lambda point: point[1]) for at in range(0, len(points), size)]


class Panel:
    """`lines`: (label, [(x, y), ...]) in the order of COLOURS. Lines without points are omitted."""

    def __init__(self, title, lines, log_x=False, x_range=None):
        self.title = title
        self.lines = [(label, sorted(points)) for label, points in lines if points]
        self.log_x = log_x
        values = [x for _, points in self.lines for x, _ in points]
        self.low, self.high = x_range or (min(values, default=1), max(values, default=2))
        if self.high <= self.low:
            self.high = self.low * 2 if log_x else self.low + 1
        self.top = max((y for _, points in self.lines for _, y in points), default=1) * 1.08 or 1

    def fraction(self, x):
        if self.log_x:
            return math.log(x / self.low) / math.log(self.high / self.low)
        return (x - self.low) / (self.high - self.low)

    def draw(self, left, top, width):
        plot_left, plot_width = left + AXIS, width - AXIS - 12
        plot_top, plot_height = top + HEAD, PANEL_HEIGHT - HEAD - FOOT

        def x_of(x):
            return plot_left + plot_width * self.fraction(x)

        def y_of(y):
            return plot_top + plot_height * (1 - y / self.top)

        out = [f'<text x="{left}" y="{top + 12}" font-weight="bold" fill="#1c2330">{escape(self.title)}</text>']
        at = left
        for place, (label, _) in enumerate(self.lines if len(self.lines) > 1 or self.lines[0][0] else []):
            out.append(f'<rect x="{at}" y="{top + 20}" width="10" height="10" rx="2" fill="{COLOURS[place % len(COLOURS)]}"/>'
                       f'<text x="{at + 14}" y="{top + 29}" font-size="11" fill="#5a6475">{escape(label)}</text>')
            at += 24 + 6 * len(label)
        for y in ticks(0, self.top, False):
            out.append(f'<line x1="{plot_left}" y1="{y_of(y):.1f}" x2="{plot_left + plot_width}" y2="{y_of(y):.1f}" stroke="#e3e6eb"/>'
                       f'<text x="{plot_left - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end" font-size="11" fill="#5a6475">{short(y)}</text>')
        for x in ticks(self.low, self.high, self.log_x):
            out.append(f'<text x="{x_of(x):.1f}" y="{plot_top + plot_height + 16}" text-anchor="middle" font-size="11" '
                       f'fill="#5a6475">{short(x)}</text>')
        for place, (_, points) in enumerate(self.lines):
            colour = COLOURS[place % len(COLOURS)]
            path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in thinned(points))
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            if len(points) <= 8:
                out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
        return out


def draw(title, subtitle, panels):
    """The SVG text."""
    panels = [panel for panel in panels if panel.lines]
    height = TOP + math.ceil(len(panels) / COLUMNS) * (PANEL_HEIGHT + 12) + 12
    width = (WIDTH - 2 * MARGIN) / COLUMNS
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="34" font-size="20" font-weight="bold" fill="#1c2330">{escape(title)}</text>',
        f'<text x="{MARGIN}" y="56" fill="#5a6475">{escape(subtitle)}</text>',
    ]
    for place, panel in enumerate(panels):
        out += panel.draw(MARGIN + width * (place % COLUMNS), TOP + (PANEL_HEIGHT + 12) * (place // COLUMNS), width)
    return "\n".join([*out, "</svg>\n"])
