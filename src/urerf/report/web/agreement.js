// In which columns do rows agree with a row more than chance? Each other row is ranked by how
// close its value is to that of the row, ties in the middle: random rows have a mean rank of 1/2,
// whatever the column looks like. In a column that is nearly constant, all ranks are about 1/2.
const SAMPLED = 4000;  // rows that stand for all others: a rank is then known to about 0.01
const FALSE_SHARE = 0.05;  // of the columns said to agree, at most so many do by chance

// Every so-and-so-many-th row.
function sampledRows(n) {
  const step = Math.max(1, Math.floor(n / SAMPLED));
  return Array.from({length: Math.ceil(n / step)}, (_, i) => i * step);
}

// How far apart two values are: levels of a category are equal or not.
function gap(a, b, isCategory) {
  return isCategory ? Number(a !== b) : Math.abs(a - b);
}

// The share of sorted gaps below a gap, those that are equal counted half.
function midrank(sorted, value) {
  const position = isBefore => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(sorted[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const below = position(entry => entry < value);
  const until = position(entry => entry <= value);
  return (below + until) / 2 / sorted.length;
}

// Agreement of some rows with a row in one column. share: 1 if they are the closest rows there
// are, 0 if they are as close as random rows. score: the same in standard errors of chance.
// closeness: that of each of the rows, from 1 (closest) over 0 (chance) to -1 (farthest).
function agreement(values, row, others, isCategory = false) {
  const own = values[row];
  const nothing = {share: 0, score: 0, closeness: others.map(() => 0)};
  if (!Number.isFinite(own)) return nothing;
  const gaps = [];
  for (const i of sampledRows(values.length)) {
    if (i !== row && Number.isFinite(values[i])) gaps.push(gap(values[i], own, isCategory));
  }
  const sorted = Float64Array.from(gaps).sort();
  if (!sorted.length || sorted[0] === sorted[sorted.length - 1]) return nothing;
  let spread = 0;
  for (const value of sorted) spread += (midrank(sorted, value) - 0.5) ** 2;
  spread = Math.sqrt(spread / sorted.length);
  const closeness = others.map(i => {
    const known = Number.isFinite(values[i]);
    return known ? 1 - 2 * midrank(sorted, gap(values[i], own, isCategory)) : 0;
  });
  const mean = closeness.reduce((sum, one) => sum + one, 0) / others.length;
  const closest = 1 - 2 * midrank(sorted, sorted[0]);
  const score = mean / (2 * spread / Math.sqrt(others.length));
  return {share: closest > 0 ? mean / closest : 0, score, closeness};
}

// The columns of the page, those in which the rows agree most with the row first; columns that
// say nothing are left out.
function agreements(data, row, others) {
  const found = data.meta.columns.map(({kind}, column) => {
    return {column, ...agreement(data.values[column], row, others, kind === "category")};
  });
  const telling = found.filter(one => one.score !== 0);
  telling.sort((a, b) => b.score - a.score);
  const n = moreThanChance(telling.map(one => one.score));
  return telling.map((one, i) => ({...one, agrees: i < n}));
}

// How many of the scores, largest first, are more than chance (Benjamini and Hochberg, 1995).
function moreThanChance(scores) {
  let n = 0;
  scores.forEach((score, i) => {
    if (upperTail(score) <= FALSE_SHARE * (i + 1) / scores.length) n = i + 1;
  });
  return n;
}

// The probability that a standard normal number is larger (Abramowitz and Stegun, 26.2.17).
function upperTail(score) {
  if (score < 0) return 1 - upperTail(-score);
  const t = 1 / (1 + 0.2316419 * score);
  const terms = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = terms.reduceRight((total, term) => (total + term) * t, 0);
  return Math.exp(-score * score / 2) / Math.sqrt(2 * Math.PI) * sum;
}
