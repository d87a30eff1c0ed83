// Draws the report: the items of #data, each with its facts, its headline and its sections. A section is a table; the
// function in `pictures` under its kind makes a Vega-Lite specification of it. Texts that come from files go into the page
// by textContent only.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("report");

  // ---- The page's parts ----

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null) node.append(child);
    return node;
  }
  const unique = (values) => [...new Set(values)];
  const text = (value) =>
    value === null ? "–" : typeof value !== "number" ? String(value)
      : Number.isInteger(value) ? value.toLocaleString("en-US") : String(Number(value.toPrecision(4)));
  const interval = ([, value, low, high]) => text(value) + (low === null ? "" : ` [${text(low)}, ${text(high)}]`);
  let ids = 0;

  function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], {type}));
    element("a", {href: url, download: name.replace(/[^A-Za-z0-9.-]+/g, "_")}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  function csv(section) {
    const field = (value) => {
      const plain = value === null ? "" : String(value);
      return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    return [section.columns, ...section.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
  }

  // ---- Tables: sorted by a click on a column's name, filtered by what is typed ----

  const kRowsAtFirst = 100;
  function table(section, owner) {
    const numeric = section.columns.map((_, i) => section.rows.some((row) => typeof row[i] === "number"));
    let sorted = {column: -1, sign: 1}, wanted = "", all = false;
    const body = element("tbody"), count = element("span", {class: "muted", role: "status"});
    const more = element("button", {type: "button", onclick: () => { all = true; fill(); }}, "Show all rows");
    const heads = section.columns.map((name, i) =>
      element("th", {scope: "col", class: numeric[i] ? "number" : ""},
        element("button", {type: "button", onclick: () => {
          sorted = {column: i, sign: sorted.column === i ? -sorted.sign : numeric[i] ? -1 : 1};
          heads.forEach((head, k) => head.setAttribute("aria-sort", k !== i ? "none" : sorted.sign > 0 ? "ascending" : "descending"));
          fill();
        }}, name)));
    function fill() {
      let rows = section.rows;
      if (wanted) rows = rows.filter((row) => row.some((value) => String(value).toLowerCase().includes(wanted)));
      if (sorted.column >= 0) {
        const key = (row) => row[sorted.column];
        rows = [...rows].sort((a, b) => (key(a) === null) - (key(b) === null) ||
          sorted.sign * (numeric[sorted.column] ? key(a) - key(b) : String(key(a)).localeCompare(String(key(b)), "en")));
      }
      const shown = all ? rows : rows.slice(0, kRowsAtFirst);
      body.replaceChildren(...shown.map((row) =>
        element("tr", {}, row.map((value, i) => element("td", {class: numeric[i] ? "number" : ""}, text(value))))));
      count.textContent = shown.length < rows.length ? `${shown.length} of ${text(rows.length)} rows` : `${text(rows.length)} rows`;
      more.hidden = shown.length === rows.length;
    }
    fill();
    const filter = element("input", {type: "search", oninput: (event) => { wanted = event.target.value.toLowerCase(); fill(); }});
    return element("div", {},
      element("div", {class: "controls"}, element("label", {}, "Find", filter), count, more),
      element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Table of ${owner}: ${section.title}`},
        element("table", {}, element("thead", {}, element("tr", {}, heads)), body)));
  }

  // ---- Pictures ----

  const dark = matchMedia("(prefers-color-scheme: dark)");
  function theme() {
    const print = matchMedia("print").matches, night = dark.matches && !print;
    const ink = night ? "#e6edf3" : "#1b1f24", line = night ? "#3d444d" : "#d0d7de", muted = night ? "#a0aab4" : "#57606a";
    // Okabe and Ito's colours, which colour-blind readers can tell apart, those that show on the background first
    const category = night ? ["#56b4e9", "#e69f00", "#2fc7a0", "#e29ac6", "#f0e442", "#ff8a4c", "#9aa7ff", "#bbbbbb"]
      : ["#0072b2", "#d55e00", "#008060", "#b2548b", "#b77f00", "#2b8cc4", "#5b4ba8", "#555555"];
    return {
      ink, line, muted, category,
      config: {
        background: "transparent", aria: false, view: {stroke: line}, range: {category},
        font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
        axis: {labelColor: ink, titleColor: ink, gridColor: line, gridOpacity: 0.6, domainColor: muted, tickColor: muted,
          labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, labelLimit: 150},
        legend: {labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, orient: "bottom",
          direction: "vertical", labelLimit: 0, symbolStrokeWidth: 2, symbolSize: 90,
          symbolBaseFillColor: muted, symbolBaseStrokeColor: muted},
        axisQuantitative: {labelOverlap: "greedy", labelSeparation: 8},
        header: {labelColor: ink, titleColor: ink, labelFontSize: 12}, text: {color: ink}, line: {strokeWidth: 2},
      },
    };
  }

  // What a picture gets: the rows that are chosen, as objects with keys c0, c1 ..., since names of columns may hold
  // characters that Vega reads as paths.
  class View {
    constructor(section, rows, width, choice) {
      this.section = section, this.options = section.options, this.width = width, this.choice = choice;
      this.look = theme();
      this.values = rows.map((row, i) => Object.fromEntries([["i", i], ...row.map((value, k) => [`c${k}`, value])]));
    }
    at(name) { return this.section.columns.indexOf(name); }
    field(name) { return `c${this.at(name)}`; }
    of(name) { return unique(this.values.map((row) => row[this.field(name)])); }
    number(name, more = {}) { return {field: this.field(name), type: "quantitative", title: name, ...more}; }
    word(name, more = {}) { return {field: this.field(name), type: "nominal", title: name, sort: null, ...more}; }
    // Colour and shape of the values of a field, with one legend.
    channels(field, names) {
      const legend = names.length > 1 ? {title: null, columns: this.width < 500 || names.length < 3 ? 1 : 2} : null;
      const channel = (range) => ({field, type: "nominal", title: null, sort: null, legend, scale: {domain: names, range: names.map((_, i) => range[i % range.length])}});
      return {color: channel(this.look.category), shape: channel(["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"])};
    }
    legend(name) { return this.channels(this.field(name), this.of(name)).color; }
    shape(name) { return this.channels(this.field(name), this.of(name)).shape; }
    tooltip(names = this.section.columns) {
      return names.map((name) => ({field: this.field(name), title: name, type: this.values.some((row) => typeof row[this.field(name)] === "number") ? "quantitative" : "nominal"}));
    }
    line(from, to, more = {}) {  // a reference
      return {data: {values: [{x: from[0], y: from[1]}, {x: to[0], y: to[1]}]},
        mark: {type: "line", strokeDash: [5, 4], color: this.look.muted, strokeWidth: 1.5, ...more},
        encoding: {x: {field: "x", type: "quantitative"}, y: {field: "y", type: "quantitative"}}};
    }
    spec(height, parts) {
      return {width: this.width, height, autosize: {type: typeof height === "number" ? "fit" : "fit-x", contains: "padding"}, data: {values: this.values}, ...parts};
    }
  }

  const zoom = (encodings) => [{name: "zoom", select: {type: "interval", encodings}, bind: "scales"}];

  const pictures = {
    lines(view) {
      const {x, y, series, unit, kept} = view.options;
      const heights = view.values.map((row) => row[view.field(y)]), flat = Math.min(...heights) === Math.max(...heights);
      const scale = unit ? {domain: [0, 1], nice: false} : flat ? {domain: [heights[0] - 0.05, heights[0] + 0.05]} : {zero: false};
      const axis = unit ? {values: [0, 0.2, 0.4, 0.6, 0.8, 1]} : {};
      const baseline = view.at("baseline") >= 0 ? `datum.${view.field("baseline")} == 1` : "false";
      const flag = view.at("at the threshold") >= 0 ? `datum.${view.field("at the threshold")} == 1` : "false";
      const curves = `!(${baseline}) && !(${flag})`;
      const few = view.values.length / Math.max(1, view.of(series).length) < 30 && !unit;
      const encoding = {x: view.number(x, {axis, scale: unit ? scale : {zero: false, nice: false}}), y: view.number(y, {axis, scale}), color: view.legend(series)};
      const names = view.of(series);  // what lies below is broader, so that equal curves both show
      const strokeWidth = {field: view.field(series), type: "ordinal", sort: null, scale: {type: "ordinal", domain: names, range: names.map((_, k) => k ? 1.8 : 4)}, legend: encoding.color.legend};
      const layer = [{transform: [{filter: curves}], mark: {type: "line", clip: !unit, point: few ? {filled: true, size: 45} : false},
        encoding: {...encoding, strokeWidth, order: {field: "i", type: "quantitative"}}},
      {transform: [{filter: curves}], mark: {type: "point", size: 120, opacity: 0}, encoding: {...encoding, tooltip: view.tooltip()}},
      {transform: [{filter: flag}], mark: {type: "point", filled: true, size: 110, stroke: view.look.ink, strokeWidth: 1}, encoding: {...encoding, tooltip: view.tooltip()}},
      {transform: [{filter: baseline}, {aggregate: [{op: "max", field: view.field(y), as: view.field(y)}], groupby: [view.field(series)]}],
        mark: {type: "rule", strokeDash: [6, 4], strokeWidth: 2}, encoding: {y: encoding.y, color: encoding.color, tooltip: view.tooltip([series, y])}}];
      if (view.options.diagonal) layer.unshift(view.line([0, 0], [1, 1]));
      if (view.options.null) {
        const level = view.options.null[view.choice.output ?? Object.keys(view.options.null)[0]];
        if (level !== undefined) layer.unshift(view.line([0, level], [1, level]));
      }
      if (kept !== undefined)
        layer.push({data: {values: [{x: kept}]}, layer: [
          {mark: {type: "rule", color: view.look.ink, strokeDash: [2, 3]}, encoding: {x: {field: "x", type: "quantitative"}}},
          {mark: {type: "text", align: "right", baseline: "top", dx: -5, dy: 5, text: "kept step", color: view.look.ink}, encoding: {x: {field: "x", type: "quantitative"}, y: {value: 0}}}]});
      return view.spec((unit ? 300 : view.options.small ? 160 : 240) + 20 * Math.ceil(names.length / (view.width < 500 ? 1 : 2)), {layer});
    },

    intervals(view) {
      const level = view.options.null, title = view.choice.metric ?? view.options.x ?? "value";
      const ends = view.values.flatMap((row) => ["value", "low", "high"].map((name) => row[view.field(name)])).concat(level).filter((end) => typeof end === "number");
      const least = Math.min(...ends), most = Math.max(...ends), margin = 0.06 * (most - least) || 0.05;
      const scale = {domain: [least - margin, most + margin], nice: true};
      const y = view.word("method", {title: null, axis: {labelLimit: view.width / 2.5}});
      const x = view.number("value", {title, scale});
      const layer = [{mark: {type: "rule", strokeWidth: 3, opacity: 0.7}, encoding: {y, x: view.number("low", {title, scale}), x2: {field: view.field("high")}, color: {value: view.look.category[0]}}},
        {mark: {type: "point", filled: true, size: 90, opacity: 1, color: view.look.category[0]}, encoding: {y, x, tooltip: view.tooltip()}},
        {mark: {type: "text", dy: -11, fontSize: 11}, encoding: {y, x, text: {field: view.field("value"), type: "quantitative", format: ".3~f"}}}];
      if (typeof level === "number")
        layer.unshift({data: {values: [{x: level}]}, mark: {type: "rule", strokeDash: [5, 4], color: view.look.muted}, encoding: {x: {field: "x", type: "quantitative", title, scale}}});
      return view.spec({step: 34}, {layer});
    },

    calibration(view) {
      const scale = {domain: [0, 1], nice: false};
      const x = view.number("mean probability", {scale, axis: {values: [0, 0.2, 0.4, 0.6, 0.8, 1]}}), color = view.legend("method");
      const share = view.number("share of positives", {scale});
      return view.spec(340 + 20 * view.of("method").length / 2, {layer: [view.line([0, 0], [1, 1]),
        {mark: {type: "rule", opacity: 0.5}, encoding: {x, y: view.number("low", {scale, title: "share of positives"}), y2: {field: view.field("high")}, color}},
        {mark: {type: "line", strokeWidth: 1, opacity: 0.6}, encoding: {x, y: share, color}},
        {mark: {type: "point", filled: true, opacity: 0.85}, encoding: {x, y: share, color, shape: view.shape("method"),
          size: view.number("rows", {scale: {range: [30, 500]}, legend: {direction: "horizontal", title: "rows", tickCount: 3}}), tooltip: view.tooltip()}}]});
    },

    matrix(view) {
      const x = view.word("called", {axis: {labelAngle: 0, orient: "top", labelLimit: 90}}), y = view.word("truth");
      const share = "share of the truth's rows", few = view.of("truth").length < 9;
      const ink = {condition: {test: `datum.${view.field(share)} > 0.55`, value: "#ffffff"}, value: "#111111"};
      const layer = [{mark: {type: "rect", stroke: view.look.line}, encoding: {x, y, tooltip: view.tooltip(),
        color: view.number(share, {scale: {scheme: "blues", domain: [0, 1]}, legend: {direction: "horizontal", format: ".0%", gradientLength: Math.min(200, view.width / 2)}})}}];
      if (few)
        layer.push({mark: {type: "text", fontSize: 15, fontWeight: 600, dy: -7}, encoding: {x, y, text: {field: view.field("rows"), format: ",d"}, color: ink}},
          {mark: {type: "text", fontSize: 12, dy: 11}, encoding: {x, y, text: {field: view.field(share), format: ".1%"}, color: ink}});
      return view.spec(few ? 90 + 70 * view.of("truth").length : 420, {layer});
    },

    features(view) {
      const columns = view.section.columns, chosen = view.options.values.filter(([, metric]) => metric === view.choice.metric || view.choice.metric === undefined);
      const methods = unique(chosen.map(([, , method]) => method)), grouped = columns.includes("group"), seen = new Map();
      const rows = view.values.flatMap((row) => {
        const cell = columns[1] === "cell" && row.c1 !== "-" ? ` (${row.c1})` : "";
        const count = (seen.get(row.c0 + cell) ?? 0) + 1;
        seen.set(row.c0 + cell, count);
        return chosen.map(([column, metric, method]) => ({label: row.c0 + cell + (count > 1 ? ` ${count}` : ""), metric, method, value: row[`c${column}`],
          group: grouped ? row[view.field("group")] : "", positives: row[view.field("positives")]}));
      }).filter((row) => row.value !== null);
      const order = rows.filter((row) => row.method === methods[0]).sort((a, b) => b.value - a.value).map((row) => row.label);
      const tooltip = ["label", "group", "positives", "method", "value"].filter((name) => rows.some((row) => row[name] !== "" && row[name] !== undefined)).map((field) => ({field, title: field === "label" ? "name" : field}));
      const y = {field: "value", type: "quantitative", title: view.choice.metric ?? chosen[0][1], scale: {zero: false}};
      if (order.length <= 60)
        return {...view.spec({step: order.length < 15 ? 28 : 17}, {mark: {type: "point", filled: true, size: 70, opacity: 0.9}, encoding: {
          y: {field: "label", type: "nominal", sort: order, title: null, axis: {grid: true, labelLimit: view.width / 2.6}}, x: y,
          ...view.channels("method", methods), tooltip}}), data: {values: rows}};
      const rank = new Map(order.map((label, i) => [label, i + 1])), shown = rows.filter((row) => row.method === (view.choice.method ?? methods[0]));
      return {...view.spec(380, {params: zoom(["x", "y"]), mark: {type: "point", filled: true, size: 40, opacity: 0.75, clip: true}, encoding: {
        x: {field: "rank", type: "quantitative", title: `features from the highest to the lowest${methods[0] ? ` (${methods[0]})` : ""}`, scale: {zero: false, nice: false}}, y,
        ...view.channels("group", unique(rows.map((row) => row.group))), tooltip}}), data: {values: shown.map((row) => ({...row, rank: rank.get(row.label)}))}};
    },

    scatter(view) {
      const {x, y} = view.options, values = view.values.flatMap((row) => [row[view.field(x)], row[view.field(y)]]);
      const low = Math.min(...values), high = Math.max(...values);
      return view.spec(360, {layer: [view.line([low, low], [high, high]),
        {mark: {type: "point", filled: true, size: 35, opacity: 0.5, color: view.look.category[0]},
          encoding: {x: view.number(x, {scale: {zero: false}}), y: view.number(y, {scale: {zero: false}}), tooltip: view.tooltip()}}]});
    },

    histogram(view) {
      const color = view.word("label", {scale: {range: view.look.category}, legend: view.of("label").length > 1 ? {title: view.options.colour ?? "label", direction: "horizontal"} : null});
      return view.spec(260, {mark: {type: "rect", opacity: 0.55, strokeWidth: 1}, encoding: {
        x: view.number("from", {title: view.options.x, scale: view.options.unit ? {domain: [0, 1]} : {zero: false}, axis: view.options.unit ? {values: [0, 0.2, 0.4, 0.6, 0.8, 1]} : {}}), x2: {field: view.field("to")}, y: view.number("share", {title: "share of rows", axis: {format: "%"}}), y2: {datum: 0},
        color, stroke: color, tooltip: view.tooltip()}});
    },

    bars(view) {
      const {y, x, colour} = view.options;
      return view.spec({step: 24}, {mark: {type: "bar"}, encoding: {
        y: view.word(y, {title: null, sort: null, axis: {labelLimit: view.width / 2.5}}), x: view.number(x, {stack: true}),
        color: colour ? view.legend(colour) : {value: view.look.category[0]}, tooltip: view.tooltip()}});
    },

    tracks(view) {
      const outputs = view.section.columns.slice(3), all = view.choice.output === kAll;
      const shown = all ? outputs.slice(0, 8) : [view.choice.output ?? outputs[0]];
      const rows = [];
      for (const name of shown)
        for (const row of view.values)
          rows.push({start: row.c1, end: row.c2, value: row[view.field(name)], name, contig: row.c0});
      const x = {field: "start", type: "quantitative", title: `position on ${view.choice.contig ?? view.of("contig")[0]} (bp)`, scale: {nice: false, ...(view.choice.range ? {domain: view.choice.range} : {zero: false})}, axis: {format: ",d", tickCount: view.width < 500 ? 3 : 6}};
      const track = {width: view.width - 70, height: all ? 60 : 200, params: zoom(["x"]),
        mark: {type: "rect", clip: true, color: view.look.category[0], stroke: view.look.category[0], strokeWidth: 0.6},
        encoding: {x, x2: {field: "end"}, y: {field: "value", type: "quantitative", title: all ? null : shown[0], scale: {zero: true}, axis: {tickCount: all ? 2 : 5}}, y2: {datum: 0},
          tooltip: [{field: "name", title: "output"}, {field: "contig"}, {field: "start", type: "quantitative", format: ",d"}, {field: "end", type: "quantitative", format: ",d"}, {field: "value", type: "quantitative"}]}};
      if (!all) return {data: {values: rows}, autosize: {type: "pad"}, ...track};
      return {data: {values: rows}, facet: {row: {field: "name", type: "nominal", sort: shown, title: null, header: {labelAngle: 0, labelAlign: "left", labelOrient: "top", labelAnchor: "start"}}}, spacing: 8, spec: track, resolve: {scale: {y: "independent"}}};
    },

    regions(view) {
      const lengths = Object.entries(view.options.lengths ?? {}).map(([contig, length]) => ({contig, length}));
      const extent = new Map(lengths.map(({contig, length}) => [contig, length]));
      for (const row of view.values) extent.set(row.c0, Math.max(extent.get(row.c0) ?? 0, row.c2));
      const contigs = [...extent].sort((a, b) => b[1] - a[1]).slice(0, 40).map(([name]) => name);
      view.values = view.values.filter((row) => contigs.includes(row.c0));
      const y = {type: "nominal", sort: contigs, title: null};
      return view.spec({step: 24}, {layer: [
        {data: {values: lengths.filter(({contig}) => contigs.includes(contig))}, mark: {type: "bar", color: view.look.line, height: 6}, encoding: {y: {...y, field: "contig"}, x: {field: "length", type: "quantitative"}}},
        {mark: {type: "bar", height: 16}, encoding: {y: {...y, field: "c0"}, x: view.number("start", {title: "position (bp)", axis: {format: "~s"}, stack: null}), x2: {field: "c2"}, color: view.legend("part"), tooltip: view.tooltip()}}]});
    },

    volcano(view) {
      const {effect, percentiles} = view.options, size = view.field(effect);
      for (const row of view.values) {
        row.direction = row[size] > 0 ? "raises" : "lowers";
        row.rarity = -Math.log10(1 - Math.min(row[view.field("percentile")], 99.99) / 100);
      }
      const color = {field: "direction", type: "nominal", title: null, scale: {domain: ["raises", "lowers"], range: view.look.category}, legend: {title: null, direction: "horizontal"}};
      const shape = {field: "direction", type: "nominal", title: null, scale: {domain: ["raises", "lowers"], range: ["triangle-up", "triangle-down"]}, legend: {direction: "horizontal", title: null}};
      const x = percentiles ? view.number(effect) : view.number("position", {title: `position on ${view.choice.contig ?? view.of("contig")[0]} (bp)`, scale: {zero: false}, axis: {format: ",d", tickCount: view.width < 500 ? 3 : 6}});
      const y = percentiles ? {field: "rarity", type: "quantitative", title: "-log10 (1 - percentile / 100)"} : view.number(effect);
      return view.spec(400, {params: zoom(["x", "y"]), mark: {type: "point", filled: true, size: 55, opacity: 0.7, clip: true}, encoding: {x, y, color, shape, tooltip: view.tooltip()}});
    },
  };

  const quiet = vega.logger(vega.Error);  // it warns wherever a height follows from the number of rows

  // A tooltip of the page's own, by textContent.
  const tip = element("div", {id: "tip", hidden: true, "aria-hidden": "true"});
  function showTip(_, event, __, value) {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    tip.replaceChildren(...(typeof value === "object" ? Object.entries(value) : [["", value]]).map(([key, content]) =>
      element("div", {}, key ? element("b", {}, `${key}: `) : null, String(content))));
    const {width, height} = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${event.clientY + height + 20 > innerHeight ? event.clientY - height - 10 : event.clientY + 14}px`;
  }

  // ---- Figures: a picture with what chooses its rows, its table and its downloads ----

  const kAll = "all", figures = [];
  const kWide = new Set(["tracks", "volcano", "features", "regions"]);

  // The columns by which rows are chosen, each with its values and whether all together can be shown.
  function choicesOf(section) {
    const values = (name) => unique(section.rows.map((row) => row[section.columns.indexOf(name)]));
    const choices = (section.options.filter ?? []).map((name) => ({name, values: values(name), all: false}));
    if (section.kind === "tracks") {
      choices.push({name: "contig", values: values("contig"), all: false});
      choices.push({name: "output", values: section.columns.slice(3), all: section.columns.length > 4, column: false});
    }
    if (section.kind === "volcano" && !section.options.percentiles) choices.push({name: "contig", values: values("contig"), all: false});
    if (section.kind === "features") {
      const of = (place) => unique(section.options.values.map((each) => each[place]));
      choices.push({name: "metric", values: of(1), all: false, column: false});
      if (section.rows.length > 60) choices.push({name: "method", values: of(2), all: false, column: false});
      if (section.columns.includes("group")) choices.push({name: "group", values: values("group"), all: true});
    }
    return choices.filter((choice) => choice.values.length > 1);
  }

  // By keyboard: a region, and buttons that move and zoom.
  function regionControls(section, choice, shown) {
    const extent = () => {
      const rows = section.rows.filter((row) => choice.contig === undefined || row[0] === choice.contig);
      return [Math.min(...rows.map((row) => row[1])), Math.max(...rows.map((row) => row[2]))];
    };
    const input = element("input", {type: "text", size: 24, placeholder: "start-end, in bp", onchange: () => {
      const ends = input.value.replaceAll(",", "").match(/^\s*(?:[^:]*:)?(\d+)\s*-\s*(\d+)\s*$/);
      go(ends && Number(ends[1]) < Number(ends[2]) ? [Number(ends[1]), Number(ends[2])] : undefined);
    }});
    function go(range) {
      choice.range = range && [Math.round(range[0]), Math.round(range[1])];
      input.value = choice.range ? choice.range.map((end) => end.toLocaleString("en-US")).join("-") : "";
      shown.draw();
    }
    const change = (name, move, size) => element("button", {type: "button", onclick: () => {
      const [start, end] = choice.range ?? extent(), length = end - start, middle = (start + end) / 2 + move * length;
      go([middle - size * length / 2, middle + size * length / 2]);
    }}, name);
    return element("div", {class: "controls"}, element("label", {}, "region", input), change("Zoom in", 0, 0.5), change("Zoom out", 0, 2),
      change("Left", -0.5, 1), change("Right", 0.5, 1), element("button", {type: "button", onclick: () => go(undefined)}, "All"));
  }

  function figure(section, owner) {
    const title = `title-${++ids}`;
    const parts = [element("h3", {id: title}, section.title)];
    const draw = pictures[section.kind];
    const buttons = element("div", {class: "controls"},
      element("button", {type: "button", onclick: () => save(`${owner}-${section.title}.csv`, "text/csv", csv(section))}, "Table as CSV"));
    const details = element("details", {open: draw === undefined}, element("summary", {}, "Table"));
    const fill = () => { if (details.open && details.children.length === 1) details.append(table(section, owner)); };
    details.addEventListener("toggle", fill);
    fill();
    if (draw) {
      const canvas = element("div", {"aria-hidden": "true"});  // the picture's text is its label and its table
      const plot = element("div", {class: "plot", role: "img", "aria-label": `${section.title}: a picture of the table below.`}, canvas);
      const choice = {};
      const chosen = choicesOf(section);
      for (const {name, values, all} of chosen)
        choice[name] = values.includes(section.options.first) ? section.options.first : all ? kAll : values.includes("all") ? "all" : values[0];
      const shown = {plot, async draw() {
        const rows = section.rows.filter((row) => chosen.every(({name, column}) =>
          column === false || choice[name] === kAll && chosen.find((each) => each.name === name).all || String(row[section.columns.indexOf(name)]) === String(choice[name])));
        const width = Math.max(240, plot.clientWidth);
        this.view?.finalize();
        if (rows.length === 0) return canvas.replaceChildren("No row has values for this choice.");
        const view = new View(section, rows, width, choice);
        const spec = draw(view);
        this.view = new vega.View(vega.parse(vegaLite.compile(spec, {config: view.look.config, logger: quiet}).spec), {renderer: "svg", container: canvas, hover: true});
        this.view.tooltip(showTip);
        this.width = width;
        return this.view.runAsync();
      }};
      if (chosen.length)
        parts.push(element("div", {class: "controls"}, chosen.map(({name, values, all}) =>
          element("label", {}, name, element("select", {onchange: (event) => {
            choice[name] = event.target.value;
            if (name === "contig") delete choice.range;
            shown.draw();
          }},
            [...(all ? [kAll] : []), ...values].map((value) => element("option", {value, selected: String(value) === String(choice[name])}, String(value))))))));
      if (section.kind === "tracks") parts.push(regionControls(section, choice, shown));
      parts.push(plot);
      buttons.append(element("button", {type: "button", onclick: async () => save(`${owner}-${section.title}.svg`, "image/svg+xml", await shown.view.toSVG())}, "Picture as SVG"));
      figures.push(shown);
    }
    if (section.note) parts.push(element("figcaption", {}, section.note));
    parts.push(buttons, details);
    return element("figure", {"aria-labelledby": title, class: kWide.has(section.kind) ? "wide" : ""}, parts);
  }

  // ---- Items ----

  const kOrigin = {bigdna_version: "Version", bigdna_command: "Command", Rows: "Rows", "Alleles with a score": "Alleles with a score"};  // what the first screen says of every item
  const kMethods = {bigdna: "the model", kmers: "k-mers alone", encoder: "without k-mers", bases: "the convolution over bases alone", cnn: "the convolution over bases alone", constant: "a constant answer"};
  const methodName = (name) => kMethods[name] ?? name;
  const factName = (key) => kOrigin[key] ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

  function headline(item) {
    const {title, rows, null: level, lower_is_better} = item.headline;
    const [first, ...others] = rows;
    const parts = [element("p", {class: "muted"}, title + (lower_is_better ? " (lower is better)" : "")),
      element("p", {class: "figure-value"}, text(first[1])),
      element("p", {class: "muted"}, first[2] === null ? `${methodName(first[0])}; no interval was measured` : `${methodName(first[0])}, 95 % interval ${text(first[2])} to ${text(first[3])}`)];
    const list = others.map((row) => element("li", {}, `${methodName(row[0])}: ${interval(row)}`));
    if (level !== null) list.push(element("li", {}, `what a model that knows nothing reaches (the null): ${text(level)}`));
    parts.push(element("ul", {}, list));
    return parts;
  }

  function card(item, id) {
    const facts = (entries) => element("table", {class: "facts"}, element("tbody", {}, entries.map(([key, value]) =>
      element("tr", {}, element("th", {scope: "row"}, factName(key)), element("td", {}, value)))));
    const rest = item.facts.filter(([key]) => !(key in kOrigin));
    return element("section", {class: "card", "aria-labelledby": id}, element("h2", {id, class: "small"}, item.name), element("p", {class: "muted"}, item.what),
      item.headline ? headline(item) : null, facts(item.facts.filter(([key]) => key in kOrigin)),
      rest.length === 0 ? null : element("details", {open: report.items.length === 1}, element("summary", {}, "Details"),
        element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Details of ${item.name}`}, facts(rest))));
  }

  // Sections that several items have, in one picture: of each item what comes first, the model.
  function sideBySide() {
    const sections = [];
    const heads = report.items.filter((item) => item.headline);
    for (const title of unique(heads.map((item) => item.headline.title))) {
      const same = heads.filter((item) => item.headline.title === title);
      if (same.length > 1)
        sections.push({kind: "intervals", title, note: "Dashed: what a model that knows nothing reaches. Bars are 95 % intervals.", columns: ["method", "value", "low", "high"],
          rows: same.flatMap((item) => item.headline.rows.map(([name, ...values]) => [`${item.name}: ${name}`, ...values])), options: {null: same[0].headline.null}});
    }
    const key = (section) => JSON.stringify([section.kind, section.title, section.columns, section.options.y]);
    const all = report.items.flatMap((item) => item.sections.filter((section) => section.kind === "lines").map((section) => ({item, section})));
    for (const each of unique(all.map(({section}) => key(section)))) {
      const same = all.filter(({section}) => key(section) === each);
      if (same.length < 2 || same.some(({section}) => section.options.filter?.length)) continue;
      const {section} = same[0], place = section.columns.indexOf(section.options.series), baseline = section.columns.indexOf("baseline");
      const rows = same.flatMap(({item, section: {rows}}) => rows.filter((row) => row[place] === rows[0][place] && !(baseline >= 0 && row[baseline]))
        .map((row) => row.map((value, i) => i === place ? `${item.name}: ${value}` : value)));
      const {kept, ...options} = section.options;
      sections.push({...section, rows, options});
    }
    return sections;
  }

  const names = report.items.map((item) => item.name);
  document.title = `bigdna report: ${names.join(", ")}`;
  main.append(element("header", {}, element("h1", {}, document.title),
    element("p", {class: "muted"}, `Made by bigdna ${report.version}: ${report.command}`)));
  if (report.items.length > 1)
    main.append(element("nav", {"aria-label": "Contents"}, element("ul", {}, report.items.map((item, i) => element("li", {}, element("a", {href: `#item-${i}`}, item.name))))));
  main.append(element("div", {class: "grid"}, report.items.map((item, i) => card(item, `card-${i}`))));
  const together = report.items.length > 1 ? sideBySide() : [];
  if (together.length) main.append(element("h2", {}, "Side by side"), element("div", {class: "grid"}, together.map((section) => figure(section, "side-by-side"))));
  report.items.forEach((item, i) => {
    if (!item.sections.length) return;
    main.append(element("h2", {id: `item-${i}`}, `${item.name}: ${item.what}`), element("div", {class: "grid"}, item.sections.map((section) => figure(section, item.name))));
  });
  document.body.append(tip);

  async function drawAll() {
    for (const shown of figures) await shown.draw();
    document.documentElement.dataset.drawn = "all";  // tests wait for it
  }
  dark.addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", drawAll);
  let resized = 0;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => figures.filter((shown) => shown.plot.clientWidth !== shown.width).forEach((shown) => shown.draw()), 150);
  });
  drawAll();
})();
