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

// The place in the palette of names that come back: a split or a method has one colour on the whole page.
const kPlaces = new Map(Object.entries({
  train: 0,
  validation: 1,
  test: 2,
  training: 0,
  'held out': 2,
  bigdna: 0,
  kmers: 1,
  constant: 7,
  gc: 4,
  network: 3,
  encoder: 2,
  cnn: 5,
  'kmers-bin': 6,
  halves: 2
}));
// The places of the other names, in the order in which the page meets them: first the items themselves.
const given = new Map();
function placeOf(name) {
  const key = String(name).split(': ')[0];
  // a difference to a method has its colour
  return kPlaces.get(key) ?? kPlaces.get(key.replace(/^bigdna-/, '')) ?? given.get(key);
}
// A colour (or a shape) for each name: a name that has none yet gets one that `names`, and `beside` in the same
// picture, do not have, and keeps it.
function placed(names, range, beside = []) {
  const count = 8, taken = new Set([...names, ...beside].map(placeOf).filter((place) => place !== undefined));
  for (const name of names) {
    if (placeOf(name) !== undefined) continue;
    const free = [...Array(count).keys()].filter((place) => !taken.has(place));
    const place = free[0] ?? taken.size % count;
    taken.add(place);
    given.set(String(name).split(': ')[0], place);
  }
  const used = new Map();  // place: the name that has it here
  return names.map((name) => {
    let place = placeOf(name);
    const key = String(name).split(': ')[0];
    if ((used.get(place) ?? key) !== key)  // two that met in no picture before
      place = [...Array(count).keys()].find((other) => !used.has(other) && !taken.has(other)) ?? place;
    used.set(place, key);
    return range[place % range.length];
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
    const legend = names.length > 1 ? {title: null, columns: this.width < 500 || names.length < 3 ? 1 : 2} : null;
    const channel = (range) => ({
      field,
      type: 'nominal',
      title: null,
      sort: null,
      legend,
      scale: {domain: names, range: placed(names, range, beside)}
    });
    return {
      color: channel(this.look.category),
      shape: channel(
          ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'])
    };
  }
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
