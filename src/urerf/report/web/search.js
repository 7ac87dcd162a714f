// The search box: rows by name, rows by the value of any field, and columns to color by, with
// suggestions while one types. Fields can be compared: "body_mass_g > 4000", "day < 2024-05-01".
const MOST_SUGGESTIONS = 9;
const COMPARISON = /^(.+?)\s*(<=|>=|=|:|<|>)\s*(.+)$/;
const COMPARE = {
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

class Search {
  constructor(explorer) {
    this.explorer = explorer;
    this.box = byId("row");
    this.list = byId("suggestions");
    this.found = [];
    this.current = -1;
    this.box.addEventListener("input", () => this.suggest());
    this.box.addEventListener("focus", () => this.suggest());
    this.box.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.box.addEventListener("keydown", event => this.key(event));
  }

  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.mark(this.current + (event.key === "ArrowDown" ? 1 : -1));
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.choose(this.current >= 0 ? this.found[this.current] : this.best());
    } else if (event.key === "Escape") {
      this.close();
    }
  }

  // What Enter means: the only or best suggestion; an exact name of a row comes first.
  best() {
    this.suggest();
    return this.found[0];
  }

  suggest() {
    this.found = suggestions(this.explorer.data, this.box.value);
    this.current = -1;
    this.list.replaceChildren(...this.found.map(({text, detail}, i) => {
      const item = element("li", {role: "option", id: `suggestion-${i}`},
        element("span", {text: cut(text, 60)}), element("small", {text: detail}));
      item.addEventListener("mousedown", event => {
        event.preventDefault();
        this.choose(this.found[i]);
      });
      return item;
    }));
    const isOpen = this.found.length > 0 && document.activeElement === this.box;
    this.list.hidden = !isOpen;
    this.box.setAttribute("aria-expanded", String(isOpen));
    this.box.setAttribute("aria-invalid", "false");
  }

  mark(i) {
    if (!this.found.length) return;
    this.current = (i + this.found.length) % this.found.length;
    [...this.list.children].forEach((item, j) => {
      item.setAttribute("aria-selected", String(j === this.current));
    });
    this.box.setAttribute("aria-activedescendant", `suggestion-${this.current}`);
    this.list.children[this.current].scrollIntoView({block: "nearest"});
  }

  choose(suggestion) {
    this.close();
    const text = this.box.value.trim();
    if (!text) return;
    this.box.setAttribute("aria-invalid", String(!suggestion));
    if (suggestion) suggestion.act(this.explorer);
    else this.explorer.tell(`Nothing found for “${cut(text, 40)}”.`, true);
  }

  close() {
    this.list.hidden = true;
    this.box.setAttribute("aria-expanded", "false");
    this.box.removeAttribute("aria-activedescendant");
  }
}

// What a text may mean, the best guess first. A suggestion has a text, a detail and an action.
function suggestions(data, typed) {
  const text = typed.trim().toLowerCase();
  if (!text) return [];
  const compared = comparison(data, typed.trim());
  const found = [...compared, ...rowsNamed(data, text)];
  if (!compared.length) found.push(...rowsWith(data, text), ...columnsNamed(data, text));
  return found.slice(0, MOST_SUGGESTIONS);
}

function rowsNamed(data, text) {
  const exact = [];
  const others = [];
  for (let i = 0; i < data.n; i++) {
    const name = data.name(i).toLowerCase();
    if (name === text) exact.push(i);
    else if (others.length < MOST_SUGGESTIONS && name.includes(text)) others.push(i);
  }
  const found = [];
  if (exact.length > 1) {
    const detail = `${exact.length} rows have this name`;
    const act = explorer => {
      explorer.pickRows(exact, `${exact.length} rows have the name ${data.name(exact[0])}.`);
      explorer.select(exact[0]);
    };
    found.push({text: `Rows ${data.name(exact[0])}`, detail, act});
  }
  const rows = exact.length > 1 ? others : [...exact, ...others];
  for (const i of rows.slice(0, exact.length === 1 ? 5 : 4)) {
    const act = explorer => explorer.goTo(i);
    found.push({text: `Row ${data.name(i)}`, detail: data.labelOf(i), act});
  }
  return found;
}

