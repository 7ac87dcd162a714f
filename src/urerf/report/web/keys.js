// Keys on the map.
function listenToKeys(explorer) {
  const {state} = explorer;
  const current = () => state.hovered >= 0 ? state.hovered : Math.max(state.row, 0);
  const actions = {
    ArrowLeft: () => explorer.step(current(), -1, 0),
    ArrowRight: () => explorer.step(current(), 1, 0),
    ArrowUp: () => explorer.step(current(), 0, 1),
    ArrowDown: () => explorer.step(current(), 0, -1),
    Enter: () => explorer.select(current()),
    " ": () => explorer.select(current()),
    "+": () => explorer.zoom(1.5),
    "=": () => explorer.zoom(1.5),
    "-": () => explorer.zoom(1 / 1.5),
    0: () => explorer.reset(),
    m: () => explorer.useTool("move"),
    l: () => explorer.useTool("lasso"),
    b: () => explorer.useTool("box"),
    Escape: () => {
      explorer.hover(-1);
      if (state.picked) explorer.pick(null);
      else explorer.select(-1);
    },
  };
  byId("plot").addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
  });
}
