// Draws the report: the items of #data, each with its facts, its headline and its sections. A section is a table, and a
// picture of its kind (pictures.js). The other scripts come before this one.
'use strict';

const report = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('report');

// Maps, because names come from files: one may be called "constructor".
const kOrigin = new Map(Object.entries({
  bigdna_version: 'Version',
  bigdna_command: 'Command',
  Stage: 'Stage',
  Started: 'Started',
  'Last written': 'Last written',
  Rows: 'Rows',
  'Alleles with a score': 'Alleles with a score'
}));  // what the first screen says of every item
const kMethods = new Map(Object.entries({
  bigdna: 'the model',
  kmers: 'k-mers alone',
  encoder: 'the encoder alone',
  network: 'the network alone',
  'kmers-bin': 'k-mers of the bin alone',
  kernel: 'the kernel model alone',
  gc: 'GC content alone',
  constant: 'a constant answer',
  halves: 'one half of the reads beside the other'
}));
const methodName = (name) => kMethods.get(name) ?? name;
const factName = (key) => kOrigin.get(key) ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');

function headline(item) {
  const {title, rows, null: level, lower_is_better, averaged} = item.headline;
  const [first, ...others] = rows;
  const parts = [
    element('p', {class: 'muted'}, title + (lower_is_better ? ' (lower is better)' : '')),
    averaged ? element('p', {class: 'muted'}, averaged) : null,
    element('p', {class: 'figure-value'}, text(first[1])),
    element(
        'p', {class: 'muted'},
        first[2] === null ? `${methodName(first[0])}; no interval was measured` :
                            `${methodName(first[0])}, 95 % interval ${text(first[2])} to ${text(first[3])}`)
  ];
  const list = others.map((row) => element('li', {}, `${methodName(row[0])}: ${interval(row)}`));
  if (level !== null)
    list.push(element('li', {}, `chance level: ${text(level)}`));
  parts.push(element('ul', {}, list));
  return parts;
}

// What an evaluation says in a sentence; a model that is behind is marked by more than a colour.
function verdicts(item) {
  return item.verdicts.map((sentence) => {
    const behind = sentence.includes('WORSE');
    return element('p', {class: behind ? 'verdict behind' : 'verdict'}, `${behind ? '⚠ ' : ''}Verdict: ${sentence}`);
  }).concat(item.warnings.map((sentence) => element('p', {class: 'verdict behind'}, `⚠ ${sentence}`)));
}

function card(item, id) {
  const facts = (entries) => element(
      'table', {class: 'facts'},
      element(
          'tbody', {},
          entries.map(
              ([key, value]) =>
                  element('tr', {}, element('th', {scope: 'row'}, factName(key)), element('td', {}, value)))));
  const rest = item.facts.filter(([key]) => !kOrigin.has(key));
  return element(
      'section', {class: 'card', 'aria-labelledby': id}, element('h2', {id, class: 'small'}, item.name),
      element('p', {class: 'muted'}, item.what), verdicts(item), item.headline ? headline(item) : null,
      facts(item.facts.filter(([key]) => kOrigin.has(key))),
      rest.length === 0 ?
          null :
          element(
              'details', {}, element('summary', {}, 'Details'),
              element(
                  'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Details of ${item.name}`},
                  facts(rest))));
}

// The names in a section: texts of its rows, its columns, and methods that its columns are of.
const wordsOf = ({kind, columns, rows, options}) => [
  ...columns, ...(kind === 'tracks' ? ['predicted', 'measured'] : []),
  ...(options.values ?? []).flatMap(([, metric, method]) => [metric, method]),
  ...unique(columns.flatMap((name, i) => kNaming.has(name.split(':')[0]) ? rows.map((row) => row[i]) : []))
];
const kNaming = new Set(['method', 'split', 'kind', 'label', 'part', 'series']);

// Sections that several items have, in one picture: of each item what comes first, the model.
function sideBySide() {
  const sections = [];
  const heads = report.items.filter((item) => item.headline);
  for (const title of unique(heads.map((item) => item.headline.title))) {
    const same = heads.filter((item) => item.headline.title === title);
    const nulls = unique(same.map((item) => item.headline.null));
    const rows = same.flatMap(
        (item) => item.headline.rows.map(([name, ...values]) => [`${item.name}: ${name}`, ...values]));
    if (same.length > 1)
      sections.push({
        kind: 'intervals',
        title,
        note: [
          nulls.length === 1 ? 'Dashed: the chance level.' :
                               'Chance levels differ: each one is on its card above.',
          rows.some(([, , low]) => low !== null) ? 'Bars are 95 % intervals.' : '',
          ...same.filter((item) => item.headline.averaged).map((item) => `${item.name}: ${item.headline.averaged}.`)
        ].filter((part) => part).join(' '),
        columns: ['method', 'value', 'low', 'high'],
        rows,
        options: nulls.length === 1 ? {null: nulls[0]} : {}
      });
  }
  // Curves of one task alone, which its headline tells: a loss of numbers says nothing beside a loss of labels.
  const key = ({item, section}) =>
      JSON.stringify(
          [item.what, item.headline?.title, section.kind, section.title, section.columns, section.options.y]);
  const all = report.items.flatMap(
      (item) => item.sections.filter((section) => section.kind === 'lines').map((section) => ({item, section})));
  for (const each of unique(all.map(key))) {
    const same = all.filter((one) => key(one) === each);
    if (same.length < 2 || same.some(({section}) => section.options.filter?.length)) continue;
    const {section} = same[0], place = section.columns.indexOf(section.options.series),
          baseline = section.columns.indexOf('baseline');
    const rows = same.flatMap(
        ({item, section: {rows}}) =>
            rows.filter((row) => row[place] === rows[0][place] && !(baseline >= 0 && row[baseline]))
                .map((row) => row.map((value, i) => i === place ? `${item.name}: ${value}` : value)));
    const {kept, null: level, ...options} = section.options;  // of one run alone
    const undrawn = level !== undefined || baseline >= 0;
    const note = undrawn ? section.note.replace(/Dashed[^.]*\.\s*/, '') : section.note;
    sections.push({...section, note, rows, options});
  }
  return sections;
}

