// A link that restores the view: colors, filters, position, the row and the selection.
const LINK = "#view=";

// Picked rows as lengths of runs, beginning with rows that are not picked.
function runsOf(picked) {
  const runs = [];
  let [state, length] = [0, 0];
  for (const one of picked) {
    if (one === state) length++;
    else {
      runs.push(length);
      [state, length] = [one, 1];
    }
  }
  return [...runs, length];
}

function fromRuns(runs, n) {
  const picked = new Uint8Array(n);
  let i = 0;
  runs.forEach((length, j) => {
    if (j % 2) picked.fill(1, i, i + length);
    i += length;
  });
  return picked;
}

function viewText({state, scatter}) {
  const {x, y, zoom} = scatter.view;
  const view = {
    by: state.by,
    view: [x, y, zoom].map(value => Number(value.toPrecision(6))),
    row: state.row,
    hidden: [...state.filter.hidden],
    range: state.filter.range,
    picked: state.picked && runsOf(state.picked),
    pickedBy: state.pickedBy,
    isolated: state.isolated,
    names: state.names,
  };
  return encodeURIComponent(JSON.stringify(view));
}

async function copyLink(explorer) {
  const address = location.href.split("#")[0] + LINK + viewText(explorer);
  try { history.replaceState(null, "", address); } catch { location.hash = address.split("#")[1]; }
  try {
    await navigator.clipboard.writeText(address);
    explorer.tell("The link to this view was copied.");
  } catch {
    explorer.tell("The address of this page is now a link to this view.");
  }
}

// Restore the view that the address asks for; anything that does not fit the table is ignored.
function restoreView(explorer) {
  if (!location.hash.startsWith(LINK)) return;
  const {state, scatter, data} = explorer;
  try {
    const saved = JSON.parse(decodeURIComponent(location.hash.slice(LINK.length)));
    explorer.showNames(saved.names === true);
    state.filter = {hidden: new Set(saved.hidden), range: saved.range || null};
    if (saved.by === "none" || explorer.fieldOf(saved.by)) explorer.colorBy(saved.by, true);
    if (saved.picked) explorer.pick(fromRuns(saved.picked, data.n), String(saved.pickedBy));
    if (saved.picked && saved.isolated) explorer.isolate(true);
    explorer.select(Number.isInteger(saved.row) && saved.row < data.n ? saved.row : -1, false);
    const [x, y, zoom] = saved.view.map(Number);
    if ([x, y, zoom].every(Number.isFinite)) scatter.view = {x, y, zoom};
    explorer.draw();
  } catch {
    explorer.tell("The link does not describe a view of this table.", true);
  }
}
