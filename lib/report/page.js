// What all parts of the page are made of: elements, texts, files to save, and tables. Texts that come from files go into
// the page by textContent only.
'use strict';

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null)
      node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat())
    if (child !== null) node.append(child);
  return node;
}
const unique = (values) => [...new Set(values)];
// The least and the most of any number of values: a call takes some 65 000 arguments.
const extent = (values) => values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
const text = (value) => value === null ? '–' :
    typeof value !== 'number'          ? String(value) :
    Number.isInteger(value)            ? value.toLocaleString('en-US') :
                                         String(Number(value.toPrecision(4)));
const interval = ([, value, low, high]) => text(value) + (low === null ? '' : ` [${text(low)}, ${text(high)}]`);
// A long sequence of bases by its beginning and its length, and other long texts by their beginning.
const kBases = /^[ACGTUN]{17,}$/i, kLongest = 60;
const shortened = (value) => typeof value !== 'string' ? text(value) :
    kBases.test(value)                                 ? `${value.slice(0, 6)}… ${value.length} bp` :
    value.length > kLongest                            ? `${value.slice(0, kLongest - 1)}…` :
                                                         value;
// Rows of the file: the page may hold fewer.
const rowsOf = (section) => section.options.of ?? section.rows.length;
let ids = 0;

// A text that breaks only at blanks and behind "|": no allele, name or heading is cut in two.
function unbroken(value) {
  const words = value.split(/(?<=\|)|( )/).filter((word) => word);
  return words.length < 2 ?
      [value] :
      words.flatMap((word) => word === ' ' ? ' ' : [element('span', {class: 'word'}, word), element('wbr')]);
}

// A box that scrolls, with a hint where it has more than it shows.
function scrolling(label, kind, ...children) {
  const box = element('div', {class: `scroll ${kind}`, tabindex: 0, role: 'region', 'aria-label': label}, children);
  const hint = element('p', {class: 'muted hint', hidden: true}, 'Scroll to the right for the rest →');
  const observer = new ResizeObserver(() => hint.hidden = box.scrollWidth <= box.clientWidth + 1);
  for (const each of [box, ...box.children]) observer.observe(each);
  return [hint, box];
}

function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  element('a', {href: url, download: name.replace(/[^A-Za-z0-9.-]+/g, '_')}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
function csv(section) {
  const field = (value) => {
    let plain = value === null ? '' : String(value);
    // a spreadsheet takes such a text for a formula, as it does not take a sign alone
    if (typeof value === 'string' && /^[=+\-@\t\r]./s.test(plain) && Number.isNaN(Number(plain))) plain = `'${plain}`;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return [section.columns, ...section.rows].map((row) => row.map(field).join(',') + '\r\n').join('');
}

// Tables: sorted by a click on a column's name, filtered by what is typed.

const kRowsAtFirst = 100, kRowsInPrint = 20;  // the latter also in report.css
function table(section, owner) {
  const held = section.rows.length, whole = rowsOf(section);
  // What is the same in all rows is said once, so that there is room for what a reader compares.
  const columns = section.columns.map((_, i) => i), first = section.rows[0];
  const same = section.rows.length < 3 ? [] : columns.filter((i) => section.rows.every((row) => row[i] === first[i]));
  const firsts = section.options.first_columns ?? [];
  const place = (i) => (firsts.indexOf(section.columns[i]) + 1 || columns.length) - 1;
  const order = columns.filter((i) => !same.includes(i)).sort((a, b) => place(a) - place(b) || a - b);
  const said = same.filter((i) => first[i] !== null).map((i) => `${section.columns[i]} ${shortened(first[i])}`).join(', ');
  const numeric = section.columns.map((_, i) => section.rows.some((row) => typeof row[i] === 'number'));
  let sorted = {column: -1, sign: 1}, wanted = '', all = false;
  const body = element('tbody'), count = element('span', {class: 'muted', role: 'status'});
  const more = element(
      'button', {
        type: 'button',
        onclick: () => {
          all = true;
          fill();
        }
      },
      'Show all rows');
  const kindOf = (i, words) => [numeric[i] ? 'number' : '', words.length > 1 ? 'words' : ''].join(' ').trim();
  const heads = order.map(
      (i) => element(
          'th', {scope: 'col', class: kindOf(i, unbroken(section.columns[i]))},
          element(
              'button', {
                type: 'button',
                onclick: () => {
                  sorted = {column: i, sign: sorted.column === i ? -sorted.sign : numeric[i] ? -1 : 1};
                  heads.forEach(
                      (head, k) => head.setAttribute(
                          'aria-sort',
                          order[k] !== i      ? 'none' :
                              sorted.sign > 0 ? 'ascending' :
                                                'descending'));
                  fill();
                }
              },
              unbroken(section.columns[i]))));
  function cell(row, i) {
    const shown = shortened(row[i]), cut = typeof row[i] === 'string' && shown !== row[i], words = unbroken(shown);
    return element('td', {class: kindOf(i, words), title: cut ? row[i] : false}, words);
  }
  function fill() {
    let rows = section.rows;
    if (wanted) rows = rows.filter((row) => row.some((value) => String(value).toLowerCase().includes(wanted)));
    if (sorted.column >= 0) {
      const key = (row) => row[sorted.column];
      rows = [...rows].sort(
          (a, b) => (key(a) === null) - (key(b) === null) ||
              sorted.sign *
                  (numeric[sorted.column] ? key(a) - key(b) : String(key(a)).localeCompare(String(key(b)), 'en')));
    }
    const shown = all ? rows : rows.slice(0, kRowsAtFirst);
    body.replaceChildren(...shown.map((row) => element('tr', {}, order.map((i) => cell(row, i)))));
    const found =
        shown.length < rows.length ? `${shown.length} of ${text(rows.length)} rows` : `${text(rows.length)} rows`;
    count.textContent = held < whole ? `${found}; the page has ${text(held)} of ${text(whole)}` : found;
    more.hidden = shown.length === rows.length;
  }
  fill();
  const filter = element('input', {
    type: 'search',
    oninput: (event) => {
      wanted = event.target.value.toLowerCase();
      fill();
    }
  });
  const printed = Math.min(held, kRowsInPrint);
  return element(
      'div', {}, element('div', {class: 'controls'}, element('label', {}, 'Find', filter), count, more),
      printed < whole ? element('p', {class: 'muted printed'}, `${printed} of ${text(whole)} rows are printed.`) : null,
      said ? element('p', {class: 'muted'}, `In all rows: ${said}.`) : null,
      scrolling(
          `Table of ${owner}: ${section.title}`, '',
          element(
              'table', {class: order.length > 12 ? 'dense denser' : order.length > 8 ? 'dense' : ''},
              element('thead', {}, element('tr', {}, heads)), body)));
}
