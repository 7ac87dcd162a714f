// The colors of the points by a field: on a scale for numbers, one per level otherwise.

// The values at the ends of the color scale: the 1st and the 99th percentile, so that a few
// outliers do not leave one color for all the others.
function limits(values) {
  const sample = sampledRows(values.length).map(i => values[i]).filter(Number.isFinite);
  if (!sample.length) return [0, 1];
  sample.sort((a, b) => a - b);
  return [sample[Math.floor(0.01 * sample.length)], sample[Math.ceil(0.99 * sample.length) - 1]];
}

// A function from the value of a row to its color.
function colorScale(field) {
  if (!field) return () => NONE;
  if (field.levels) return value => CLASSES[value] || NONE;
  const [low, high] = limits(field.values);
  const colors = Array.from({length: 256}, (_, i) => ramp(i / 255));
  return value => {
    if (!Number.isFinite(value)) return NONE;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return colors[Math.round(255 * Math.min(Math.max(share, 0), 1))];
  };
}

// Whether the legend lets a value through.
function passes(value, filter, hasLevels) {
  if (!hasLevels) {
    if (!filter.range) return true;
    const [low, high] = filter.range;
    return (low === null || value >= low) && (high === null || value <= high);
  }
  return !filter.hidden.size || !filter.hidden.has(classOf(value));
}

// The entry of the legend that a level belongs to: beyond the colors, all others are one.
const MISSING = "missing";
const OTHERS = "others";
function classOf(value) {
  if (!Number.isFinite(value)) return MISSING;
  return value < CLASSES.length ? value : OTHERS;
}

// Fill the colors of all points: hidden ones are transparent, unpicked ones faded.
const FADED = 45;
function paint(scatter, field, scale, state) {
  const {rgba} = scatter;
  const {picked, isolated, filter} = state;
  for (let i = 0; i < scatter.n; i++) {
    const value = field ? field.values[i] : 0;
    const isShown = !field || passes(value, filter, field.levels);
    const isPicked = !picked || picked[i];
    let alpha = 255;
    if (!isShown || (isolated && !isPicked)) alpha = 0;
    else if (!isPicked) alpha = FADED;
    const color = isPicked ? scale(value) : NONE;
    rgba[4 * i] = color[0];
    rgba[4 * i + 1] = color[1];
    rgba[4 * i + 2] = color[2];
    rgba[4 * i + 3] = alpha;
  }
  scatter.recolored();
}