// Rows with a level that contains the text, or with the number. Levels that are the text come
// first, then those that begin with it, then the most frequent ones.
function rowsWith(data, text) {
  const found = [];
  const number = Number(text);
  for (const field of data.fields()) {
    if (field.levels) {
      field.levels.forEach((level, code) => {
        const place = level.toLowerCase().indexOf(text);
        if (place < 0 || field.key === "component") return;
        const rank = place > 0 ? 0 : level.length === text.length ? 2 : 1;
        const n = levelCounts(field)[code];
        found.push({...rowsWhere(field, level, value => value === code, ":", n), rank});
      });
    } else if (isTime(field)) {
      const time = timeOf(field, text);
      if (Number.isFinite(time)) {
        found.push({...rowsWhere(field, text, isSameTime(field, time)), rank: 2});
      }
    } else if (Number.isFinite(number)) {
      const close = Math.abs(number) * 1e-6;
      const isIt = value => Math.abs(value - number) <= close;
      found.push({...rowsWhere(field, short(number), isIt), rank: 2});
    }
    if (found.length > 50) break;
  }
  const some = found.filter(one => one.n);
  some.sort((a, b) => b.rank - a.rank || b.n - a.n);
  return some.slice(0, 5);
}

// The number of rows of each level. It is counted once: a table may have thousands of levels, and
// suggestions are made for every letter that is typed.
const countsOf = new WeakMap();
function levelCounts({values, levels}) {
  if (!countsOf.has(values)) {
    const counts = new Uint32Array(levels.length);
    for (const value of values) if (Number.isFinite(value)) counts[value]++;
    countsOf.set(values, counts);
  }
  return countsOf.get(values);
}

// Rows whose value passes a test; n is their number, if it is known.
function rowsWhere(field, text, isIt, sign = ":", n = null) {
  const matching = () => {
    const rows = [];
    field.values.forEach((value, i) => { if (isIt(value)) rows.push(i); });
    return rows;
  };
  const name = `${field.name}${sign} ${text}`;
  const total = n === null ? matching().length : n;
  const act = explorer => explorer.pickRows(matching(), name);
  return {text: name, detail: counted(total, "row"), act, n: total};
}

function columnsNamed(data, text) {
  const found = data.fields().filter(field => field.name.toLowerCase().includes(text));
  return found.slice(0, 4).map(field => {
    const act = explorer => explorer.colorBy(field.key);
    return {text: `Color by ${field.name}`, detail: "", act};
  });
}

const isTime = ({kind}) => kind === "datetime" || kind === "duration";

// The number of days of a duration such as 26:05, or since 1970 of a date such as 2024-05-01; NaN
// for anything else.
function timeOf({kind}, text) {
  if (kind === "datetime") {
    return /^\d{4}-\d\d-\d\d$/.test(text.trim()) ? Date.parse(text.trim()) / DAY : NaN;
  }
  const parts = /^(-?)(\d+):(\d\d)(?::(\d\d))?$/.exec(text.trim());
  if (!parts) return NaN;
  const [, minus, hours, minutes, seconds] = parts;
  const days = (3600 * hours + 60 * minutes + Number(seconds || 0)) / SECONDS;
  return minus ? -days : days;
}

// Whether a value is on a day, or is a duration to the second.
function isSameTime({kind}, time) {
  if (kind === "datetime") return value => Math.floor(value) === time;
  return value => Math.round(SECONDS * value) === Math.round(SECONDS * time);
}

// "name > value" or "name: level".
function comparison(data, typed) {
  const parts = COMPARISON.exec(typed);
  if (!parts) return [];
  const [, name, sign, wanted] = parts;
  const lower = name.trim().toLowerCase();
  const field = data.fields().find(one => one.name.toLowerCase() === lower);
  if (!field) return [];
  if (field.levels) {
    const text = wanted.trim().toLowerCase();
    const codes = new Set();
    field.levels.forEach((level, code) => {
      if (level.toLowerCase().includes(text)) codes.add(code);
    });
    const one = rowsWhere(field, wanted, value => codes.has(value));
    return one.n ? [one] : [];
  }
  const number = isTime(field) ? timeOf(field, wanted) : Number(wanted);
  const operation = sign === ":" ? "=" : sign;
  if (!Number.isFinite(number)) return [];
  const offset = field.offset || 0;
  const target = field.exact ? number : Math.fround(number - offset) + offset;  // as it is stored
  let isIt = value => COMPARE[operation](value, target);
  if (isTime(field) && operation === "=") isIt = isSameTime(field, number);
  const one = rowsWhere(field, wanted, isIt, ` ${operation}`);
  return one.n ? [one] : [];
}
