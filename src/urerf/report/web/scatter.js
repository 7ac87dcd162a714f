// All points in one WebGL call; without WebGL, on a plain canvas.
const VERTEX = `
attribute vec2 place;
attribute vec4 color;
uniform vec2 scale, shift;
uniform float size;
varying vec4 tint;
void main() {
  gl_Position = vec4(place * scale + shift, 0.0, 1.0);
  gl_PointSize = color.a > 0.0 ? size : 0.0;
  tint = color;
}`;
const FRAGMENT = `
precision mediump float;
varying vec4 tint;
uniform float opacity;
void main() {
  float radius = length(gl_PointCoord - 0.5);
  float alpha = opacity * tint.a * (1.0 - smoothstep(0.42, 0.5, radius));
  gl_FragColor = vec4(tint.rgb * alpha, alpha);
}`;
const LARGEST_ZOOM = 500;  // points are stored in 16 bits; further in, the grid would show

class Scatter {
  // xy: x and y of the first point, then of the second, and so on.
  constructor(canvas, xy) {
    this.canvas = canvas;
    this.n = xy.length / 2;
    Object.assign(this, fitted(xy));
    this.rgba = new Uint8Array(4 * this.n).fill(255);
    this.reset();
    this.gl = canvas.getContext("webgl", {antialias: false, premultipliedAlpha: true});
    if (this.gl) this.prepare();
    else this.plain = canvas.getContext("2d");
    canvas.addEventListener("webglcontextlost", event => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.prepare();
      this.recolored();
      this.draw();
    });
  }

  prepare() {
    const {gl} = this;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.uniforms = {};
    for (const name of ["scale", "shift", "size", "opacity"]) {
      this.uniforms[name] = gl.getUniformLocation(program, name);
    }
    const place = gl.getAttribLocation(program, "place");
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, this.xy, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
    const color = gl.getAttribLocation(program, "color");
    this.colors = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    gl.enableVertexAttribArray(color);
    gl.vertexAttribPointer(color, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  // To be called after this.rgba was filled.
  recolored() {
    if (!this.gl) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.colors);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, this.rgba, this.gl.DYNAMIC_DRAW);
  }

  colorOf(i) {
    return Array.from(this.rgba.subarray(4 * i, 4 * i + 3));
  }

  isVisible(i) {
    return this.rgba[4 * i + 3] > 0;
  }

  reset() {
    this.view = {x: 0, y: 0, zoom: 1};
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
  }

  // Pixels per unit of the map.
  get unit() {
    const fit = Math.min(this.width / this.half[0], this.height / this.half[1]);
    return 0.46 * fit * this.view.zoom;
  }

  // Diameter of a point in pixels.
  get size() {
    const base = Math.max(2.5, 90 / Math.sqrt(this.n));
    return Math.min(14, base * Math.pow(this.view.zoom, 0.35) + 1);
  }

  get opacity() {
    return this.n > 5000 ? 0.7 : 0.9;
  }

  screen(i) {
    return this.pixel(this.xy[2 * i], this.xy[2 * i + 1]);
  }

  // The pixel of a position on the map.
  pixel(x, y) {
    const px = this.width / 2 + (x - this.view.x) * this.unit;
    const py = this.height / 2 - (y - this.view.y) * this.unit;
    return [px, py];
  }

  // The position on the map of a pixel.
  position(px, py) {
    const x = this.view.x + (px - this.width / 2) / this.unit;
    const y = this.view.y - (py - this.height / 2) / this.unit;
    return [x, y];
  }

  draw() {
    if (!this.gl) {
      this.drawPlain();
      return;
    }
    const {gl, uniforms} = this;
    const ratio = this.canvas.width / this.width;
    const scaleX = 2 * this.unit / this.width;
    const scaleY = 2 * this.unit / this.height;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.scale, scaleX, scaleY);
    gl.uniform2f(uniforms.shift, -this.view.x * scaleX, -this.view.y * scaleY);
    gl.uniform1f(uniforms.size, this.size * ratio);
    gl.uniform1f(uniforms.opacity, this.opacity);
    gl.drawArrays(gl.POINTS, 0, this.n);
  }

  drawPlain() {
    const pen = this.plain;
    const ratio = this.canvas.width / this.width;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (let i = 0; i < this.n; i++) {
      const [x, y] = this.screen(i);
      pen.globalAlpha = this.opacity * this.rgba[4 * i + 3] / 255;
      pen.fillStyle = css(this.colorOf(i));
      pen.fillRect(x - this.size / 2, y - this.size / 2, this.size, this.size);
    }
  }

  // The visible point closest to a pixel; -1 if none is within reach.
  nearest(px, py, reach = 14) {
    const [x, y] = this.position(px, py);
    let best = -1;
    let least = (reach / this.unit) ** 2;
    for (let i = 0; i < this.n; i++) {
      const dx = this.xy[2 * i] - x;
      const dy = this.xy[2 * i + 1] - y;
      const square = dx * dx + dy * dy;
      if (square < least && this.isVisible(i)) {
        least = square;
        best = i;
      }
    }
    return best;
  }

  // The next visible point in a direction: close, and not far off to the side.
  towards(from, dx, dy) {
    let best = from;
    let least = Infinity;
    for (let i = 0; i < this.n; i++) {
      const x = this.xy[2 * i] - this.xy[2 * from];
      const y = this.xy[2 * i + 1] - this.xy[2 * from + 1];
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (along <= 1e-6 || aside > along) continue;
      const cost = along + 2 * aside;
      if (cost < least && this.isVisible(i)) {
        least = cost;
        best = i;
      }
    }
    return best;
  }

  // Zoom so that the map under a pixel stays where it is.
  zoomAt(px, py, factor) {
    const [x, y] = this.position(px, py);
    this.view.zoom = Math.min(Math.max(this.view.zoom * factor, 0.5), LARGEST_ZOOM);
    this.view.x = x - (px - this.width / 2) / this.unit;
    this.view.y = y + (py - this.height / 2) / this.unit;
  }

  move(dx, dy) {
    this.view.x -= dx / this.unit;
    this.view.y += dy / this.unit;
  }

  // Center the map on a point that is not in view.
  reveal(i) {
    const [x, y] = this.screen(i);
    if (x < 10 || y < 10 || x > this.width - 10 || y > this.height - 10) {
      this.view.x = this.xy[2 * i];
      this.view.y = this.xy[2 * i + 1];
    }
  }

  // Show all visible points as large as possible.
  fit() {
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    for (let i = 0; i < 2 * this.n; i++) {
      if (!this.isVisible(i >> 1)) continue;
      low[i % 2] = Math.min(low[i % 2], this.xy[i]);
      high[i % 2] = Math.max(high[i % 2], this.xy[i]);
    }
    if (low[0] > high[0]) return;
    this.reset();
    const wide = this.width / this.unit / Math.max(high[0] - low[0], 1e-3);
    const tall = this.height / this.unit / Math.max(high[1] - low[1], 1e-3);
    this.view.zoom = Math.min(Math.max(0.9 * Math.min(wide, tall), 0.5), LARGEST_ZOOM);
    this.view.x = (low[0] + high[0]) / 2;
    this.view.y = (low[1] + high[1]) / 2;
  }
}

// The points centered and scaled so that the larger half extent is 1, and both half extents.
function fitted(xy) {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (let i = 0; i < xy.length; i++) {
    low[i % 2] = Math.min(low[i % 2], xy[i]);
    high[i % 2] = Math.max(high[i % 2], xy[i]);
  }
  const extent = [high[0] - low[0], high[1] - low[1]];
  const scale = Math.max(...extent, 1e-9) / 2;
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {
    xy: Float32Array.from(xy, (value, i) => (value - middle[i % 2]) / scale),
    half: extent.map(size => Math.max(size / 2 / scale, 0.05)),
  };
}
