// What pictures are drawn with: the colours of the page's mode, and the rows and channels of one picture.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
function theme() {
  const print = matchMedia('print').matches, night = dark.matches && !print;
  const ink = night ? '#e6edf3' : '#1b1f24', line = night ? '#3d444d' : '#d0d7de',
        muted = night ? '#a0aab4' : '#57606a';
  // Okabe and Ito's colours, which colour-blind readers can tell apart, those that show on the background first
  const category = night ? ['#56b4e9', '#e69f00', '#2fc7a0', '#e29ac6', '#f0e442', '#ff7a6b', '#9aa7ff', '#bbbbbb'] :
                           ['#0072b2', '#d55e00', '#008060', '#b2548b', '#b77f00', '#6e3b00', '#5b4ba8', '#555555'];
  // one more method; splits, by lightness; two classes; and what names of files get where these are taken
  category.push(
      ...night ? ['#d0f0ff', '#6f8199', '#a3b4c9', '#e3ebf5', '#a9b665', '#ff5c8a'] :
                 ['#004b6b', '#8494a8', '#566c86', '#1d2f45', '#7d8a2e', '#a3123f'],
      ...night ? ['#4dd0e1', '#c792ea', '#b5e853', '#ffb38a', '#8fb8ff', '#d7c29a', '#ff9de2', '#7fd1ae'] :
                 ['#00879a', '#7a1fa2', '#4f7a00', '#a63c1e', '#26359c', '#7a6a45', '#c2188b', '#2e5d4b']);
  return {
    night,
    ink,
    line,
    muted,
    category,
    config: {
      background: 'transparent',
      aria: false,
      view: {stroke: line},
      range: {category},
      font: 'system-ui, -apple-system, \'Segoe UI\', Roboto, \'Helvetica Neue\', Arial, sans-serif',
      axis: {
        labelColor: ink,
        titleColor: ink,
        gridColor: line,
        gridOpacity: 0.6,
        domainColor: muted,
        tickColor: muted,
        labelFontSize: 12,
        titleFontSize: 12,
        titleFontWeight: 500,
        labelLimit: 150
      },
      legend: {
        labelColor: ink,
        titleColor: ink,
        labelFontSize: 12,
        titleFontSize: 12,
        titleFontWeight: 500,
        orient: 'bottom',
        direction: 'vertical',
        labelLimit: 0,
        symbolStrokeWidth: 2,
        symbolSize: 90,
        symbolBaseFillColor: muted,
        symbolBaseStrokeColor: muted
      },
      axisQuantitative: {labelOverlap: 'greedy', labelSeparation: 8},
      header: {labelColor: ink, titleColor: ink, labelFontSize: 12},
      text: {color: ink},
      line: {strokeWidth: 2},
    },
  };
}

