// The names of the clusters on the map: in the middle of large ones, above small ones, never over
// another name.
const NAME_LETTERS = 34;
const NAME_HEIGHT = 17;
const MOST_NAMES = 12;  // on the whole map; more when it is larger
const AROUND = 0.12;  // in units of the map, whose half is 1
const LARGE = 60;  // pixels from the middle to the upper end
const ENOUGH = 0.1;  // share of the rows of a cluster that must be visible for its name

// Each cluster: its row closest to the median of all, and the upper end of the rows around it.
function clusterCenters(data, xy) {
  const places = data.meta.clusters.map(() => []);
  for (let i = 0; i < data.n; i++) {
    const cluster = data.cluster[i];
    if (Number.isFinite(cluster)) places[cluster].push([xy[2 * i], xy[2 * i + 1]]);
  }
  const median = values => values.sort((a, b) => a - b)[values.length >> 1];
  return places.map(rows => {
    const middle = [0, 1].map(axis => median(rows.map(row => row[axis])));
    const square = (a, b) => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
    let center = rows[0];
    for (const row of rows) if (square(row, middle) < square(center, middle)) center = row;
    const around = rows.filter(row => square(row, center) < AROUND ** 2);
    const top = around.reduce((most, row) => Math.max(most, row[1]), center[1]);
    return {x: center[0], y: center[1], top};
  });
}

// For each cluster, whether enough of its rows are neither filtered out nor outside of an isolated
// selection.
function visibleClusters(data, scatter) {
  const total = data.meta.clusters.map(() => 0);
  const visible = data.meta.clusters.map(() => 0);
  for (let i = 0; i < data.n; i++) {
    const cluster = data.cluster[i];
    if (!Number.isFinite(cluster)) continue;
    total[cluster]++;
    if (scatter.isVisible(i)) visible[cluster]++;
  }
  return total.map((n, c) => visible[c] >= ENOUGH * n);
}

// A cluster with its number, as `urerf cluster` counts them; without columns that mark it, its name
// is nothing but the number.
function clusterName(name, c) {
  return name === `cluster ${c}` ? name : `${c}: ${name}`;
}

// A name with as many of its columns as fit, or the first one, cut, if it does not.
function fittingName(name, most = NAME_LETTERS) {
  if (name.length <= most) return name;
  const end = name.lastIndexOf(", ", most);
  return end > 0 ? name.slice(0, end) : shortName(name.split(", ")[0], most);
}

// Where the names go: a list of {text, x, y} in pixels.
function clusterNames(explorer, width) {
  const {scatter, data, centers, named, state} = explorer;
  if (!state.names) return [];
  const taken = [];
  const placed = [];
  data.meta.clusters.forEach((name, c) => {
    if (!named[c] || placed.length >= MOST_NAMES * Math.max(1, scatter.view.zoom)) return;
    const text = clusterName(fittingName(name), c);
    const half = width(text) / 2 + 3;
    const center = centers[c];
    const [x, middleY] = scatter.pixel(center.x, center.y);
    const [, top] = scatter.pixel(center.x, center.top);
    const y = middleY - top < LARGE ? top - 0.7 * NAME_HEIGHT : middleY;
    const isInView = x > 0 && x < scatter.width && y > 0 && y < scatter.height;
    if (!isInView) return;
    const middle = Math.min(Math.max(x, half), Math.max(scatter.width - half, half));
    for (const up of [0, -1, 1, -2, 2]) {
      const level = y + up * NAME_HEIGHT;
      const box = [middle - half, level - NAME_HEIGHT / 2, middle + half, level + NAME_HEIGHT / 2];
      if (box[1] < 0 || box[3] > scatter.height) continue;
      if (taken.some(other => overlaps(box, other))) continue;
      taken.push(box);
      placed.push({text, x: middle, y: level});
      return;
    }
  });
  return placed;
}

function overlaps(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function drawClusterNames(pen, explorer) {
  pen.font = "600 13px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  for (const {text, x, y} of clusterNames(explorer, one => pen.measureText(one).width)) {
    pen.strokeStyle = styled("--sheet");
    pen.lineWidth = 5;
    pen.strokeText(text, x, y);
    pen.fillStyle = styled("--ink");
    pen.fillText(text, x, y);
  }
}
