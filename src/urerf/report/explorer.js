// The explorer: the data of the page, the map, the marks on it, mouse, keys and the panel.
function decode(name, ArrayType) {
  const box = document.getElementById(`data-${name}`);
  if (!box) return null;
  const text = atob(box.textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  box.remove();
  return new ArrayType(bytes.buffer);
}

class Data {
  constructor() {
    this.meta = JSON.parse(document.getElementById("meta").textContent);
    const {n, columns, wide} = this.meta;
    const Index = wide ? Uint32Array : Uint16Array;
    this.points = decode("points", Float32Array);
    this.neighbors = decode("neighbors", Index);
    this.euclidean = decode("euclidean", Index);
    this.distances = decode("distances", Float32Array);
    this.component = decode("component", Uint16Array);
    this.label = decode("label", Float32Array);
    const values = decode("values", Float32Array);
    this.values = columns.map((_, c) => values.subarray(c * n, (c + 1) * n));
  }

  name(i) {
    const {ids, rows} = this.meta;
    if (ids) return ids[i];
    return String(rows ? rows[i] : i);
  }

  labelOf(i) {
    if (!this.label) return "";
    const {labels} = this.meta;
    return labels ? labels[this.label[i]] : short(this.label[i]);
  }

  // The value of a row in a column, as text: the level of a category, or a number.
  valueOf(i, c) {
    const {levels} = this.meta.columns[c];
    const value = this.values[c][i];
    return levels && Number.isFinite(value) ? levels[value] : short(value);
  }

  neighborsOf(i) {
    const {k} = this.meta;
    return Array.from(this.neighbors.subarray(i * k, (i + 1) * k));
  }

  euclideanOf(i) {
    const {k} = this.meta;
    return this.euclidean && Array.from(this.euclidean.subarray(i * k, (i + 1) * k));
  }

  distanceOf(i, j) {
    return this.distances[i * this.meta.k + this.neighborsOf(i).indexOf(j)];
  }
}

class Explorer {
  constructor(data) {
    this.data = data;
    this.plot = document.getElementById("plot");
    this.marks = document.getElementById("marks");
    this.scatter = new Scatter(document.getElementById("points"), data.points);
    const selectAndReveal = i => {
      this.select(i);
      this.scatter.reveal(i);
    };
    this.panel = new Panel(document.getElementById("panel"), data, selectAndReveal);
    this.selected = -1;
    this.hovered = -1;
    this.offerColors();
    this.listen();
    new ResizeObserver(() => {
      this.scatter.resize();
      this.draw();
    }).observe(this.plot);
    this.scatter.resize();
    this.recolor();
    this.select(0, false);
  }

  // -- colors

  offerColors() {
    const box = document.getElementById("color");
    const {columns, labeled, structured} = this.data.meta;
    const addGroup = (title, chosen) => {
      const group = element("optgroup", {label: title});
      columns.forEach((column, c) => {
        if (chosen(c)) group.append(new Option(column.name, String(c)));
      });
      if (group.children.length) box.append(group);
    };
    if (labeled) box.append(new Option("label", "label"));
    if (structured.length) {
      addGroup("columns with structure", c => structured[c]);
      addGroup("other columns", c => !structured[c]);
    } else {
      addGroup("columns", () => true);
    }
    box.append(new Option("connected component", "component"), new Option("none", "none"));
    box.addEventListener("change", () => this.recolor());
  }

  recolor() {
    const by = document.getElementById("color").value;
    const {meta, label, component, values} = this.data;
    if (by === "none") this.oneColor();
    else if (by === "component") {
      this.colorByClass(component, meta.components, c => `component ${c + 1}`);
    } else if (by === "label") this.colorBy(label, meta.labels);
    else this.colorBy(values[Number(by)], meta.columns[Number(by)].levels);
    this.by = by;
    this.scatter.recolored();
    this.draw();
  }

  oneColor() {
    const {rgb} = this.scatter;
    for (let i = 0; i < rgb.length; i++) rgb[i] = NONE[i % 3];
    document.getElementById("legend").replaceChildren();
  }

  colorBy(values, levels) {
    if (levels) this.colorByClass(values, levels.length, c => levels[c] || "(none)");
    else this.colorByNumber(values);
  }

  colorByClass(codes, count, name) {
    colorClasses(codes, this.scatter.rgb);
    const entry = (color, text) => {
      const dot = element("i");
      dot.style.background = css(color);
      return element("span", {}, dot, text);
    };
    const entries = CLASSES.slice(0, count).map((color, c) => entry(color, name(c)));
    const more = count - CLASSES.length;
    if (more > 0) entries.push(entry(NONE, `${more} more`));
    document.getElementById("legend").replaceChildren(...entries);
  }

  colorByNumber(values) {
    const [low, high] = colorNumbers(values, this.scatter.rgb);
    const bar = element("span", {class: "ramp"});
    const stops = [0, 0.25, 0.5, 0.75, 1].map(share => css(ramp(share)));
    bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    document.getElementById("legend").replaceChildren(
      element("span", {text: short(low)}), bar, element("span", {text: short(high)}));
  }

  // -- drawing, at most once per frame

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.scatter.draw();
      this.drawMarks();
    });
  }

  drawMarks() {
    const {scatter, data} = this;
    const pen = this.marks.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const style = getComputedStyle(this.plot);
    const red = style.getPropertyValue("--red");
    const ink = style.getPropertyValue("--ink");
    const paper = style.getPropertyValue("--paper");
    this.marks.width = Math.round(scatter.width * ratio);
    this.marks.height = Math.round(scatter.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const size = Math.max(4, scatter.size / 2 + 1.5);
    if (this.selected >= 0) {
      const center = scatter.screen(this.selected);
      const neighbors = data.neighborsOf(this.selected);
      for (const i of data.euclideanOf(this.selected) || []) {
        drawSquare(pen, scatter.screen(i), size, ink, paper);
      }
      pen.strokeStyle = red;
      pen.globalAlpha = 0.5;
      for (const i of neighbors) drawLine(pen, center, scatter.screen(i));
      pen.globalAlpha = 1;
      for (const i of neighbors) drawDisc(pen, scatter.screen(i), size, red, paper);
      drawStar(pen, center, size + 5, red, ink, paper);
    }
    if (this.hovered >= 0) drawRing(pen, scatter.screen(this.hovered), size + 3, ink);
  }

  // -- selecting and hovering

  select(i, announce = true) {
    this.selected = i;
    if (i < 0) this.panel.clear();
    else this.panel.show(i);
    if (announce) {
      const {k} = this.data.meta;
      const neighbors = k === 1 ? "1 neighbor is listed" : `${k} neighbors are listed`;
      this.say(i < 0 ? "No row is selected." : `Row ${this.data.name(i)} selected. ${neighbors}.`);
    }
    this.draw();
  }

  hover(i) {
    if (i === this.hovered) return;
    this.hovered = i;
    const tip = document.getElementById("tip");
    tip.hidden = i < 0;
    if (i >= 0) {
      tip.textContent = this.describe(i);
      const [x, y] = this.scatter.screen(i);
      const right = this.scatter.width - tip.offsetWidth - 4;
      tip.style.left = `${Math.max(0, Math.min(x + 12, right))}px`;
      tip.style.top = `${y + 40 > this.scatter.height ? y - 40 : y + 12}px`;
    }
    this.draw();
  }

  describe(i) {
    const {data, by} = this;
    const lines = [`Row ${data.name(i)}`];
    const label = data.labelOf(i);
    if (label) lines.push(`label ${label}`);
    const c = Number(by);
    if (by === "component") lines.push(`component ${data.component[i] + 1}`);
    else if (data.values[c]) lines.push(`${data.meta.columns[c].name} ${data.valueOf(i, c)}`);
    return lines.join("\n");
  }

  say(text) {
    document.getElementById("status").textContent = text;
  }

  // -- mouse, keys, buttons

  listen() {
    const onClick = (id, action) => document.getElementById(id).addEventListener("click", action);
    this.listenToMouse();
    this.plot.addEventListener("keydown", event => this.key(event));
    onClick("zoom-in", () => this.zoom(1.5));
    onClick("zoom-out", () => this.zoom(1 / 1.5));
    onClick("reset", () => this.reset());
    document.getElementById("row").addEventListener("change", event => this.find(event.target));
  }

  listenToMouse() {
    const {plot, scatter} = this;
    const place = event => {
      const box = plot.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let from = null;
    let moved = false;
    plot.addEventListener("pointerdown", event => {
      from = place(event);
      moved = false;
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", event => {
      const to = place(event);
      if (!from) {
        this.hover(scatter.nearest(...to));
        return;
      }
      if (!moved && Math.hypot(to[0] - from[0], to[1] - from[1]) <= 4) return;
      moved = true;
      this.hover(-1);
      scatter.move(to[0] - from[0], to[1] - from[1]);
      from = to;
      this.draw();
    });
    plot.addEventListener("pointerup", event => {
      if (from && !moved) {
        const i = scatter.nearest(...place(event), 20);
        if (i >= 0) this.select(i);
      }
      from = null;
    });
    plot.addEventListener("pointercancel", () => { from = null; });
    plot.addEventListener("pointerleave", () => this.hover(-1));
    plot.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), place(event));
    }, {passive: false});
  }

  zoom(factor, place = [this.scatter.width / 2, this.scatter.height / 2]) {
    this.hover(-1);
    this.scatter.zoomAt(...place, factor);
    this.draw();
  }

  reset() {
    this.scatter.reset();
    this.draw();
  }

  key(event) {
    const current = this.hovered >= 0 ? this.hovered : Math.max(this.selected, 0);
    const actions = {
      ArrowLeft: () => this.step(current, -1, 0),
      ArrowRight: () => this.step(current, 1, 0),
      ArrowUp: () => this.step(current, 0, 1),
      ArrowDown: () => this.step(current, 0, -1),
      Enter: () => this.select(current),
      " ": () => this.select(current),
      "+": () => this.zoom(1.5),
      "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      0: () => this.reset(),
      Escape: () => {
        this.hover(-1);
        this.select(-1);
      },
    };
    if (!(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
  }

  step(current, dx, dy) {
    const next = this.scatter.towards(current, dx, dy);
    this.scatter.reveal(next);
    this.hover(-1);
    this.hover(next);
    const text = this.describe(next).replaceAll("\n", ", ");
    this.say(next === current ? "No more rows in that direction." : text);
  }

  find(box) {
    const name = box.value.trim();
    const {n} = this.data.meta;
    let i = 0;
    while (i < n && this.data.name(i) !== name) i++;
    box.setAttribute("aria-invalid", String(name !== "" && i === n));
    if (i < n) {
      this.select(i);
      this.scatter.reveal(i);
    } else if (name) {
      this.say(`There is no row ${name}.`);
    }
  }
}

function drawLine(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

function drawDisc(pen, [x, y], size, fill, edge) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1;
  pen.stroke();
}

function drawRing(pen, [x, y], size, edge) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.strokeStyle = edge;
  pen.lineWidth = 2;
  pen.stroke();
}

function drawSquare(pen, [x, y], size, edge, halo) {
  for (const [color, width] of [[halo, 4], [edge, 2]]) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }
}

function drawStar(pen, [x, y], size, fill, edge, halo) {
  pen.beginPath();
  for (let i = 0; i < 10; i++) {
    const radius = i % 2 ? size / 2.4 : size;
    const angle = Math.PI * (i / 5 - 0.5);
    pen.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  pen.closePath();
  pen.lineWidth = 4;
  pen.strokeStyle = halo;
  pen.stroke();
  pen.fillStyle = fill;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = edge;
  pen.stroke();
}

// The button that switches between light and dark. Pages without storage forget the choice.
function theme(explorer) {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const stored = () => {
    try { return localStorage.getItem("urerf-theme"); } catch { return null; }
  };
  const apply = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    explorer.recolor();
  };
  if (stored()) root.dataset.theme = stored();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("urerf-theme", root.dataset.theme); } catch { /* not stored */ }
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}

const explorer = new Explorer(new Data());
theme(explorer);
