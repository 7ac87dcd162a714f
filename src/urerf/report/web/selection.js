// A selection of rows, by lasso, box, search or cluster: what marks it, isolate, save as CSV.
const MOST_MARKS = 5;
const SMALLEST_EFFECT = 0.3;  // below it, the rows and all others overlap by more than two thirds
const STANDARD_ERRORS = 3;  // of an effect by chance: 1 in 400 columns

class SelectionBox {
  constructor(explorer) {
    this.explorer = explorer;
    this.box = byId("selection");
  }

  show() {
    const {explorer, box} = this;
    const {state, data} = explorer;
    box.hidden = !state.picked;
    if (!state.picked) return;
    const rows = pickedRows(state.picked);
    const isolate = () => explorer.isolate(!state.isolated);
    const share = percent(rows.length / data.n);
    box.replaceChildren(
      element("h3", {text: `${counted(rows.length, "row")} selected (${share})`}),
      element("p", {class: "quiet", text: state.pickedBy}),
      this.marks(rows),
      element("div", {class: "buttons"},
        element("button", {
          type: "button", id: "isolate", on: isolate, "aria-pressed": String(state.isolated),
          text: "Isolate",
        }),
        element("button", {
          type: "button", id: "save-csv", on: () => saveCsv(data, rows), text: "Save as CSV",
        }),
        element("button", {
          type: "button", id: "clear", on: () => explorer.pick(null), text: "Clear",
        })));
  }

  // The columns in which the rows differ most from all others.
  marks(rows) {
    const {data, state} = this.explorer;
    const others = [];
    state.picked.forEach((one, i) => { if (!one) others.push(i); });
    const [inside, outside] = [thinned(rows), thinned(others)];
    const found = data.meta.columns.map((_, c) => contrast(data, c, inside, outside));
    const error = Math.sqrt((1 / rows.length + 1 / Math.max(others.length, 1)) / 3);
    const least = Math.max(SMALLEST_EFFECT, STANDARD_ERRORS * error);
    const strong = found.filter(mark => mark.effect >= least);
    strong.sort((a, b) => b.effect - a.effect);
    if (rows.length === data.n || !strong.length) return element("span");
    const items = strong.slice(0, MOST_MARKS).map(mark => {
      return element("li", {}, element("b", {text: mark.name}), ` ${mark.text}`);
    });
    const text = "Most different from all other rows (median or share):";
    return element("div", {}, element("p", {class: "quiet", text}),
      element("ul", {class: "marks"}, ...items));
  }
}

const pickedRows = picked => {
  const rows = [];
  picked.forEach((one, i) => { if (one) rows.push(i); });
  return rows;
};

// At most SAMPLED of the rows, evenly spaced.
const thinned = rows => sampledRows(rows.length).map(i => rows[i]);

// How a column differs between rows and other rows, by the effect of markers.py.
function contrast(data, c, rows, others) {
  const {name, levels, kind} = data.meta.columns[c];
  const present = some => some.map(i => data.values[c][i]).filter(Number.isFinite);
  const inside = present(rows);
  const outside = present(others);
  if (!inside.length || !outside.length) return {name, effect: 0};
  if (kind === "category") {
    const share = (values, level) => values.filter(one => one === level).length / values.length;
    const marks = levels.map((level, code) => {
      const [here, there] = [share(inside, code), share(outside, code)];
      const text = `${level}: ${percent(here)} (others ${percent(there)})`;
      return {name, effect: here - there, text};
    });
    return marks.reduce((best, mark) => mark.effect > best.effect ? mark : best);
  }
  const sorted = Float64Array.from(outside).sort();
  const ranks = inside.map(value => midrank(sorted, value));
  const effect = 2 * ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length - 1;
  const median = values => data.text(values[values.length >> 1], levels, kind);
  const text = `${median(Float64Array.from(inside).sort())} (others ${median(sorted)})`;
  return {name, effect: Math.abs(effect), text};
}

// The rows as comma-separated values: name, label, cluster, and the columns of the page.
function asCsv(data, rows) {
  const quote = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const cell = (value, levels, kind) => {
    if (!Number.isFinite(value)) return "";
    const isText = levels || isTime({kind});
    if (isText) return data.text(value, levels, kind);
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(7)));
  };
  const {meta} = data;
  const head = ["row"];
  if (meta.label !== null) head.push(meta.label);
  if (meta.clusters.length) head.push("cluster");
  head.push(...meta.columns.map(column => column.name));
  const lines = [head];
  for (const i of rows) {
    const line = [data.name(i)];
    if (meta.label !== null) line.push(cell(data.label[i], meta.labels));
    if (meta.clusters.length) line.push(cell(data.cluster[i]));
    meta.columns.forEach(({levels, kind}, c) => line.push(cell(data.values[c][i], levels, kind)));
    lines.push(line);
  }
  return lines.map(line => line.map(quote).join(",")).join("\r\n") + "\r\n";
}

function saveCsv(data, rows) {
  download(new Blob([asCsv(data, rows)], {type: "text/csv"}), "selection.csv");
}

// Whether a place is inside a closed outline (an odd number of edges to its right).
function isInside([x, y], outline) {
  let inside = false;
  let [px, py] = outline[outline.length - 1];
  for (const [qx, qy] of outline) {
    if ((py > y) !== (qy > y) && x < px + (y - py) / (qy - py) * (qx - px)) inside = !inside;
    [px, py] = [qx, qy];
  }
  return inside;
}
