// Small helpers for the elements of the page.
const byId = id => document.getElementById(id);

// An element with attributes, a text, a listener for clicks, and children.
function element(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name === "text") made.textContent = value;
    else if (name === "on") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// A round patch of color.
function swatch(color) {
  const made = element("i", {class: "swatch", "aria-hidden": "true"});
  made.style.background = css(color);
  return made;
}

// A text that is cut at a number of characters.
const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

// A name that is cut in the middle: its ends tell it from similar names.
function shortName(text, most) {
  if (text.length <= most) return text;
  const end = Math.floor(most / 3);
  return `${text.slice(0, most - end - 1).trimEnd()}…${text.slice(-end)}`;
}

const counted = (n, noun) => `${n.toLocaleString("en")} ${n === 1 ? noun : `${noun}s`}`;

// Hours, minutes, and seconds if there are any, of a number of days (values.py).
function durationText(days) {
  const total = Math.round(SECONDS * Math.abs(days));
  const parts = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  if (total % 60) parts.push(total % 60);
  return (days < 0 ? "-" : "") + parts.map(part => String(part).padStart(2, "0")).join(":");
}

// A number with four digits, and thousands separated (values.py).
function short(value) {
  if (!Number.isFinite(value)) return "missing";
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e15) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(4)));
}

// A share in percent; small ones are not called zero, and nearly all is not all (values.py).
function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  if (share >= 0.995 && share < 1) return ">99%";
  return `${Math.round(100 * share)}%`;
}

// Offer a file for download.
function download(blob, name) {
  const link = element("a", {download: name, href: URL.createObjectURL(blob)});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const onClick = (id, action) => byId(id).addEventListener("click", action);
