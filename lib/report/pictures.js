// The kinds of sections: each makes a Vega-Lite specification of a View.
'use strict';

const kShares = {values: [0, 0.2, 0.4, 0.6, 0.8, 1], format: '.1f'};  // an axis from 0 to 1
const zoom = (encodings) => [{name: 'zoom', select: {type: 'interval', encodings}, bind: 'scales'}];

// Where the names of the strongest alleles stand, in a picture of WIDTH x HEIGHT: the nearest place to each mark that
// no mark and no other name covers. `at`: the pixels of a row. Ranks come first, so the first ones always get a place.
const kLabelled = 10;
function labelled(view, rows, at, width, height) {
  const marks = rows.map(at), names = [];
  const meets = ([left, top, right, bottom], [x, y, most, least]) => x < right && most > left && y < bottom && least > top;
  const box = ([x, y], length) => [x - length / 2 - 3, y - 8, x + length / 2 + 3, y + 8];
  const boxes = marks.map(([x, y]) => [x - 5, y - 5, x + 5, y + 5]);
  for (const [i, row] of rows.slice(0, kLabelled).entries()) {
    const name = row[view.field('name')];
    const label = name && name !== '.' ? name.slice(0, 30) : `${row.c0}:${row.c1} ${shortened(row.c3)}>${shortened(row.c4)}`;
    const length = 6.3 * label.length, [x, y] = marks[i];
    const places = [];
    for (let rise = 0; rise < height; rise += 9)
      for (const up of rise ? [-rise, rise] : [0])
        for (const aside of [-1, 1, -1.6, 1.6, -2.4, 2.4, 0])
          places.push([x + aside * (length / 2 + 11), y + up]);
    places.sort((a, b) => Math.hypot((a[0] - x) / 3, a[1] - y) - Math.hypot((b[0] - x) / 3, b[1] - y));
    const place = places.find((each) => {
      const own = box(each, length);
      return own[0] > 0 && own[2] < width && own[1] > 0 && own[3] < height && !boxes.some((other) => meets(own, other));
    });
    if (!place) continue;
    boxes.push(box(place, length));
    names.push({label, mark: marks[i], place, edge: Math.min(length / 2, Math.max(-length / 2, x - place[0]))});
  }
  return names;
}

// The end of an axis: areas, shares and correlations are at most 1, and so is an axis of them.
function noFurther(most, end) {
  return most <= 1 ? Math.min(1, end) : end;
}

