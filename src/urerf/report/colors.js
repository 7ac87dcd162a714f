// Colours that stay apart for colour-blind readers; red is kept for the forest's neighbours.
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121],
  [109, 205, 89], [180, 222, 44], [253, 231, 37]];
const CLASSES = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [86, 180, 233], [204, 121, 167], [240, 228, 66], [120, 94, 60]];
const NONE = [138, 144, 153];

function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The ends that would fade into the background are left out.
function ramp(share) {
  const at = (isDark() ? 0.15 + 0.85 * share : 0.92 * share) * (VIRIDIS.length - 1);
  const i = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return VIRIDIS[i].map((c, j) => Math.round(c + (at - i) * (VIRIDIS[i + 1][j] - c)));
}

const css = color => `rgb(${color.join(",")})`;

// The values between which colours run: outliers do not take them all.
function limits(values) {
  const step = Math.max(1, Math.floor(values.length / 20000));
  const some = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i])) some.push(values[i]);
  some.sort((a, b) => a - b);
  return some.length ? [some[Math.floor(0.01 * some.length)], some[Math.ceil(0.99 * some.length) - 1]] : [0, 1];
}

function colorNumbers(values, rgb) {
  const [low, high] = limits(values);
  const table = Array.from({length: 256}, (_, i) => ramp(i / 255));
  for (let i = 0; i < values.length; i++) {
    const share = high > low ? (values[i] - low) / (high - low) : 0.5;
    rgb.set(Number.isFinite(values[i]) ? table[Math.round(255 * Math.min(Math.max(share, 0), 1))] : NONE, 3 * i);
  }
  return [low, high];
}

function colorClasses(codes, rgb) {
  for (let i = 0; i < codes.length; i++) rgb.set(CLASSES[codes[i]] || NONE, 3 * i);
}
