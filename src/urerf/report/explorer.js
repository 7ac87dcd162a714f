// The explorer: data out of the page, the picture, the marks on it, mouse, keys and the panel.
function array(name, Kind) {
  const box = document.getElementById(`data-${name}`);
  if (!box) return null;
  const text = atob(box.textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  box.remove();
  return new Kind(bytes.buffer);
}

function load() {
  const meta = JSON.parse(document.getElementById("meta").textContent), {n, k} = meta;
  const Index = meta.wide ? Uint32Array : Uint16Array, values = array("values", Float32Array);
  const data = {
    meta, points: array("points", Float32Array), neighbors: array("neighbors", Index), euclidean: array("euclidean", Index),
    distances: array("distances", Float32Array), part: array("part", Uint16Array), label: array("label", Float32Array),
    columns: meta.names.map((_, c) => values.subarray(c * n, (c + 1) * n)),
    name: i => meta.ids ? meta.ids[i] : String(meta.rows ? meta.rows[i] : i),
    labelOf: i => !data.label ? "" : meta.levels ? meta.levels[data.label[i]] : short(data.label[i]),
    neighborsOf: i => Array.from(data.neighbors.subarray(i * k, (i + 1) * k)),
    euclideanOf: i => data.euclidean && Array.from(data.euclidean.subarray(i * k, (i + 1) * k)),
    distanceOf: (i, j) => data.distances[i * k + data.neighborsOf(i).indexOf(j)],
  };
  return data;
}

class Explorer {
  constructor(data) {
    this.data = data;
    this.plot = document.getElementById("plot");
    this.marks = document.getElementById("marks");
    this.scatter = new Scatter(document.getElementById("points"), data.points);
    this.panel = new Panel(document.getElementById("panel"), data, i => { this.choose(i); this.scatter.reveal(i); });
    this.chosen = -1;
    this.hovered = -1;
    this.offerColors();
    this.listen();
    new ResizeObserver(() => { this.scatter.resize(); this.draw(); }).observe(this.plot);
    this.scatter.resize();
    this.recolor();
    this.choose(0, false);
  }

  // -- colours

  offerColors() {
    const box = document.getElementById("color"), {meta} = this.data;
    if (meta.labelled) box.append(new Option("label", "label"));
    const marked = meta.structure.some(Boolean);
    const names = meta.names.map((name, c) => [name, c]);
    const group = (title, some) => {
      const made = element("optgroup", {label: title});
      made.append(...some.map(([name, c]) => new Option(name, String(c))));
      if (some.length) box.append(made);
    };
    group(marked ? "columns with structure" : "columns", names.filter(([, c]) => !marked || meta.structure[c]));
    if (marked) group("other columns", names.filter(([, c]) => !meta.structure[c]));
    box.append(new Option("connected part", "part"), new Option("nothing", "none"));
    box.addEventListener("change", () => this.recolor());
  }

  recolor() {
    const by = document.getElementById("color").value, {meta, label, part, columns} = this.data, {rgb} = this.scatter;
    const legend = document.getElementById("legend");
    if (by === "none") { for (let i = 0; i < rgb.length; i++) rgb[i] = NONE[i % 3]; legend.replaceChildren(); }
    else if (by === "part") this.classes(part, meta.parts, c => `part ${c + 1}`);
    else if (by === "label" && meta.levels) this.classes(label, meta.levels.length, c => meta.levels[c] || "(none)");
    else this.numbers(by === "label" ? label : columns[Number(by)]);
    this.by = by;
    this.scatter.recolored();
    this.draw();
  }

  classes(codes, count, name) {
    colorClasses(codes, this.scatter.rgb);
    const key = (color, text) => {
      const dot = element("i");
      dot.style.background = css(color);
      return element("span", {}, dot, text);
    };
    const shown = CLASSES.slice(0, count).map((color, c) => key(color, name(c)));
    if (count > CLASSES.length) shown.push(key(NONE, `${count - CLASSES.length} others`));
    document.getElementById("legend").replaceChildren(...shown);
  }

  numbers(values) {
    const [low, high] = colorNumbers(values, this.scatter.rgb);
    const bar = element("span", {class: "ramp"});
    bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(s => css(ramp(s))).join(",")})`;
    document.getElementById("legend").replaceChildren(element("span", {text: short(low)}), bar, element("span", {text: short(high)}));
  }

  // -- drawing, at most once a frame

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.scatter.draw(); this.drawMarks(); });
  }

  drawMarks() {
    const s = this.scatter, ratio = window.devicePixelRatio || 1, pen = this.marks.getContext("2d");
    const style = getComputedStyle(this.plot), red = style.getPropertyValue("--red"), ink = style.getPropertyValue("--ink");
    const paper = style.getPropertyValue("--paper");
    this.marks.width = Math.round(s.width * ratio);
    this.marks.height = Math.round(s.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const size = Math.max(4, s.size / 2 + 1.5);
    if (this.chosen >= 0) {
      const at = s.screen(this.chosen);
      for (const i of this.data.euclideanOf(this.chosen) || []) square(pen, s.screen(i), size, ink, paper);
      pen.strokeStyle = red;
      pen.globalAlpha = 0.5;
      for (const i of this.data.neighborsOf(this.chosen)) line(pen, at, s.screen(i));
      pen.globalAlpha = 1;
      for (const i of this.data.neighborsOf(this.chosen)) disc(pen, s.screen(i), size, red, paper);
      star(pen, at, size + 5, red, ink, paper);
    }
    if (this.hovered >= 0) ring(pen, s.screen(this.hovered), size + 3, ink);
  }

  // -- choosing and hovering

  choose(i, tell = true) {
    this.chosen = i;
    if (i < 0) this.panel.clear();
    else this.panel.show(i);
    if (tell) this.say(i < 0 ? "No row is chosen." : `Row ${this.data.name(i)} chosen. ${this.data.meta.k} neighbours are listed.`);
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
      tip.style.left = `${Math.max(0, Math.min(x + 12, this.scatter.width - tip.offsetWidth - 4))}px`;
      tip.style.top = `${y + 40 > this.scatter.height ? y - 40 : y + 12}px`;
    }
    this.draw();
  }

  describe(i) {
    const {data} = this, label = data.labelOf(i), column = this.data.columns[Number(this.by)];
    return `Row ${data.name(i)}` + (label ? `\nlabel ${label}` : "") +
      (column ? `\n${data.meta.names[Number(this.by)]} ${short(column[i])}` : "") + (this.by === "part" ? `\npart ${data.part[i] + 1}` : "");
  }

  say(text) { document.getElementById("status").textContent = text; }

  // -- mouse, keys, buttons

  listen() {
    const {plot, scatter} = this;
    const place = event => { const box = plot.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    let from = null, moved = false;
    plot.addEventListener("pointerdown", event => { from = place(event); moved = false; plot.setPointerCapture(event.pointerId); });
    plot.addEventListener("pointermove", event => {
      const at = place(event);
      if (!from) return this.hover(scatter.nearest(...at));
      if (moved || Math.hypot(at[0] - from[0], at[1] - from[1]) > 4) {
        moved = true;
        this.hover(-1);
        scatter.move(at[0] - from[0], at[1] - from[1]);
        from = at;
        this.draw();
      }
    });
    plot.addEventListener("pointerup", event => {
      if (from && !moved) { const i = scatter.nearest(...place(event), 20); if (i >= 0) this.choose(i); }
      from = null;
    });
    plot.addEventListener("pointercancel", () => { from = null; });
    plot.addEventListener("pointerleave", () => this.hover(-1));
    plot.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), place(event));
    }, {passive: false});
    plot.addEventListener("keydown", event => this.key(event));
    document.getElementById("closer").addEventListener("click", () => this.zoom(1.5));
    document.getElementById("wider").addEventListener("click", () => this.zoom(1 / 1.5));
    document.getElementById("whole").addEventListener("click", () => { scatter.whole(); this.draw(); });
    document.getElementById("row").addEventListener("change", event => this.find(event.target));
  }

  zoom(factor, at = [this.scatter.width / 2, this.scatter.height / 2]) {
    this.hover(-1);
    this.scatter.zoomAt(...at, factor);
    this.draw();
  }

  key(event) {
    const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const here = this.hovered >= 0 ? this.hovered : Math.max(this.chosen, 0);
    if (event.key in arrows) {
      const next = this.scatter.towards(here, ...arrows[event.key]);
      this.scatter.reveal(next);
      this.hover(-1);
      this.hover(next);
      this.say(next === here ? "No row farther that way." : this.describe(next).replaceAll("\n", ", "));
    } else if (event.key === "Enter" || event.key === " ") this.choose(here);
    else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") { this.scatter.whole(); this.draw(); }
    else if (event.key === "Escape") { this.hover(-1); this.choose(-1); }
    else return;
    event.preventDefault();
  }

  find(box) {
    const {meta} = this.data, wanted = box.value.trim();
    let i = -1;
    for (let j = 0; j < meta.n && i < 0; j++) if (this.data.name(j) === wanted) i = j;
    box.setAttribute("aria-invalid", String(wanted !== "" && i < 0));
    if (i >= 0) { this.choose(i); this.scatter.reveal(i); }
    else if (wanted) this.say(`There is no row ${wanted}.`);
  }
}

function line(pen, a, b) { pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke(); }

function disc(pen, [x, y], size, fill, edge) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1;
  pen.stroke();
}

function ring(pen, [x, y], size, edge) { pen.beginPath(); pen.arc(x, y, size, 0, 7); pen.strokeStyle = edge; pen.lineWidth = 2; pen.stroke(); }

function square(pen, [x, y], size, edge, halo) {
  for (const [color, width] of [[halo, 4], [edge, 2]]) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }
}

function star(pen, [x, y], size, fill, edge, halo) {
  pen.beginPath();
  for (let i = 0; i < 10; i++) {
    const reach = i % 2 ? size / 2.4 : size, angle = Math.PI * (i / 5 - 0.5);
    pen.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle));
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

function theme(explorer) {
  const root = document.documentElement, button = document.getElementById("theme");
  const kept = () => { try { return localStorage.getItem("urerf-theme"); } catch { return null; } };
  const paint = () => { button.textContent = isDark() ? "Light" : "Dark"; explorer.recolor(); };
  if (kept()) root.dataset.theme = kept();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("urerf-theme", root.dataset.theme); } catch { /* a page without storage forgets */ }
    paint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
}

const explorer = new Explorer(load());
theme(explorer);