const pictures = {
  lines(view) {
    const {x, y, series, unit, kept} = view.options;
    const heights = view.values.map((row) => row[view.field(y)]), [lowest, highest] = extent(heights),
          flat = lowest === highest;
    const scale = unit ? {domain: [0, 1], nice: false} :
        flat           ? {domain: [heights[0] - 0.05, noFurther(heights[0], heights[0] + 0.05)]} :
                         {zero: false};
    const axis = unit ? kShares : {};
    // precision of rare labels: the axis ends where the curves do, but for the few rows of the highest scores
    const peak = y === 'precision' ?
        Math.max(0.01, ...view.values.filter((row) => row[view.field(x)] >= 0.05).map((row) => row[view.field(y)])) :
        1;
    const rare = unit && peak < 0.5;
    const baseline = view.at('baseline') >= 0 ? `datum.${view.field('baseline')} == 1` : 'false';
    const flag = view.at('at the threshold') >= 0 ? `datum.${view.field('at the threshold')} == 1` : 'false';
    const curves = `!(${baseline}) && !(${flag})`;
    const few = view.values.length / Math.max(1, view.of(series).length) < 30 && !unit;
    const encoding = {
      x: view.number(x, {axis, scale: unit ? scale : {zero: false, nice: false}}),
      y: view.number(y, {axis: rare ? {} : axis, scale: rare ? {domain: [0, 1.2 * peak], nice: true} : scale}),
      color: view.legend(series)
    };
    const names = view.of(series);  // what lies below is broader, so that equal curves both show
    const strokeWidth = {
      field: view.field(series),
      type: 'ordinal',
      sort: null,
      scale: {type: 'ordinal', domain: names, range: names.map((_, k) => k ? 1.8 : 4)},
      legend: encoding.color.legend
    };
    const layer = [
      {
        transform: [{filter: curves}],
        mark: {type: 'line', clip: !unit || rare, point: few ? {filled: true, size: 45} : false},
        encoding: {...encoding, strokeWidth, order: {field: 'i', type: 'quantitative'}}
      },
      {
        transform: [{filter: curves}],
        mark: {type: 'point', size: 120, opacity: 0},
        encoding: {...encoding, tooltip: view.tooltip()}
      },
      {
        transform: [{filter: flag}],
        mark: {type: 'point', filled: true, size: 110, stroke: view.look.ink, strokeWidth: 1},
        encoding: {...encoding, tooltip: view.tooltip()}
      },
      {
        transform: [
          {filter: baseline},
          {aggregate: [{op: 'max', field: view.field(y), as: view.field(y)}], groupby: [view.field(series)]}
        ],
        mark: {type: 'rule', strokeDash: [6, 4], strokeWidth: 2},
        encoding: {y: encoding.y, color: encoding.color, tooltip: view.tooltip([series, y])}
      }
    ];
    if (view.options.diagonal) layer.unshift(view.line([0, 0], [1, 1]));
    if (view.options.null) {
      const level = view.options.null[view.choice.output ?? Object.keys(view.options.null)[0]];
      if (level !== undefined) layer.unshift(view.line([0, level], [1, level]));
    }
    if (kept !== undefined)
      layer.push({
        data: {values: [{x: kept}]},
        layer: [
          {
            mark: {type: 'rule', color: view.look.ink, strokeDash: [2, 3]},
            encoding: {x: {field: 'x', type: 'quantitative'}}
          },
          {
            mark: {
              type: 'text',
              align: 'right',
              baseline: 'top',
              dx: -5,
              dy: 5,
              text: 'kept step',
              color: view.look.ink
            },
            encoding: {x: {field: 'x', type: 'quantitative'}, y: {value: 0}}
          }
        ]
      });
    return view.spec(
        (unit                   ? 300 :
             view.options.small ? 160 :
                                  240) +
            20 * Math.ceil(names.length / (view.width < 500 ? 1 : 2)),
        {layer});
  },

  intervals(view) {
    const level = view.options.null, title = view.choice.metric ?? view.options.x ?? 'value';
    const ends = view.values.flatMap((row) => ['value', 'low', 'high'].map((name) => row[view.field(name)]))
                     .concat(level)
                     .filter((end) => typeof end === 'number');
    const [least, most] = extent(ends), margin = 0.06 * (most - least) || 0.05 * Math.max(Math.abs(most), 1);
    const digits = most >= 1000 ? 0 : most - least < 0.05 ? 4 : 3;  // one form for all, so that they can be compared
    const scale = {domain: [least - margin, noFurther(most, most + margin)], nice: true};
    const y = view.word('method', {title: null, scale: {padding: 0.6}, axis: {labelLimit: view.width / 2.5}});
    const x = view.number('value', {title, scale}), color = view.options.colour ? view.legend(view.options.colour) : {...view.legend('method'), legend: null};
    const layer = [
      {
        mark: {type: 'rule', strokeWidth: 3, opacity: 0.7},
        encoding: {
          y,
          x: view.number('low', {title, scale}),
          x2: {field: view.field('high')},
          color
        }
      },
      {
        mark: {type: 'point', filled: true, size: 90, opacity: 1},
        encoding: {y, x, color, tooltip: view.tooltip()}
      },
      {
        mark: {type: 'text', dy: -11, fontSize: 11},
        encoding: {y, x, text: {field: view.field('value'), type: 'quantitative', format: `,.${digits}f`}}
      }
    ];
    if (typeof level === 'number')
      layer.unshift({
        data: {values: [{x: level}]},
        mark: {type: 'rule', strokeDash: [5, 4], color: view.look.muted},
        encoding: {x: {field: 'x', type: 'quantitative', title, scale}}
      });
    return view.spec({step: 34}, {layer});
  },

  calibration(view) {
    const scale = {domain: [0, 1], nice: false};
    const x = view.number('mean probability', {scale, axis: kShares}), color = view.legend('method');
    const share = view.number('share of positives', {scale});
    return view.spec(340 + 20 * view.of('method').length / 2, {
      layer: [
        view.line([0, 0], [1, 1]), {
          mark: {type: 'rule', opacity: 0.5},
          encoding:
              {x, y: view.number('low', {scale, title: 'share of positives'}), y2: {field: view.field('high')}, color}
        },
        {mark: {type: 'line', strokeWidth: 1, opacity: 0.6}, encoding: {x, y: share, color}}, {
          mark: {type: 'point', filled: true, opacity: 0.85},
          encoding: {
            x,
            y: share,
            color,
            shape: view.shape('method'),
            size: view.number(
                'examples', {
                  scale: {range: [30, 500]},
                  legend: view.width < 500 ? null : {direction: 'horizontal', title: 'examples', tickCount: 3}
                }),
            tooltip: view.tooltip()
          }
        }
      ]
    });
  },

  matrix(view) {
    const threshold = view.at('threshold') >= 0 ? view.values[0][view.field('threshold')] : null;
    const x = view.word('called', {
      title: threshold === null ? 'called' : `called (1 from ${threshold} on)`,
      axis: {labelAngle: 0, orient: 'top', labelLimit: 90}
    });
    const y = view.word('truth');
    const share = 'share of the truth\'s examples', few = view.of('truth').length < 9;
    const ink = {condition: {test: `datum.${view.field(share)} > 0.55`, value: '#ffffff'}, value: '#111111'};
    const layer = [{
      mark: {type: 'rect', stroke: view.look.line},
      encoding: {
        x,
        y,
        tooltip: view.tooltip(),
        color: view.number(share, {
          scale: {scheme: 'blues', domain: [0, 1]},
          legend: {direction: 'horizontal', format: '.0%', gradientLength: Math.min(200, view.width / 2)}
        })
      }
    }];
    if (few)
      layer.push(
          {
            mark: {type: 'text', fontSize: 15, fontWeight: 600, dy: -7},
            encoding: {x, y, text: {field: view.field('examples'), format: ',d'}, color: ink}
          },
          {
            mark: {type: 'text', fontSize: 12, dy: 11},
            encoding: {x, y, text: {field: view.field(share), format: '.1%'}, color: ink}
          });
    return view.spec(few ? 90 + 70 * view.of('truth').length : 420, {layer});
  },

  features(view) {
    const columns = view.section.columns,
          chosen = view.options.values.filter(
              ([, metric]) => metric === view.choice.metric || view.choice.metric === undefined);
    const methods = unique(chosen.map(([, , method]) => method)), grouped = columns.includes('group');
    const rows = view.values
                     .flatMap((row) => chosen.map(([column, metric, method]) => ({
                                                    label: row.c0,
                                                    metric,
                                                    method,
                                                    value: row[`c${column}`],
                                                    group: grouped ? row[view.field('group')] : '',
                                                    positives: row[view.field('positives')]
                                                  })))
                     .filter((row) => row.value !== null);
    const isRare = (row) => row.positives < (view.options.few ?? 0);
    const order = rows.filter((row) => row.method === methods[0])
                      .sort((a, b) => isRare(a) - isRare(b) || b.value - a.value)
                      .map((row) => row.label);
    const tooltip = ['label', 'group', 'positives', 'method', 'value']
                        .filter((name) => rows.some((row) => row[name] !== '' && row[name] !== undefined))
                        .map((field) => ({field, title: field === 'label' ? 'name' : field}));
    const y = {field: 'value', type: 'quantitative', title: view.choice.metric ?? chosen[0][1], scale: {zero: false}};
    if (order.length <= 60)
      return {
        ...view.spec({step: order.length < 15 ? 28 : 17}, {
          mark: {type: 'point', filled: true, size: 70, opacity: 0.9},
          encoding: {
            y: {
              field: 'label',
              type: 'nominal',
              sort: order,
              title: null,
              axis: {grid: true, labelLimit: view.width / 2.6}
            },
            x: y,
            ...view.channels('method', methods),
            tooltip
          }
        }),
        data: {values: rows}
      };
    const rank = new Map(order.map((label, i) => [label, i + 1])),
          shown = rows.filter((row) => row.method === (view.choice.method ?? methods[0]));
    return {
      ...view.spec(380, {
        params: zoom(['x', 'y']),
        mark: {type: 'point', filled: true, size: 40, opacity: 0.75, clip: true},
        encoding: {
          x: {
            field: 'rank',
            type: 'quantitative',
            title: `features from the highest to the lowest${methods[0] ? ` (${methods[0]})` : ''}`,
            scale: {zero: false, nice: false}
          },
          y,
          ...view.channels('group', unique(rows.map((row) => row.group))),
          tooltip
        }
      }),
      data: {values: shown.map((row) => ({...row, rank: rank.get(row.label)}))}
    };
  },

  scatter(view) {
    const {x, y} = view.options, values = view.values.flatMap((row) => [row[view.field(x)], row[view.field(y)]]);
    const [low, high] = extent(values);
    return view.spec(360, {
      layer: [
        view.line([low, low], [high, high]), {
          mark: {type: 'point', filled: true, size: 35, opacity: 0.5, color: view.colours(view.choice.method ?? view.of('method')[0])[0]},
          encoding: {
            x: view.number(x, {scale: {zero: false}}),
            y: view.number(y, {scale: {zero: false}}),
            tooltip: view.tooltip()
          }
        }
      ]
    });
  },

  histogram(view) {
    const names = view.of('label');
    const color = {
      ...view.legend('label'),
      legend: names.length > 1 ? {title: view.options.colour ?? 'label', direction: 'horizontal'} : null
    };
    const most = Math.max(...view.values.map((row) => row[view.field('to')]));
    const whole = view.options.unit && most > 0.5;
    return view.spec(260, {
      mark: {type: 'rect', opacity: 0.55, strokeWidth: 1},
      encoding: {
        x: view.number('from', {
          title: view.options.x,
          scale: whole ? {domain: [0, 1]} : view.options.unit ? {domain: [0, most], nice: false} : {zero: false},
          axis: whole ? kShares : {}
        }),
        x2: {field: view.field('to')},
        y: view.number('share', {title: 'share', axis: {format: '%'}}),
        y2: {datum: 0},
        color,
        stroke: color,
        tooltip: view.tooltip()
      }
    });
  },

  bars(view) {
    const {y, x, colour} = view.options;
    return view.spec({step: 24}, {
      mark: {type: 'bar'},
      encoding: {
        y: view.word(y, {title: null, sort: null, axis: {labelLimit: view.width / 2.5}}),
        x: view.number(x, {stack: true}),
        color: colour ? view.legend(colour, view.of(y)) : {value: view.look.muted},
        tooltip: view.tooltip()
      }
    });
  },

  tracks(view) {
    const measured = view.options.measured ?? [], outputs = outputsOf(view.section);
    const all = view.choice.output === kAll;
    const predicted = all ? outputs.slice(0, kMostTracks) : [view.choice.output ?? outputs[0]];
    const shown = [...predicted, ...measured], several = shown.length > 1;
    const rows = [];
    for (const name of shown) {
      const of = measured.includes(name) ? 'measured' : 'predicted';
      for (const row of view.values)
        rows.push({start: row.c1, end: row.c2, value: row[view.field(name)], name, contig: row.c0, of});
    }
    const x = {
      field: 'start',
      type: 'quantitative',
      title: `position on ${view.choice.contig ?? view.of('contig')[0]} (bp)`,
      scale: {nice: false, ...(view.choice.range ? {domain: view.choice.range} : {zero: false})},
      axis: {format: ',d', tickCount: view.width < 500 ? 3 : 6}
    };
    const colour = {
      field: 'of',
      type: 'nominal',
      scale: {domain: ['predicted', 'measured'], range: view.colours('predicted', 'measured')},
      legend: null
    };
    const track = {
      width: view.width - 70,
      height: all ? 60 : several ? 110 : 200,
      params: zoom(['x']),
      mark: {type: 'rect', clip: true, strokeWidth: 0.6},
      encoding: {
        x,
        x2: {field: 'end'},
        y: {
          field: 'value',
          type: 'quantitative',
          title: several ? null : shown[0],
          scale: {zero: true},
          axis: {tickCount: several ? 2 : 5}
        },
        y2: {datum: 0},
        ...Object.fromEntries(['color', 'stroke'].map((channel) => [channel, colour])),
        tooltip: [
          {field: 'name', title: 'output'}, {field: 'contig'}, {field: 'start', type: 'quantitative', format: ',d'},
          {field: 'end', type: 'quantitative', format: ',d'}, {field: 'value', type: 'quantitative'}
        ]
      }
    };
    if (!several) return {data: {values: rows}, autosize: {type: 'pad'}, ...track};
    return {
      data: {values: rows},
      facet: {
        row: {
          field: 'name',
          type: 'nominal',
          sort: shown,
          title: null,
          header: {labelAngle: 0, labelAlign: 'left', labelOrient: 'top', labelAnchor: 'start'}
        }
      },
      spacing: 8,
      spec: track,
      resolve: {scale: {y: 'independent'}}
    };
  },

  regions(view) {
    const lengths = Object.entries(view.options.lengths ?? {}).map(([contig, length]) => ({contig, length}));
    const ends = new Map(lengths.map(({contig, length}) => [contig, length]));
    for (const row of view.values) ends.set(row.c0, Math.max(ends.get(row.c0) ?? 0, row.c2));
    const contigs = [...ends].sort((a, b) => b[1] - a[1]).slice(0, view.options.most).map(([name]) => name);
    view.values = view.values.filter((row) => contigs.includes(row.c0));
    const y = {type: 'nominal', sort: contigs, title: null};
    return view.spec({step: 24}, {
      layer: [
        {
          data: {values: lengths.filter(({contig}) => contigs.includes(contig))},
          mark: {type: 'bar', color: view.look.line, height: 6},
          encoding: {y: {...y, field: 'contig'}, x: {field: 'length', type: 'quantitative'}}
        },
        {
          mark: {type: 'bar', height: 16},
          encoding: {
            y: {...y, field: 'c0'},
            x: view.number('start', {title: 'position (bp)', axis: {format: '~s'}, stack: null}),
            x2: {field: 'c2'},
            color: view.legend('part'),
            tooltip: view.tooltip()
          }
        }
      ]
    });
  },

  volcano(view) {
    const {effect, height} = view.options, size = view.field(effect);
    for (const row of view.values) {
      row.direction = row[size] > 0 ? 'raises' : 'lowers';
      const percentile = row[view.field('percentile')];
      row.rarity = percentile === null ? null : -Math.log10(1 - Math.min(percentile, 99.99) / 100);
    }
    const color = {
      field: 'direction',
      type: 'nominal',
      title: null,
      scale: {domain: ['raises', 'lowers'], range: view.colours('raises', 'lowers')},
      legend: {title: null, direction: 'horizontal'}
    };
    const shape = {
      field: 'direction',
      type: 'nominal',
      title: null,
      scale: {domain: ['raises', 'lowers'], range: ['triangle-up', 'triangle-down']},
      legend: {direction: 'horizontal', title: null}
    };
    const words = `effect (${effect})`;
    const rows = view.values.filter((row) => row[size] !== null && (!height || row.rarity !== null));
    const across = height ? size : view.field('position'), up = height ? 'rarity' : size;
    const wide = view.width - 80, tall = 400;
    // ends of an axis, with room for marks and names
    const ends = (field) => {
      const [least, most] = extent(rows.map((row) => row[field])), margin = 0.06 * (most - least) || 1;
      return [least - margin, most + margin];
    };
    const domain = {x: ends(across), y: ends(up)};
    const scale = (axis) => ({domain: domain[axis], nice: false, zero: false});
    const x = {
      field: across,
      type: 'quantitative',
      title: height ? words : `position on ${view.choice.contig ?? view.of('contig')[0]} (bp)`,
      scale: scale('x'),
      axis: height ? {} : {format: ',d', tickCount: view.width < 500 ? 3 : 6}
    };
    const y = {field: up, type: 'quantitative', title: height ?? words, scale: scale('y')};
    const share = (value, [least, most]) => (value - least) / (most - least);
    const back = (share, [least, most]) => least + share * (most - least);
    const names = labelled(
        view, rows, (row) => [wide * share(row[across], domain.x), tall * (1 - share(row[up], domain.y))], wide, tall);
    const values = names.map(({label, mark, place, edge}) => ({
                               label,
                               x: back(place[0] / wide, domain.x),
                               y: back(1 - place[1] / tall, domain.y),
                               from: back(mark[0] / wide, domain.x),
                               at: back(1 - mark[1] / tall, domain.y),
                               to: back((place[0] + edge) / wide, domain.x),
                             }));
    const place = (field, channel) => ({field, type: 'quantitative', scale: scale(channel)});
    return {
      ...view.spec(tall, {
        layer: [
          {
            data: {values},
            mark: {type: 'rule', color: view.look.muted, strokeWidth: 0.8, clip: true},
            encoding: {x: place('from', 'x'), x2: {field: 'to'}, y: place('at', 'y'), y2: {field: 'y'}}
          },
          {
            params: zoom(['x', 'y']),
            mark: {type: 'point', filled: true, size: 55, opacity: 0.7, clip: true},
            encoding: {x, y, color, shape, tooltip: view.tooltip()}
          },
          {
            data: {values},
            mark: {type: 'text', fontSize: 11, clip: true},
            encoding: {x: place('x', 'x'), y: place('y', 'y'), text: {field: 'label'}}
          }
        ]
      }),
      width: wide,
      autosize: {type: 'pad'},
      data: {values: rows}
    };
  },

  // Counts of pairs in cells of two axes, both log2(1 + value).
  density(view) {
    const {x, y} = view.options;
    const [, most] = extent(view.values.flatMap((row) => [row[view.field('x to')], row[view.field('y to')]]));
    const scale = {domain: [0, most], nice: false};
    return view.spec(380, {
      layer: [
        {
          mark: {type: 'rect'},
          encoding: {
            x: view.number('x from', {title: x, scale}),
            x2: {field: view.field('x to')},
            y: view.number('y from', {title: y, scale}),
            y2: {field: view.field('y to')},
            color: view.number('bins', {
              scale: {type: 'log', scheme: view.look.night ? 'viridis' : 'blues'},
              legend: {direction: 'horizontal', gradientLength: Math.min(200, view.width / 2), tickCount: 3}
            }),
            tooltip: view.tooltip()
          }
        },
        view.line([0, 0], [most, most])
      ]
    });
  },

  // What each base contributes: a bar, and its letter where there is room.
  letters(view) {
    const output = view.choice.output ?? view.section.columns[4], field = view.field(output);
    const title = `${view.options.y}: ${output}`;
    const colours = {A: '#009e73', C: '#0072b2', G: '#b77f00', T: '#d55e00', N: '#888888'};
    const [start, end] = extent(view.values.map((row) => row.c1));
    // the first and the last base, from 1
    const shown = view.choice.range ?? [start + 1, end + 1], room = (view.width - 70) / (shown[1] - shown[0] + 1);
    const rows = view.values.filter((row) => row.c1 >= shown[0] - 1 && row.c1 < shown[1] && row[field] !== null);
    const x = {
      field: 'place',
      type: 'quantitative',
      title: `position on ${view.choice.contig ?? view.of('contig')[0]} (1-based, bp)`,
      scale: {domain: [shown[0] - 0.5, shown[1] + 0.5], nice: false},
      axis: {format: ',d', tickMinStep: 1, tickCount: view.width < 500 ? 3 : 6}
    };
    const y = {field: 'height', type: 'quantitative', title};
    const color = {
      field: 'base',
      type: 'nominal',
      scale: {domain: Object.keys(colours), range: Object.values(colours)},
      legend: {title: null, direction: 'horizontal'}
    };
    const tooltip = [{field: 'base'}, {field: 'place', title: 'position', format: ',d'}, {field: 'height', title}];
    const letter = (up) => ({
      transform: [{filter: up ? 'datum.height >= 0' : 'datum.height < 0'}],
      mark: {type: 'text', baseline: up ? 'bottom' : 'top', dy: up ? -1 : 1, fontSize: Math.min(13, 1.2 * room), fontWeight: 700},
      encoding: {x, y, text: {field: 'base'}, color}
    });
    return {
      ...view.spec(240, {
        layer: [
          {mark: {type: 'bar', size: Math.max(1, 0.8 * room), clip: true}, encoding: {x, y, color, tooltip}},
          ...(room > 6 ? [letter(true), letter(false)] : [])
        ]
      }),
      data: {values: rows.map((row) => ({base: row.c3, place: row.c1 + 1, height: row[field]}))}
    };
  }
};
