// The legend: a title, and entries that filter. A click on a level hides it or shows it again;
// a double click shows it alone. Numbers are filtered by the two ends of a scale.
class Legend {
  constructor(explorer) {
    this.explorer = explorer;
    this.box = byId("legend");
  }

  // The levels with their colors and numbers of rows, as many as there are colors.
  static entries(field) {
    if (!field || !field.levels) return [];
    const counts = new Map();
    for (const value of field.values) {
      const entry = classOf(value);
      counts.set(entry, (counts.get(entry) || 0) + 1);
    }
    const found = [];
    field.levels.slice(0, CLASSES.length).forEach((level, c) => {
      if (counts.has(c)) {
        found.push({entry: c, color: CLASSES[c], text: level || "(empty)", n: counts.get(c)});
      }
    });
    const more = field.levels.length - CLASSES.length;
    if (counts.has(OTHERS)) {
      found.push({entry: OTHERS, color: NONE, text: `${more} more`, n: counts.get(OTHERS)});
    }
    if (counts.has(MISSING)) {
      const text = field.none || "missing";
      found.push({entry: MISSING, color: NONE, text, n: counts.get(MISSING)});
    }
    return found;
  }

  show(field) {
    this.field = field;
    this.box.replaceChildren();
    if (!field) return;
    this.box.append(element("b", {class: "title", text: field.name, title: field.name}));
    if (field.levels) this.showLevels();
    else this.showScale();
  }

  showLevels() {
    const {filter} = this.explorer.state;
    const entries = Legend.entries(this.field);
    for (const {entry, color, text, n} of entries) {
      const button = element("button", {
        type: "button",
        class: "entry",
        "aria-pressed": String(!filter.hidden.has(entry)),
        title: `${text}: ${counted(n, "row")}. Click to hide or show, double-click to show alone.`,
      }, swatch(color), element("span", {text}));
      button.addEventListener("click", () => this.toggle(entry));
      button.addEventListener("dblclick", () => this.only(entry, entries));
      this.box.append(button);
    }
    const all = () => {
      filter.hidden.clear();
      this.filtered();
    };
    this.all = element("button", {type: "button", class: "entry", text: "Show all", on: all});
    this.all.hidden = !filter.hidden.size;
    this.box.append(this.all);
  }

  toggle(entry) {
    const {hidden} = this.explorer.state.filter;
    if (!hidden.delete(entry)) hidden.add(entry);
    this.filtered();
  }

  only(entry, entries) {
    const {hidden} = this.explorer.state.filter;
    hidden.clear();
    for (const other of entries) if (other.entry !== entry) hidden.add(other.entry);
    this.filtered();
  }

  filtered() {
    const {filter} = this.explorer.state;
    const entries = Legend.entries(this.field);
    const buttons = this.box.querySelectorAll("[aria-pressed]");
    entries.forEach(({entry}, i) => {
      buttons[i].setAttribute("aria-pressed", String(!filter.hidden.has(entry)));
    });
    this.all.hidden = !filter.hidden.size;
    this.explorer.repaint();
    this.explorer.announceVisible();
  }

  showScale() {
    const {explorer, field} = this;
    const [low, high] = limits(field.values);
    const text = value => explorer.data.text(value, null, field.kind);
    const bar = element("span", {class: "ramp"});
    const stops = [0, 0.25, 0.5, 0.75, 1].map(share => css(ramp(share)));
    bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    const ends = [element("span", {text: text(low)}), element("span", {text: text(high)})];
    const sliders = ["Smallest", "Largest"].map((end, i) => element("input", {
      type: "range", min: "0", max: "100", value: String(100 * i), class: "end",
      "aria-label": `${end} ${field.name} shown`,
    }));
    const moved = () => {
      const shares = sliders.map(slider => Number(slider.value) / 100).sort((a, b) => a - b);
      const [first, last] = shares.map(share => low + share * (high - low));
      ends[0].textContent = text(first);
      ends[1].textContent = text(last);
      // A slider at its end lets values beyond the scale through.
      const range = [shares[0] > 0 ? first : null, shares[1] < 1 ? last : null];
      explorer.state.filter.range = range[0] === null && range[1] === null ? null : range;
      explorer.repaint();
    };
    sliders.forEach(slider => slider.addEventListener("input", moved));
    this.box.append(ends[0], element("span", {class: "scale"}, bar, ...sliders), ends[1]);
    const {range} = explorer.state.filter;
    if (range && high > low) {
      range.forEach((value, i) => {
        if (value !== null) sliders[i].value = 100 * (value - low) / (high - low);
      });
      moved();
    }
  }
}
