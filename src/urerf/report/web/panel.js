// The selected row: its values next to those of its neighbors, the columns in which they agree
// more than chance first, and how many of them share its label.
const MOST_COLUMNS = 30;
const MOST_LETTERS = 60;  // of a name above the table
const HEAD_LETTERS = 20;  // of the name of a column

class Panel {
  constructor(explorer) {
    this.explorer = explorer;
    this.box = byId("panel");
    this.method = "forest";
  }

  clear() {
    const text = "No row is selected. Click a point, or search for a row.";
    this.box.replaceChildren(element("p", {class: "quiet", text}));
  }

  show(row) {
    const {data} = this.explorer;
    const {meta} = data;
    this.row = row;
    this.box.replaceChildren(
      element("h3", {text: `Row ${data.name(row)}`, title: data.name(row)}),
      this.facts(row));
    if (meta.label !== null) this.box.append(this.sharing(row));
    if (data.euclidean) this.box.append(this.choice());
    this.box.append(this.table(row));
  }

  facts(row) {
    const {data} = this.explorer;
    const parts = [];
    if (data.meta.label !== null) {
      parts.push(`${shortName(data.meta.label, MOST_LETTERS)}: ${data.labelOf(row)}`);
    }
    const cluster = data.cluster[row];
    if (Number.isFinite(cluster)) parts.push(fittingName(data.clusterText(cluster), MOST_LETTERS));
    else if (data.meta.clusters.length) parts.push("in no cluster");
    const {components} = data.meta;
    if (components > 1) parts.push(`component ${data.component[row] + 1} of ${components}`);
    if (!parts.length) return element("span");
    return element("p", {class: "quiet", text: parts.join(" · ")});
  }

  // How many neighbors have the label of the row, if that says anything (see labels.py).
  sharing(row) {
    const {data} = this.explorer;
    const {meta, label} = data;
    const comparable = meta.labels && meta.labelChance !== null;
    if (!comparable || !Number.isFinite(label[row])) return element("span");
    const equal = rows => rows.filter(i => label[i] === label[row]).length;
    const forest = data.neighborsOf(row);
    const others = [];
    if (data.euclidean) others.push(`Euclidean ${equal(data.euclideanOf(row))}`);
    let equalRows = 0;
    for (const value of label) equalRows += value === label[row];
    // Neighbors without a label do not share it, and count here as they do above.
    const chance = (equalRows - 1) / Math.max(label.length - 1, 1) * meta.k;
    others.push(`chance ${chance.toFixed(1)}`);
    const name = shortName(meta.label, MOST_LETTERS);
    const text = `${equal(forest)} of ${meta.k} neighbors share ${name} “${data.labelOf(row)}”`;
    return element("p", {class: "sharing", text: `${text} (${others.join(", ")}).`});
  }

  // Which neighbors the table lists.
  choice() {
    const names = {forest: "◯ Forest", euclidean: "□ Euclidean"};
    const buttons = Object.entries(names).map(([method, text]) => element("button", {
      type: "button", id: `list-${method}`, text, "aria-pressed": String(this.method === method),
      on: () => {
        this.method = method;
        this.show(this.row);
        byId(`list-${method}`).focus();
      },
    }));
    return element("div", {class: "buttons switch", role: "group", "aria-label": "Neighbors"},
      ...buttons);
  }

  table(row) {
    const {data} = this.explorer;
    const isForest = this.method === "forest" || !data.euclidean;
    const rows = isForest ? data.neighborsOf(row) : data.euclideanOf(row);
    const both = new Set(isForest ? data.euclideanOf(row) : data.neighborsOf(row));
    const columns = agreements(data, row, rows);
    const shown = columns.slice(0, MOST_COLUMNS);
    const head = element("tr", {}, element("th", {scope: "col", text: "row"}));
    if (data.label) head.append(element("th", {scope: "col", text: data.meta.label}));
    if (isForest) head.append(element("th", {scope: "col", text: "distance"}));
    shown.forEach(one => head.append(this.heading(one)));
    const self = this.line(row, -1, shown, isForest, both);
    const body = element("tbody");
    rows.forEach((i, position) => body.append(this.line(i, position, shown, isForest, both)));
    const box = element("div", {}, element("div", {
      class: "scroll neighbors", tabindex: "0", role: "region", "aria-label": "Neighbors",
    }, element("table", {}, element("thead", {}, head, self), body)));
    box.append(element("p", {class: "quiet", text: this.explanation(columns, shown)}));
    return box;
  }

  explanation(columns, shown) {
    const {columns: all, columnsTotal, found} = this.explorer.data.meta;
    const telling = columns.filter(one => one.agrees).length;
    const parts = [];
    if (found) {
      const isAll = all.length === columnsTotal;
      const total = isAll ? counted(all.length, "column") : `the ${all.length} strongest columns`;
      let where = `more than chance in ${telling} of ${total}, which come first`;
      if (telling === 0) where = `no more than chance in any of ${total}`;
      if (telling === 1) where = `more than chance in 1 of ${total}, which comes first`;
      if (telling > 1 && telling === all.length) where = `more than chance in all ${total}`;
      parts.push(`The neighbors agree ${where}.`);
    } else {
      parts.push("The neighbors were chosen by these columns: their agreement means nothing.");
    }
    parts.push("Full bar: the closest rows there are; empty bar: like random rows.");
    parts.push("Darker cells are closer to the selected row.");
    if (this.explorer.data.euclidean) parts.push("Bold: neighbor by both methods.");
    if (columns.length > shown.length) parts.push(`The first ${shown.length} columns are shown.`);
    return parts.join(" ");
  }

  heading({column, share, agrees}) {
    const {name} = this.explorer.data.meta.columns[column];
    const bar = element("i");
    bar.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    const kind = agrees ? "agrees" : "chance";
    const text = agrees ? "more than chance" : "no more than chance";
    const title = `${name}: agreement ${share.toFixed(2)}, ${text}`;
    return element("th", {scope: "col", class: `value ${kind}`, title},
      element("span", {class: "name", text: shortName(name, HEAD_LETTERS)}),
      element("span", {class: "agreement", role: "img", "aria-label": title}, bar));
  }

  // One row of the table; position -1 is the selected row itself.
  line(i, position, columns, isForest, both) {
    const {data, scatter} = this.explorer;
    const isSelf = position < 0;
    const line = element("tr", {class: isSelf ? "self" : both.has(i) ? "both" : ""});
    const name = data.name(i);
    const go = () => this.explorer.goTo(i);
    line.append(element("th", {scope: "row"}, isSelf ? element("span", {text: `★ ${name}`})
      : element("button", {type: "button", class: "link", text: name, title: name, on: go})));
    if (data.label) {
      const field = this.explorer.fieldOf("label");
      const color = colorScale(field)(data.label[i]);
      line.append(element("td", {}, swatch(color), element("span", {text: data.labelOf(i)})));
    }
    if (isForest) {
      const text = isSelf ? "" : data.distanceAt(this.row, position).toFixed(3);
      line.append(element("td", {class: "number", text}));
    }
    for (const {column, closeness} of columns) {
      const text = data.valueOf(i, column);
      const cell = element("td", {class: "value", text, title: text});
      const depth = isSelf ? 0 : Math.max(0, closeness[position]);
      cell.style.setProperty("--depth", `${Math.round(35 * depth)}%`);
      line.append(cell);
    }
    return line;
  }
}
