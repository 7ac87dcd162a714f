// The map as a picture, with its legend.
const MOST_SVG_POINTS = 100000;  // 8 MB of text
const LEGEND_LINE = 20;

// The legend as lines of entries that fit a width: {color, text, x, y}.
function legendLayout(explorer, width) {
  const field = explorer.fieldOf(explorer.state.by);
  if (!field) return {title: "", items: [], height: 0};
  let entries = Legend.entries(field);
  if (!field.levels) {
    const [low, high] = limits(field.values);
    entries = [0, 0.25, 0.5, 0.75, 1].map(share => {
      const text = explorer.data.text(low + share * (high - low), null, field.kind);
      return {color: ramp(share), text};
    });
  }
  const items = [];
  let [x, y] = [12, 1.8 * LEGEND_LINE];
  for (const {color, text} of entries) {
    const shown = cut(text, 40);
    const size = 26 + 7.2 * shown.length;
    if (x + size > width && x > 12) [x, y] = [12, y + LEGEND_LINE];
    items.push({color, text: shown, x, y});
    x += size;
  }
  return {title: cut(field.name, 60), items, height: y + LEGEND_LINE};
}

function asPng(explorer) {
  const {scatter} = explorer;
  const legend = legendLayout(explorer, scatter.width);
  const ratio = scatter.canvas.width / scatter.width;
  const canvas = element("canvas");
  canvas.width = scatter.canvas.width;
  canvas.height = Math.round(scatter.canvas.height + ratio * legend.height);
  const pen = canvas.getContext("2d");
  pen.fillStyle = styled("--paper");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  scatter.draw();  // the drawing of WebGL lasts only until the browser shows it
  pen.drawImage(scatter.canvas, 0, 0);
  pen.drawImage(byId("marks"), 0, 0);
  pen.setTransform(ratio, 0, 0, ratio, 0, scatter.canvas.height);
  pen.font = "600 13px system-ui, sans-serif";
  pen.fillStyle = styled("--ink");
  pen.fillText(legend.title, 12, 0.9 * LEGEND_LINE);
  pen.font = "13px system-ui, sans-serif";
  for (const {color, text, x, y} of legend.items) {
    drawDisc(pen, [x + 5, y - 4], 5, css(color));
    pen.fillStyle = styled("--ink");
    pen.fillText(text, x + 15, y);
  }
  return new Promise(resolve => canvas.toBlob(resolve, "image/png"));
}

const escaped = text => text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);

// The points in view, the marks, the names of clusters and the legend; null if there are too many.
function asSvg(explorer) {
  const {scatter, data, state} = explorer;
  const {width, height, size} = scatter;
  const legend = legendLayout(explorer, width);
  const ink = styled("--ink");
  const shapes = [];
  const circle = ([x, y], radius, rest) => {
    shapes.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius}" ${rest}/>`);
  };
  for (let i = 0; i < scatter.n; i++) {
    const [x, y] = scatter.screen(i);
    const isInView = x > -size && y > -size && x < width + size && y < height + size;
    if (!isInView || !scatter.isVisible(i)) continue;
    const alpha = scatter.opacity * scatter.rgba[4 * i + 3] / 255;
    const fill = `fill="${css(scatter.colorOf(i))}" opacity="${alpha.toFixed(2)}"`;
    circle([x, y], (size / 2).toFixed(1), fill);
    if (shapes.length > MOST_SVG_POINTS) return null;
  }
  if (state.row >= 0) {
    const radius = size / 2 + 3;
    for (const i of data.euclideanOf(state.row) || []) {
      const [x, y] = scatter.screen(i).map(place => (place - radius).toFixed(1));
      const sides = `width="${2 * radius}" height="${2 * radius}" stroke-width="2"`;
      shapes.push(`<rect x="${x}" y="${y}" ${sides} fill="none" stroke="${ink}"/>`);
    }
    for (const i of data.neighborsOf(state.row)) {
      circle(scatter.screen(i), radius, `fill="none" stroke="${styled("--red")}" stroke-width="2"`);
    }
    const corners = starCorners(scatter.screen(state.row), radius + 5);
    const points = corners.map(corner => corner.map(place => place.toFixed(1)).join(",")).join(" ");
    shapes.push(`<polygon points="${points}" fill="${styled("--red")}" stroke="${ink}"/>`);
  }
  const label = (text, x, y, rest) => {
    const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
    shapes.push(`<text ${place} fill="${ink}" ${rest}>${escaped(text)}</text>`);
  };
  const halo = `stroke="${styled("--paper")}" stroke-width="4" paint-order="stroke"`;
  for (const {text, x, y} of clusterNames(explorer, one => 7.5 * one.length)) {
    label(text, x, y + 4, `text-anchor="middle" font-weight="600" ${halo}`);
  }
  label(legend.title, 12, height + 0.9 * LEGEND_LINE, 'font-weight="600"');
  for (const {color, text, x, y} of legend.items) {
    circle([x + 5, height + y - 4], 5, `fill="${css(color)}"`);
    label(text, x + 15, height + y, "");
  }
  const whole = Math.ceil(height + legend.height);
  const sizes = `width="${width}" height="${whole}" font-family="sans-serif" font-size="13"`;
  const paper = `<rect width="100%" height="100%" fill="${styled("--paper")}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${sizes}>${paper}${shapes.join("")}</svg>`;
}

function listenToSaving(explorer) {
  const close = () => { byId("save").open = false; };
  onClick("save-png", async () => {
    download(await asPng(explorer), "map.png");
    close();
  });
  onClick("save-svg", () => {
    const text = asSvg(explorer);
    if (text) download(new Blob([text], {type: "image/svg+xml"}), "map.svg");
    else explorer.tell("Too many points for SVG: zoom in, isolate a selection, or use PNG.", true);
    close();
  });
  onClick("copy-link", () => {
    copyLink(explorer);
    close();
  });
  document.addEventListener("click", event => {
    if (!event.target.closest("#save")) close();
  });
}
