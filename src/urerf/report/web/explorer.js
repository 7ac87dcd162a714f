// The explorer: what is selected, picked, filtered and colored, and everything that shows it.
class Explorer {
  constructor(data) {
    this.data = data;
    this.scatter = new Scatter(byId("points"), data.points);
    this.centers = clusterCenters(data, this.scatter.xy);
    this.fields = data.fields();
    this.state = {
      row: -1,  // the selected row
      hovered: -1,
      by: "none",  // the field of the colors
      filter: {hidden: new Set(), range: null},
      picked: null,  // 1 for rows of the selection
      pickedBy: "",
      isolated: false,
      tool: "move",
      outline: [],  // of the lasso or the box, in pixels
      names: data.meta.clusters.length > 0,
    };
    this.legend = new Legend(this);
    this.panel = new Panel(this);
    this.selectionBox = new SelectionBox(this);
    this.search = new Search(this);
    this.gestures = new Gestures(this);
    this.offerColors();
    this.listen();
    this.scatter.resize();
    this.colorBy(this.firstColor());
    this.maps = new SmallMaps(this);
    this.select(data.meta.found ? 0 : -1, false);
    new ResizeObserver(() => {
      this.scatter.resize();
      this.draw();
    }).observe(byId("plot"));
  }

  fieldOf(key) {
    return this.fields.find(field => field.key === key);
  }

  isStructured(column) {
    const {structured} = this.data.meta;
    return !structured.length || structured[column];
  }

  // -- colors

  // The label, else the clusters, else the strongest column; nothing if nothing was found.
  firstColor() {
    if (this.data.label) return "label";
    if (!this.data.meta.found) return "none";
    return this.data.meta.clusters.length ? "cluster" : "0";
  }

  offerColors() {
    const box = byId("color");
    const option = field => new Option(shortName(field.name, 40), field.key);
    const columns = this.fields.filter(field => field.column !== undefined);
    const addGroup = (title, chosen) => {
      const group = element("optgroup", {label: title});
      group.append(...columns.filter(field => chosen(field.column)).map(option));
      if (group.children.length) box.append(group);
    };
    const addField = key => {
      if (this.fieldOf(key)) box.append(option(this.fieldOf(key)));
    };
    addField("label");
    addField("cluster");
    if (this.data.meta.structured.length) {
      addGroup("columns with structure", c => this.isStructured(c));
      addGroup("other columns", c => !this.isStructured(c));
    } else {
      addGroup("columns", () => true);
    }
    addField("component");
    box.append(new Option("none", "none"));
    box.addEventListener("change", () => this.colorBy(box.value));
  }

  colorBy(key, keepFilter = false) {
    this.state.by = key;
    this.hush();
    if (!keepFilter) this.state.filter = {hidden: new Set(), range: null};
    byId("color").value = key;
    this.legend.show(this.fieldOf(key));
    this.repaint();
  }

  // Everything that has colors, after a change between light and dark.
  recolor() {
    this.legend.show(this.fieldOf(this.state.by));
    this.repaint();
    this.maps.draw();
  }

  // The color of a row, also if it is faded or hidden.
  colorOf(i) {
    const field = this.fieldOf(this.state.by);
    return this.scale(field ? field.values[i] : 0);
  }

  // The points, after a change of filter or selection.
  repaint() {
    const field = this.fieldOf(this.state.by);
    this.scale = colorScale(field);
    paint(this.scatter, field, this.scale, this.state);
    this.named = visibleClusters(this.data, this.scatter);
    this.draw();
  }

