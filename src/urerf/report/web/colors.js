// Colors of numbers and of classes. All of them can be told apart from each other and from both
// backgrounds; red is reserved for the neighbors in the forest.
const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
  [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
];
// The color-blind safe colors of Okabe and Ito first, then each as far as possible in OKLab from
// those before, from red and from gray: no two are closer than 0.12 (just noticeable: 0.02).
const CLASSES = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0],
  [156, 0, 252], [84, 84, 0], [132, 48, 120], [36, 24, 252], [252, 48, 252], [84, 204, 0],
  [216, 0, 144], [132, 120, 252], [132, 192, 144], [96, 60, 192], [132, 120, 0],
  [252, 132, 240], [144, 84, 72], [252, 60, 96], [144, 96, 168], [252, 144, 132], [0, 120, 0],
  [192, 168, 228],
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

// The color of a style sheet variable.
const styled = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