const names = report.items.map((item) => item.name);
document.title = report.title || `bigdna report: ${names.join(', ')}`;
main.append(element(
    'header', {}, element('h1', {}, document.title), report.note ? element('p', {class: 'note'}, report.note) : null,
    report.author || report.date ?
        element('p', {}, [report.author, report.date].filter((part) => part).join(', ')) :
        null,
    element('p', {class: 'muted'}, `Made by bigdna ${report.version}: ${report.command}`)));
// First what was found, beside one picture of it; the other pictures follow, those of training last and folded.
const isTraining = (section) => section.options.training === true;
reserve(report.items.flatMap((item) => item.sections).filter((section) => section.kind !== 'images').flatMap(wordsOf));
const together = report.items.length > 1 ? sideBySide() : [];
if (together.length)  // a colour for each, before any other name takes one
  places(report.items.filter((item) => item.headline || item.sections.some(({kind}) => kind === 'lines'))
             .map(({name}) => name));
const leads = [...report.items].sort((a, b) => (a.headline === null) - (b.headline === null));  // first what has a verdict
const leading = together.concat(leads.flatMap((item) => item.sections)).filter((section) => !isTraining(section));
const lead = leading.find((section) => section.kind !== 'table') ?? leading[0];
const owner = report.items.find((item) => item.sections.includes(lead))?.name ?? 'side-by-side';
const hasMore = (item) => item.sections.some((section) => section !== lead);
if (report.items.length > 1)
  main.append(element(
      'nav', {'aria-label': 'Contents'},
      element(
          'ul', {},
          report.items.map((item, i) => element('li', {}, element('a', {href: `#${hasMore(item) ? 'item' : 'card'}-${i}`}, item.name))))));
const isShared = report.items.length === 1 || together.includes(lead);
const cards = report.items.map((item, i) => card(item, `card-${i}`));
if (lead)
  cards.splice(kWide.has(lead.kind) ? 2 : 1, 0, figure(lead, owner, isShared ? lead.title : `${owner}: ${lead.title}`));
main.append(element('div', {class: 'grid first'}, cards));
const grid = (sections, name) => element('div', {class: 'grid'}, sections.map((section) => figure(section, name)));
function fold(name, training, open) {
  return element(
      'details', {
        class: 'fold',
        open,
        ontoggle: () => figures.filter((shown) => shown.plot.clientWidth !== shown.width).forEach((shown) => shown.draw())
      },
      element('summary', {}, `Training details ${name}`), grid(training, name));
}
// Where all that follows is folded, a print has none of it, and no heading.
const heading = (shown, attributes, words) =>
    element('h2', {...attributes, class: shown.length ? '' : 'unprinted'}, words);
if (together.some((section) => section !== lead)) {
  const training = together.filter(isTraining);
  const others = together.filter((section) => section !== lead && !isTraining(section));
  main.append(heading(others, {}, 'Side by side'), grid(others, 'side-by-side'));
  if (training.length) main.append(fold('side by side', training, false));
}
report.items.forEach((item, i) => {
  const rest = item.sections.filter((section) => section !== lead);
  const training = rest.filter(isTraining), others = rest.filter((section) => !isTraining(section));
  if (!rest.length) return;
  const open = !item.sections.some((section) => !isTraining(section));
  main.append(
      heading(open ? training : others, {id: `item-${i}`}, `${item.name}: ${item.what}`), grid(others, item.name));
  if (!training.length) return;
  main.append(fold(`of ${item.name}`, training, open));
});
document.body.append(tip);

async function drawAll() {
  for (const shown of figures) await shown.draw();
  document.documentElement.dataset.drawn = 'all';  // tests wait for it
}
dark.addEventListener('change', drawAll);
matchMedia('print').addEventListener('change', drawAll);
let resized = 0;
addEventListener('resize', () => {
  clearTimeout(resized);
  resized = setTimeout(
      () => figures.filter((shown) => shown.plot.clientWidth !== shown.width).forEach((shown) => shown.draw()), 150);
});
drawAll();
