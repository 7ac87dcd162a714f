// What is drawn over the points: the selected row, its neighbors, the lasso, names of clusters.
function drawMarks(explorer) {
  const {scatter, data, state} = explorer;
  const canvas = byId("marks");
  const pen = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(scatter.width * ratio);
  canvas.height = Math.round(scatter.height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawClusterNames(pen, explorer);
  if (state.row >= 0) drawNeighbors(pen, explorer, state.row);
  const size = Math.max(4, scatter.size / 2 + 1.5);
  if (state.hovered >= 0) {
    drawRing(pen, scatter.screen(state.hovered), size + 3, styled("--ink"), 2);
  }
  if (state.outline.length > 1) drawOutline(pen, state.outline);
}

// Neighbors keep their color inside a red ring; Euclidean neighbors are in squares.
function drawNeighbors(pen, explorer, row) {
  const {scatter, data} = explorer;
  const red = styled("--red");
  const ink = styled("--ink");
  const paper = styled("--paper");
  const size = Math.max(4.5, scatter.size / 2 + 1.5);
  const center = scatter.screen(row);
  const neighbors = data.neighborsOf(row);
  for (const i of data.euclideanOf(row) || []) {
    drawSquare(pen, scatter.screen(i), size + 2, ink, paper);
  }
  pen.strokeStyle = red;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.5;
  for (const i of neighbors) drawLine(pen, center, scatter.screen(i));
  pen.globalAlpha = 1;
  for (const i of neighbors) {
    const place = scatter.screen(i);
    drawDisc(pen, place, size, css(explorer.colorOf(i)));
    drawRing(pen, place, size + 1.5, paper, 4);
    drawRing(pen, place, size + 1, red, 2);
  }
  drawStar(pen, center, size + 6, red, ink, paper);
}

function drawLine(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

function drawDisc(pen, [x, y], size, fill) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
}

function drawRing(pen, [x, y], size, edge, width) {
  pen.beginPath();
  pen.arc(x, y, size, 0, 7);
  pen.strokeStyle = edge;
  pen.lineWidth = width;
  pen.stroke();
}

function drawSquare(pen, [x, y], size, edge, halo) {
  for (const [color, width] of [[halo, 4], [edge, 2]]) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }
}

function starCorners([x, y], size) {
  return Array.from({length: 10}, (_, i) => {
    const radius = i % 2 ? size / 2.4 : size;
    const angle = Math.PI * (i / 5 - 0.5);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

function drawStar(pen, place, size, fill, edge, halo) {
  pen.beginPath();
  for (const corner of starCorners(place, size)) pen.lineTo(...corner);
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

// The lasso or the box while it is drawn.
function drawOutline(pen, outline) {
  pen.beginPath();
  for (const place of outline) pen.lineTo(...place);
  pen.closePath();
  pen.fillStyle = styled("--link");
  pen.globalAlpha = 0.12;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = styled("--link");
  pen.lineWidth = 2;
  pen.stroke();
}