  // -- drawing, at most once per frame

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.scatter.draw();
      drawMarks(this);
    });
  }

  // -- the selected row and the row under the pointer

  select(i, announce = true) {
    this.state.row = i;
    this.hush();
    if (i < 0) this.panel.clear();
    else this.panel.show(i);
    if (announce) {
      const {k} = this.data.meta;
      const neighbors = k === 1 ? "1 neighbor is listed" : `${k} neighbors are listed`;
      this.say(i < 0 ? "No row is selected." : `Row ${this.data.name(i)} selected. ${neighbors}.`);
    }
    this.draw();
  }

  goTo(i) {
    this.select(i);
    this.scatter.reveal(i);
  }

  hover(i) {
    if (i === this.state.hovered) return;
    this.state.hovered = i;
    const tip = byId("tip");
    tip.hidden = i < 0;
    if (i >= 0) {
      tip.textContent = this.describe(i);
      const [x, y] = this.scatter.screen(i);
      const right = this.scatter.width - tip.offsetWidth - 4;
      const bottom = this.scatter.height - tip.offsetHeight - 4;
      tip.style.left = `${Math.max(0, Math.min(x + 12, right))}px`;
      tip.style.top = `${Math.max(0, Math.min(y + 12, bottom))}px`;
    }
    this.draw();
  }

  describe(i) {
    const {data, state} = this;
    const lines = [`Row ${data.name(i)}`];
    const keys = new Set(["label", "cluster", state.by]);
    for (const field of this.fields) {
      if (!keys.has(field.key)) continue;
      const isNone = field.none && !Number.isFinite(field.values[i]);
      const text = isNone ? field.none : data.text(field.values[i], field.levels, field.kind);
      lines.push(`${field.name}: ${cut(text, 60)}`);
    }
    return lines.join("\n");
  }

  step(current, dx, dy) {
    const next = this.scatter.towards(current, dx, dy);
    this.scatter.reveal(next);
    this.hover(-1);
    this.hover(next);
    const text = this.describe(next).replaceAll("\n", ", ");
    this.say(next === current ? "No more rows in that direction." : text);
  }

  // -- picked rows

  pick(picked, by = "") {
    Object.assign(this.state, {picked, pickedBy: by});
    this.hush();
    if (!picked && this.state.isolated) {
      this.state.isolated = false;
      this.scatter.reset();
    }
    this.selectionBox.show();
    this.repaint();
    if (picked) this.say(`${counted(pickedRows(picked).length, "row")} selected. ${by}`);
    else this.say("The selection is empty.");
  }

  pickRows(rows, by) {
    const picked = new Uint8Array(this.data.n);
    for (const i of rows) picked[i] = 1;
    this.pick(picked, by);
  }

  pickInside(outline, tool) {
    const rows = [];
    for (let i = 0; i < this.data.n; i++) {
      if (this.scatter.isVisible(i) && isInside(this.scatter.screen(i), outline)) rows.push(i);
    }
    if (rows.length) this.pickRows(rows, `by ${tool}`);
    else this.tell(`There are no rows in the ${tool}.`, true);
    this.draw();
  }

  isolate(isolated) {
    this.state.isolated = isolated;
    this.selectionBox.show();
    this.repaint();
    if (isolated) this.scatter.fit();
    else this.scatter.reset();
    this.draw();
  }

  // -- messages: say for screen readers, tell for everybody, hint in passing

  say(text) {
    byId("status").textContent = text;
  }

  tell(text, isProblem = false) {
    this.say(text);
    this.hint(text, isProblem);
  }

  hint(text, isProblem = false) {
    const box = byId("message");
    box.textContent = text;
    box.className = isProblem ? "problem" : "";
    box.hidden = false;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => { box.hidden = true; }, isProblem ? 10000 : 3000);
  }

  // A message about what was tried before is no longer needed.
  hush() {
    byId("message").hidden = true;
  }

  announceVisible() {
    let n = 0;
    for (let i = 0; i < this.data.n; i++) n += this.scatter.isVisible(i);
    this.say(`${counted(n, "row")} shown.`);
  }

  // -- buttons

  listen() {
    listenToKeys(this);
    byId("squares").hidden = !this.data.euclidean;
    byId("numbered").hidden = Boolean(this.data.meta.ids);
    listenToSaving(this);
    onClick("zoom-in", () => this.zoom(1.5));
    onClick("zoom-out", () => this.zoom(1 / 1.5));
    onClick("reset", () => this.reset());
    for (const tool of ["move", "lasso", "box"]) onClick(tool, () => this.useTool(tool));
    byId("names").parentElement.hidden = !this.data.meta.clusters.length;
    byId("names").addEventListener("change", event => this.showNames(event.target.checked));
    for (const button of document.querySelectorAll("[data-cluster]")) {
      const cluster = Number(button.dataset.cluster);
      button.prepend(swatch(CLASSES[cluster] || NONE));
      button.addEventListener("click", () => this.pickCluster(cluster));
    }
  }

  pickCluster(cluster) {
    const rows = [];
    this.data.cluster.forEach((one, i) => { if (one === cluster) rows.push(i); });
    this.pickRows(rows, this.data.clusterText(cluster));
    byId("plot").scrollIntoView({block: "nearest"});
  }

  showNames(isShown) {
    this.state.names = isShown && this.data.meta.clusters.length > 0;
    byId("names").checked = this.state.names;
    this.draw();
  }

  useTool(tool) {
    this.state.tool = tool;
    for (const name of ["move", "lasso", "box"]) {
      byId(name).setAttribute("aria-pressed", String(name === tool));
    }
    byId("plot").dataset.tool = tool;
    this.say(`Dragging now ${tool === "move" ? "moves the map" : `selects by ${tool}`}.`);
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
}

let explorer = null;
applyStoredTheme();
Data.load().then(data => {
  explorer = new Explorer(data);
  listenToTheme(() => explorer.recolor());
  document.documentElement.dataset.ready = "true";
  restoreView(explorer);
  addEventListener("hashchange", () => restoreView(explorer));
});
