// The chosen row: in which columns its neighbours agree with it, and who they are, beside the Euclidean ones.
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

// 1: equal to the row in this column; 0: no nearer to it than rows at random.
function agreement(values, row, others) {
  const here = values[row];
  let all = 0, count = 0, near = 0, some = 0;
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) { all += Math.abs(values[i] - here); count++; }
  for (const i of others) if (Number.isFinite(values[i])) { near += Math.abs(values[i] - here); some++; }
  return all > 0 && some > 0 ? 1 - (near / some) / (all / count) : 0;
}

class Panel {
  constructor(box, data, choose) { Object.assign(this, {box, data, choose}); }

  clear() {
    this.box.replaceChildren(element("p", {class: "quiet", text: "No row is chosen. Click a point, or type the name of a row."}));
  }

  show(row) {
    const d = this.data, forest = d.neighborsOf(row), euclid = d.euclideanOf(row);
    const label = d.labelOf(row);
    this.box.replaceChildren(
      element("h3", {text: `Row ${d.name(row)}`}),
      element("p", {class: "quiet", text: `${label ? `Label ${label}. ` : ""}Part ${d.part[row] + 1} of ${d.meta.parts}.`}),
      element("h4", {text: "Where its neighbours agree with it"}),
      this.agreements(row, forest, euclid),
      element("div", {class: "lists"},
        this.list("● Forest", "mark-urerf", forest, i => [element("span", {text: d.distanceOf(row, i).toFixed(3)})], new Set(euclid)),
        euclid ? this.list("□ Euclidean", "", euclid, () => [], new Set(forest)) : ""),
      euclid ? element("p", {class: "quiet", text: "Bold: in both lists. Numbers: distance by the forest."}) : "");
  }

  agreements(row, forest, euclid) {
    const d = this.data, grid = element("div", {class: "agree"});
    const all = d.columns.map((values, c) => [c, agreement(values, row, forest), euclid ? agreement(values, row, euclid) : 0]);
    const good = all.filter(([c]) => !d.meta.structure.length || d.meta.structure[c]).sort((a, b) => b[1] - a[1]);
    const rest = all.filter(([c]) => d.meta.structure.length && !d.meta.structure[c]);
    for (const [c, a, b] of good.slice(0, 10)) this.bars(grid, d.meta.names[c], a, b, short(d.columns[c][row]), euclid);
    if (rest.length) {
      const mean = j => rest.reduce((sum, one) => sum + one[j], 0) / rest.length;
      this.bars(grid, `the ${rest.length} others`, mean(1), mean(2), "columns without structure, on average", euclid);
    }
    const box = element("div", {}, grid);
    if (good.length > 10) box.append(element("p", {class: "quiet", text: `The best 10 of ${good.length} columns.`}));
    box.append(element("p", {class: "quiet", text: "1: the same value; 0: no nearer than rows at random. Red: forest" +
      (euclid ? "; the other bar: Euclidean." : ".")}));
    return box;
  }

  bars(grid, name, a, b, value, euclid) {
    grid.append(element("div", {class: "name", text: name, title: `${name}: ${value}`}));
    for (const [kind, share] of euclid ? [["urerf", a], ["euclid", b]] : [["urerf", a]]) {
      const bar = element("div", {class: kind});
      bar.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
      grid.append(element("div", {class: "track"}, bar), element("div", {class: "value", text: share.toFixed(2).replace("-0.00", "0.00")}));
    }
    if (!euclid) grid.append(element("div"), element("div"));
  }

  list(title, kind, rows, remark, others) {
    const items = rows.map(i => element("li", others.has(i) ? {class: "both"} : {},
      element("button", {type: "button", on: () => this.choose(i)},
        element("span", {text: this.data.name(i)}), element("span", {class: "label", text: this.data.labelOf(i)}),
        ...remark(i))));
    return element("div", {}, element("h4", {class: kind, text: title}), element("ol", {}, ...items));
  }
}
