// Color-blind safe colors; red is reserved for the neighbors in the forest.
const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
  [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
];
const CLASSES = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [86, 180, 233], [204, 121, 167],
  [240, 228, 66], [120, 94, 60],
];
const NONE = [138, 144, 153];

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The color of a share from 0 to 1, without the end that would fade into the background.
function ramp(share) {
  const position = (isDark() ? 0.15 + 0.85 * share : 0.92 * share) * (VIRIDIS.length - 1);
  const i = Math.min(Math.floor(position), VIRIDIS.length - 2);
  return VIRIDIS[i].map((c, j) => Math.round(c + (position - i) * (VIRIDIS[i + 1][j] - c)));
}

const css = color => `rgb(${color.join(",")})`;

// The values at the ends of the color scale: the 1st and the 99th percentile, so that a few
// outliers do not leave one color for all the others.
function limits(values) {
  const step = Math.max(1, Math.floor(values.length / 20000));
  const sample = [];
  for (let i = 0; i < values.length; i += step) {
    if (Number.isFinite(values[i])) sample.push(values[i]);
  }
  if (!sample.length) return [0, 1];
  sample.sort((a, b) => a - b);
  return [sample[Math.floor(0.01 * sample.length)], sample[Math.ceil(0.99 * sample.length) - 1]];
}

function colorNumbers(values, rgb) {
  const [low, high] = limits(values);
  const colors = Array.from({length: 256}, (_, i) => ramp(i / 255));
  for (let i = 0; i < values.length; i++) {
    const share = high > low ? (values[i] - low) / (high - low) : 0.5;
    const color = colors[Math.round(255 * Math.min(Math.max(share, 0), 1))];
    rgb.set(Number.isFinite(values[i]) ? color : NONE, 3 * i);
  }
  return [low, high];
}

function colorClasses(codes, rgb) {
  for (let i = 0; i < codes.length; i++) rgb.set(CLASSES[codes[i]] || NONE, 3 * i);
}