// The place in the palette of names that come back: a method, a split, a class has one colour on the whole page.
// Methods have Okabe and Ito's colours, splits and classes others.
const kPlaces = new Map(Object.entries({
  bigdna: 0,
  predicted: 0,  // by a model
  kmers: 1,
  encoder: 2,
  network: 3,
  gc: 4,
  kernel: 5,
  'kmers-bin': 6,
  constant: 7,
  halves: 8,
  measured: 8,
  train: 9,
  training: 9,
  validation: 10,
  test: 11,
  'held out': 11,
  0: 12,
  1: 13
}));
const kColours = 22;  // of the palette
// "label 1" and "1" are one class, "bigdna: 0.9" is a curve of bigdna, and a difference to a method has its colour.
const keyOf = (name) => String(name).split(': ')[0].replace(/^label /, '').replace(/^bigdna-/, '');
// The places of the other names, in the order in which the page meets them: first the items themselves.
const given = new Map();
const placeOf = (name) => kPlaces.get(keyOf(name)) ?? given.get(keyOf(name));
// The places of names that the page may still draw: no other name gets them.
const reserved = new Set();
function reserve(names) {
  for (const name of names) {
    const place = kPlaces.get(keyOf(name));
    if (place !== undefined) reserved.add(place);
  }
}
// A place for each name: one that has none yet gets one that no name of the page has, or if there is none left, one
// that `names`, and `beside` in the same picture, do not have. It keeps it.
function places(names, beside = []) {
  const all = [...Array(kColours).keys()];
  const taken = new Set([...names, ...beside].map(placeOf).filter((place) => place !== undefined));
  for (const name of names) {
    if (placeOf(name) !== undefined) continue;
    const used = new Set([...reserved, ...given.values()]);
    const place = all.find((each) => !taken.has(each) && !used.has(each)) ?? all.find((each) => !taken.has(each)) ??
        taken.size % kColours;
    taken.add(place);
    given.set(keyOf(name), place);
  }
  const used = new Map();  // place: the name that has it here
  return names.map((name) => {
    let place = placeOf(name);
    const key = keyOf(name);
    if ((used.get(place) ?? key) !== key)  // two that met in no picture before
      place = all.find((other) => !used.has(other) && !taken.has(other)) ?? place;
    used.set(place, key);
    return place;
  });
}
const placed = (names, range, beside) => places(names, beside).map((place) => range[place % range.length]);
// A shape for each name: its own, or where two of the names would share it, another one.
function shaped(names, range, beside) {
  const used = new Map();  // shape: the name that has it here
  return places(names, beside).map((place, i) => {
    const key = keyOf(names[i]), own = range[place % range.length];
    const shape = (used.get(own) ?? key) === key ? own : range.find((other) => !used.has(other)) ?? own;
    used.set(shape, key);
    return shape;
  });
}

// What a picture gets: the rows that are chosen, as objects with keys c0, c1 ..., since names of columns may hold
// characters that Vega reads as paths.
class View {
  constructor(section, rows, width, choice) {
    this.section = section, this.options = section.options, this.width = width, this.choice = choice;
    this.look = theme();
    this.values = rows.map((row, i) => Object.fromEntries([['i', i], ...row.map((value, k) => [`c${k}`, value])]));
  }
  at(name) { return this.section.columns.indexOf(name); }
  field(name) { return `c${this.at(name)}`; }
  of(name) { return unique(this.values.map((row) => row[this.field(name)])); }
  number(name, more = {}) { return {field: this.field(name), type: 'quantitative', title: name, ...more}; }
  word(name, more = {}) { return {field: this.field(name), type: 'nominal', title: name, sort: null, ...more}; }
  // Colour and shape of the values of a field, with one legend.
  channels(field, names, beside = []) {
    // one name alone has a legend where that says more than the name: "bigdna: 0.938"
    const legend = names.length > 1 || String(names[0]).includes(': ') ?
        {title: null, columns: this.width < 500 || names.length < 3 ? 1 : 2} :
        null;
    const channel = (range) => ({field, type: 'nominal', title: null, sort: null, legend, scale: {domain: names, range}});
    return {
      color: channel(placed(names, this.look.category, beside)),
      shape: channel(shaped(
          names,
          ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'],
          beside))
    };
  }
  colours(...names) { return placed(names, this.look.category); }
  legend(name, beside = []) { return this.channels(this.field(name), this.of(name), beside).color; }
  shape(name) { return this.channels(this.field(name), this.of(name)).shape; }
  tooltip(names = this.section.columns) {
    return names.map(
        (name) => ({
          field: this.field(name),
          title: name,
          type: this.values.some((row) => typeof row[this.field(name)] === 'number') ? 'quantitative' : 'nominal'
        }));
  }
  line(from, to, more = {}) {  // a reference
    return {
      data: {values: [{x: from[0], y: from[1]}, {x: to[0], y: to[1]}]},
      mark: {type: 'line', strokeDash: [5, 4], color: this.look.muted, strokeWidth: 1.5, ...more},
      encoding: {x: {field: 'x', type: 'quantitative'}, y: {field: 'y', type: 'quantitative'}}
    };
  }
  spec(height, parts) {
    return {
      width: this.width,
      height,
      autosize: {type: typeof height === 'number' ? 'fit' : 'fit-x', contains: 'padding'},
      data: {values: this.values},
      ...parts
    };
  }
}
