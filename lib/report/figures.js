// Figures: a picture with what chooses its rows, its table and its downloads.
'use strict';

const quiet = vega.logger(vega.Error);  // it warns wherever a height follows from the number of rows

// A tooltip of the page's own, by textContent.
const tip = element('div', {id: 'tip', hidden: true, 'aria-hidden': 'true'});
function showTip(_, event, __, value) {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  tip.replaceChildren(
      ...(typeof value === 'object' ? Object.entries(value) : [
        ['', value]
      ]).map(([key, content]) => element('div', {}, key ? element('b', {}, `${key}: `) : null, String(content))));
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + height + 20 > innerHeight ? event.clientY - height - 10 : event.clientY + 14}px`;
}



const kAll = 'all', kMostTracks = 8, figures = [];  // outputs that are drawn together
const kWide = new Set(['tracks', 'volcano', 'features', 'regions', 'letters', 'images', 'table']);

// The predictions among the columns of tracks; what was measured is drawn below each of them.
const outputsOf = (section) =>
    section.columns.slice(3).filter((name) => !(section.options.measured ?? []).includes(name));

// The columns by which rows are chosen, each with its values and whether all together can be shown.
function choicesOf(section) {
  const values = (name) => unique(section.rows.map((row) => row[section.columns.indexOf(name)]));
  const choices = (section.options.filter ?? []).map((name) => ({name, values: values(name), all: false}));
  if (section.kind === 'tracks') {
    choices.push({name: 'contig', values: values('contig'), all: false});
    choices.push({name: 'output', values: outputsOf(section), all: outputsOf(section).length > 1, column: false});
  }
  if (section.kind === 'letters') {
    choices.push({name: 'contig', values: values('contig'), all: false});
    choices.push({name: 'output', values: section.columns.slice(4), all: false, column: false});
  }
  if (section.kind === 'volcano' && !section.options.height)
    choices.push({name: 'contig', values: values('contig'), all: false});
  if (section.kind === 'features') {
    const of = (place) => unique(section.options.values.map((each) => each[place]));
    choices.push({name: 'metric', values: of(1), all: false, column: false});
    if (section.rows.length > 60) choices.push({name: 'method', values: of(2), all: false, column: false});
    if (section.columns.includes('group')) choices.push({name: 'group', values: values('group'), all: true});
  }
  return choices.filter((choice) => choice.values.length > 1);
}

// By keyboard: a region, and buttons that move and zoom.
function regionControls(section, choice, shown) {
  const whole = () => {
    const rows = section.rows.filter((row) => choice.contig === undefined || row[0] === choice.contig);
    const [start, end] = extent(rows.flatMap((row) => [row[1], row[2]]));
    return [section.kind === 'letters' ? start + 1 : start, end];
  };
  const input = element('input', {
    type: 'text',
    size: 24,
    placeholder: 'start-end, in bp',
    onchange: () => {
      const ends = input.value.replaceAll(',', '').match(/^\s*(?:[^:]*:)?(\d+)\s*-\s*(\d+)\s*$/);
      go(ends && Number(ends[1]) < Number(ends[2]) ? [Number(ends[1]), Number(ends[2])] : undefined);
    }
  });
  function go(range) {
    choice.range = range && [Math.round(range[0]), Math.round(range[1])];
    input.value = choice.range ? choice.range.map((end) => end.toLocaleString('en-US')).join('-') : '';
    shown.draw();
  }
  const change = (name, move, size) => element(
      'button', {
        type: 'button',
        onclick: () => {
          const [start, end] = choice.range ?? whole(), length = end - start,
                        middle = (start + end) / 2 + move * length;
          go([middle - size * length / 2, middle + size * length / 2]);
        }
      },
      name);
  return element(
      'div', {class: 'controls'}, element('label', {}, 'region', input), change('Zoom in', 0, 0.5),
      change('Zoom out', 0, 2), change('Left', -0.5, 1), change('Right', 0.5, 1),
      element('button', {type: 'button', onclick: () => go(undefined)}, 'All'));
}

// Pictures that bigdna drew: as images, so that nothing in them can run.
function images(section, title, heading) {
  return element(
      'figure', {'aria-labelledby': title, class: 'wide'}, element('h3', {id: title}, heading),
      element(
          'div', {class: 'gallery'},
          section.rows.map(
              ([name, svg, serves, effect]) => {
                const long = Number(svg.match(/<svg[^>]*\swidth="([\d.]+)/)?.[1]) > 640;
                return element(
                    'div', {class: 'picture'},
                    scrolling(name, long ? 'long' : '', element('img', {alt: name, src: `data:image/svg+xml,${encodeURIComponent(svg)}`})),
                    element('p', {class: 'muted'}, serves ? `${name}: ${serves} ${text(effect)}` : name));
              })),
      section.note ? element('figcaption', {}, section.note) : null);
}

// `heading`: where it does not stand below its owner's name.
function figure(section, owner, heading = section.title) {
  const title = `title-${++ids}`;
  if (section.kind === 'images') return images(section, title, heading);
  const parts = [element('h3', {id: title}, heading)];
  const draw = pictures[section.kind];
  const buttons = element(
      'div', {class: 'controls'},
      element(
          'button', {type: 'button', onclick: () => save(`${owner}-${section.title}.csv`, 'text/csv', csv(section))},
          rowsOf(section) > section.rows.length ?
              `Table as CSV (${text(section.rows.length)} of ${text(rowsOf(section))} rows)` :
              'Table as CSV'));
  const details =
      element('details', {open: draw === undefined || section.options.open === true}, element('summary', {}, 'Table'));
  const fill = () => {
    if (details.open && details.children.length === 1) details.append(table(section, owner));
  };
  details.addEventListener('toggle', fill);
  fill();
  if (draw) {
    const canvas = element('div', {'aria-hidden': 'true'});  // the picture's text is its label and its table
    const plot = element(
        'div', {class: 'plot', role: 'img', 'aria-label': `${section.title}: a picture of the table below.`}, canvas);
    const choice = {};
    const chosen = choicesOf(section);
    for (const {name, values, all} of chosen)
      choice[name] = values.includes(section.options.first) ? section.options.first :
          all                                               ? kAll :
          values.includes('all')                            ? 'all' :
                                                              values[0];
    const shown = {
      plot,
      async draw() {
        const rows = section.rows.filter(
            (row) => chosen.every(
                ({name, column}) => column === false ||
                    choice[name] === kAll && chosen.find((each) => each.name === name).all ||
                    String(row[section.columns.indexOf(name)]) === String(choice[name])));
        const width = Math.max(240, plot.clientWidth);
        this.view?.finalize();
        if (rows.length === 0) return canvas.replaceChildren('No row has values for this choice.');
        const view = new View(section, rows, width, choice);
        const spec = draw(view);
        this.view = new vega.View(
            vega.parse(vegaLite.compile(spec, {config: view.look.config, logger: quiet}).spec),
            {renderer: 'svg', container: canvas, hover: true});
        this.view.tooltip(showTip);
        this.width = width;
        return this.view.runAsync();
      }
    };
    if (chosen.length)
      parts.push(element(
          'div', {class: 'controls'},
          chosen.map(
              ({name, values, all}) => element(
                  'label', {}, name,
                  element(
                      'select', {
                        onchange: (event) => {
                          choice[name] = event.target.value;
                          if (name === 'contig') delete choice.range;
                          shown.draw();
                        }
                      },
                      [...(all ? [kAll] : []), ...values].map(
                          (value) => element(
                              'option', {value, selected: String(value) === String(choice[name])},
                              value === kAll && name === 'output' && values.length > kMostTracks ?
                                  `the first ${kMostTracks} of ${values.length}` :
                                  String(value))))))));
    if (section.kind === 'tracks' || section.kind === 'letters') parts.push(regionControls(section, choice, shown));
    parts.push(plot);
    buttons.append(element(
        'button', {
          type: 'button',
          onclick: async () => save(`${owner}-${section.title}.svg`, 'image/svg+xml', await shown.view.toSVG())
        },
        'Picture as SVG'));
    figures.push(shown);
  }
  if (section.note) parts.push(element('figcaption', {}, section.note));
  parts.push(buttons, details);
  return element('figure', {'aria-labelledby': title, class: kWide.has(section.kind) ? 'wide' : ''}, parts);
}
