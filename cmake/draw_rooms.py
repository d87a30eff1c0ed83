#!/usr/bin/env python3
"""draw_rooms.py [OUT]: draws the libraries of lib/CMakeLists.txt, its layers and what each library includes, as SVG (docs/rooms.svg).

A layer is a comment "# Layer: NAME: WHAT". Libraries stand on floors: above all that they use. An arrow that others imply is left out."""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, LEFT, BOX, HIGH, GAP, FLOOR = 980, 190, 112, 30, 14, 60
SHIFT = 150  # of every other floor, so that few boxes lie on an arrow between others
COLOURS = ["#dfe9f5", "#e4f1df", "#fbf0d3", "#f6e0dc"]
EDGES = ["#5b84b1", "#6a9a5b", "#b3923c", "#b06a60"]


def read():
    """Layers from the bottom, each (name, what, {room: what it uses})."""
    layers = []
    for line in (ROOT / "lib/CMakeLists.txt").read_text().splitlines():
        if layer := re.match(r"# Layer: ([^:]+): (.+)", line):
            layers.append((layer[1], layer[2], {}))
        elif room := re.match(r"bigdna_library\((\w+)(.*)\)", line):
            depends = re.search(r"DEPENDS ([a-z_ ]+)", room[2])
            layers[-1][2][room[1]] = depends[1].split() if depends else []
    return layers


def reduced(uses):
    """Without the arrows that others imply."""
    below = {}
    for room in uses:  # those that it uses come first
        below[room] = set(uses[room]).union(*(below[other] for other in uses[room]))
    return {room: [other for other in uses[room] if not any(other in below[third] for third in uses[room])] for room in uses}


def floors(rooms):
    """Of a layer, from the bottom."""
    level = {}
    for room, uses in rooms.items():
        level[room] = max([level[other] + 1 for other in uses if other in rooms], default=0)
    return [[room for room in rooms if level[room] == floor] for floor in range(max(level.values()) + 1)]


def ordered(rows, uses):
    """Each floor in the order of the means of what its rooms use, so that few arrows cross."""
    at = {}
    for row in rows:
        wanted = {room: sum(at[other] for other in uses.get(room, [])) / max(1, len(uses.get(room, []))) for room in row}
        row.sort(key=lambda room: wanted[room])
        for i, room in enumerate(row):
            at[room] = (i + 0.5) / len(row)


def draw():
    layers = read()
    uses = {room: below for _, _, rooms in layers for room, below in rooms.items()}
    arrows = reduced(uses)
    bands = [(name, what, floors(rooms)) for name, what, rooms in layers] + [("commands", "may use every room", [["apps"]])]
    ordered([row for _, _, rows in bands for row in rows], arrows)
    height = GAP + sum(len(rows) * FLOOR + GAP for _, _, rows in bands)
    at, at_floor, back, y = {}, [], [], height
    for i, (name, what, rows) in enumerate(bands):
        high = len(rows) * FLOOR
        y -= high + GAP
        back.append(f'<rect x="8" y="{y}" width="{WIDTH - 16}" height="{high}" rx="8" fill="{COLOURS[i]}"/>')
        back.append(f'<text x="22" y="{y + 26}" font-size="17" font-weight="bold">{name}</text>')
        words, line, lines = what.split(), "", []
        for word in words:
            if len(line) + len(word) > 24:
                lines.append(line)
                line = ""
            line += word + " "
        for j, text in enumerate(lines + [line]):
            back.append(f'<text x="22" y="{y + 47 + 17 * j}" font-size="13">{text.strip()}</text>')
        for floor, row in enumerate(rows):
            at_floor.append(row)
            step = (WIDTH - LEFT - 16 - SHIFT) / len(row)
            for j, room in enumerate(row):
                at[room] = (LEFT + (j + 0.5) * step + SHIFT * (len(at_floor) % 2), y + high - (floor + 0.5) * FLOOR, EDGES[i])
    lines = []
    for room, below in arrows.items():
        for other in below:
            (x1, y1, colour), (x2, y2, _) = at[room], at[other]
            y1, y2 = y1 + HIGH / 2, y2 - HIGH / 2
            bend = (y2 - y1) / 2
            lines.append(f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}" stroke="{colour}" '
                         'stroke-width="1.3" fill="none" opacity="0.75"/>')
    boxes = []
    for room, (x, y, colour) in at.items():
        wide = max(BOX, 8.4 * len(room) + 18)
        boxes.append(f'<rect x="{x - wide / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{wide:.0f}" height="{HIGH}" rx="5" fill="white" stroke="{colour}" stroke-width="1.5"/>')
        boxes.append(f'<text x="{x:.0f}" y="{y + 5:.0f}" font-size="15" text-anchor="middle">{room}</text>')
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif">',
                      '<title>The libraries of bigdna</title>', f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *back, *lines, *boxes, "</svg>"]) + "\n"


pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/rooms.svg").write_text(draw())
