// Small maps of the strongest columns; a click colors the large map the same way.
const MOST_MAPS = 8;
const MAP_WIDTH = 240;
const MAP_HEIGHT = 160;
const MAP_POINTS = 20000;

class SmallMaps {
  constructor(explorer) {
    this.explorer = explorer;
    this.section = byId("small-maps-section");
    const columns = explorer.data.fields().filter(field => field.column !== undefined);
    this.fields = columns.filter(field => explorer.isStructured(field.column)).slice(0, MOST_MAPS);
    this.section.hidden = this.fields.length < 2 || !explorer.data.meta.found;
    if (this.section.hidden) return;
    const choose = key => {
      explorer.colorBy(key);
      byId("plot").scrollIntoView({block: "nearest"});
    };
    this.maps = this.fields.map(field => element("canvas", {
      width: String(MAP_WIDTH), height: String(MAP_HEIGHT), "aria-hidden": "true",
    }));
    byId("small-maps").append(...this.fields.map((field, i) => {
      const name = element("span", {text: shortName(field.name, 17)});
      return element("button", {
        type: "button", class: "map", title: `Color by ${field.name}`, on: () => choose(field.key),
      }, this.maps[i], name);
    }));
    this.draw();
  }

  draw() {
    if (this.section.hidden) return;
    this.fields.forEach((field, i) => this.drawOne(this.maps[i], field));
  }

  drawOne(canvas, field) {
    const {xy, half, n} = this.explorer.scatter;
    const pen = canvas.getContext("2d");
    const scale = colorScale(field);
    const unit = 0.47 * Math.min(MAP_WIDTH / half[0], MAP_HEIGHT / half[1]);
    const size = Math.min(5, Math.max(1.5, 45 / Math.sqrt(n)));
    const step = Math.max(1, Math.floor(n / MAP_POINTS));
    pen.clearRect(0, 0, MAP_WIDTH, MAP_HEIGHT);
    for (let i = 0; i < n; i += step) {
      pen.fillStyle = css(scale(field.values[i]));
      const x = MAP_WIDTH / 2 + xy[2 * i] * unit;
      const y = MAP_HEIGHT / 2 - xy[2 * i + 1] * unit;
      pen.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }
}
