// The selected row: the columns in which its neighbors agree with it, and lists of its neighbors.
const MOST_AGREEMENTS = 10;

function element(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name === "text") made.textContent = value;
    else if (name === "on") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const short = value => Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "missing";

// Mean distance from the value of a row to those of other rows, without missing values.
function meanDistance(values, row, count, rowAt) {
  let total = 0;
  let present = 0;
  for (let j = 0; j < count; j++) {
    const value = values[rowAt(j)];
    if (Number.isFinite(value)) {
      total += Math.abs(value - values[row]);
      present++;
    }
  }
  return total / present;
}

// 1: the neighbors have the value of the row; 0: they are no closer to it than random rows.
function agreement(values, row, neighbors) {
  const all = meanDistance(values, row, values.length, j => j);
  const near = meanDistance(values, row, neighbors.length, j => neighbors[j]);
  return all > 0 && Number.isFinite(near) ? 1 - near / all : 0;
}

class Panel {
  constructor(box, data, select) {
    this.box = box;
    this.data = data;
    this.select = select;
  }

  clear() {
    const text = "No row is selected. Click a point, or type the name of a row.";
    this.box.replaceChildren(element("p", {class: "quiet", text}));
  }

  show(row) {
    const data = this.data;
    const forest = data.neighborsOf(row);
    const euclidean = data.euclideanOf(row);
    const label = data.labelOf(row);
    const component = `Component ${data.component[row] + 1} of ${data.meta.components}.`;
    const distance = i => [element("span", {text: data.distanceOf(row, i).toFixed(3)})];
    const lists = element("div", {class: "lists"},
      this.list("● Forest", "mark-urerf", forest, distance, new Set(euclidean)));
    this.box.replaceChildren(
      element("h3", {text: `Row ${data.name(row)}`}),
      element("p", {class: "quiet", text: `${label ? `Label ${label}. ` : ""}${component}`}),
      element("h4", {text: "Columns in which neighbors agree with this row"}),
      this.agreements(row, forest, euclidean),
      lists);
    if (euclidean) {
      lists.append(this.list("□ Euclidean", "", euclidean, () => [], new Set(forest)));
      const text = "Bold: in both lists. Numbers: distance in the forest.";
      this.box.append(element("p", {class: "quiet", text}));
    }
  }

  agreements(row, forest, euclidean) {
    const data = this.data;
    const {columns, structured} = data.meta;
    const grid = element("div", {class: "agree"});
    const shares = data.values.map((values, c) => ({
      column: c,
      forest: agreement(values, row, forest),
      euclidean: euclidean ? agreement(values, row, euclidean) : 0,
    }));
    const marked = structured.length > 0;
    const main = shares.filter(share => !marked || structured[share.column]);
    const others = shares.filter(share => marked && !structured[share.column]);
    main.sort((a, b) => b.forest - a.forest);
    for (const share of main.slice(0, MOST_AGREEMENTS)) {
      const value = data.valueOf(row, share.column);
      this.bars(grid, columns[share.column].name, share, value, euclidean);
    }
    if (others.length) {
      const mean = key => others.reduce((sum, share) => sum + share[key], 0) / others.length;
      const share = {forest: mean("forest"), euclidean: mean("euclidean")};
      const name = others.length === 1 ? "1 other column" : `${others.length} other columns`;
      this.bars(grid, name, share, "no structure, on average", euclidean);
    }
    const box = element("div", {}, grid);
    if (main.length > MOST_AGREEMENTS) {
      const text = `The best ${MOST_AGREEMENTS} of ${main.length} columns.`;
      box.append(element("p", {class: "quiet", text}));
    }
    const colors = euclidean ? "Upper bar: forest; lower bar: Euclidean." : "";
    const text = `1: the same value; 0: no closer than random rows. ${colors}`.trim();
    box.append(element("p", {class: "quiet", text}));
    return box;
  }

  bars(grid, name, share, value, euclidean) {
    grid.append(element("div", {class: "name", text: name, title: `${name}: ${value}`}));
    for (const key of euclidean ? ["forest", "euclidean"] : ["forest"]) {
      const bar = element("div", {class: key});
      bar.style.width = `${100 * Math.min(Math.max(share[key], 0), 1)}%`;
      const text = share[key].toFixed(2).replace("-0.00", "0.00");
      grid.append(element("div", {class: "track"}, bar), element("div", {class: "value", text}));
    }
    if (!euclidean) grid.append(element("div"), element("div"));
  }

  // "others" are the rows of the other list, "remark" adds elements to an entry.
  list(title, style, rows, remark, others) {
    const items = rows.map(i => {
      const button = element("button", {type: "button", on: () => this.select(i)},
        element("span", {text: this.data.name(i)}),
        element("span", {class: "label", text: this.data.labelOf(i)}),
        ...remark(i));
      return element("li", others.has(i) ? {class: "both"} : {}, button);
    });
    return element("div", {},
      element("h4", {class: style, text: title}),
      element("ol", {}, ...items));
  }
}
