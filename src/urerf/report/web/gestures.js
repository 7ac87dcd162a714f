// Mouse, pen and fingers on the map. Drag moves it, or draws with the lasso and the box; two
// fingers zoom; the wheel scrolls the page, and zooms with Ctrl. One finger scrolls the page up
// and down, as anywhere else.
const CLICK = 4;  // pixels that a click may move

class Gestures {
  constructor(explorer) {
    this.explorer = explorer;
    this.plot = byId("plot");
    this.pointers = new Map();
    const listen = (name, action) => this.plot.addEventListener(name, action);
    listen("pointerdown", event => this.down(event));
    listen("pointermove", event => this.moved(event));
    listen("pointerup", event => this.up(event));
    listen("pointercancel", event => this.cancel(event));
    listen("pointerleave", () => this.explorer.hover(-1));
    this.plot.addEventListener("wheel", event => this.wheel(event), {passive: false});
  }

  place(event) {
    const box = this.plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    if (event.button > 0 || event.target.closest("button")) return;
    const place = this.place(event);
    this.plot.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, place);
    this.from = place;
    this.hasMoved = false;
    if (this.pointers.size > 1) {
      this.explorer.state.outline = [];
      return;
    }
    const {tool} = this.explorer.state;
    this.drawing = event.shiftKey && tool === "move" ? "box" : tool;
    if (this.drawing === "lasso") this.explorer.state.outline = [place];
  }

  moved(event) {
    const {explorer} = this;
    const place = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      explorer.hover(explorer.scatter.nearest(...place));
      return;
    }
    if (!this.hasMoved && Math.hypot(place[0] - this.from[0], place[1] - this.from[1]) <= CLICK) {
      return;
    }
    this.hasMoved = true;
    explorer.hover(-1);
    if (this.pointers.size > 1) this.pinch(event.pointerId, place);
    else if (this.drawing === "move") {
      explorer.scatter.move(place[0] - before[0], place[1] - before[1]);
    } else this.outline(place);
    this.pointers.set(event.pointerId, place);
    explorer.draw();
  }

  // Two fingers: the map follows both.
  pinch(id, place) {
    const {scatter} = this.explorer;
    const ids = [...this.pointers.keys()].slice(0, 2);
    if (!ids.includes(id)) return;
    const before = ids.map(one => this.pointers.get(one));
    const after = ids.map(one => one === id ? place : this.pointers.get(one));
    const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const length = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    const [from, to] = [middle(before), middle(after)];
    scatter.move(to[0] - from[0], to[1] - from[1]);
    scatter.zoomAt(...to, length(after) / Math.max(length(before), 1));
  }

  outline(place) {
    const {state} = this.explorer;
    const [a, b] = [this.from, place];
    if (this.drawing === "lasso") state.outline.push(place);
    else state.outline = [a, [b[0], a[1]], b, [a[0], b[1]]];
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const {explorer} = this;
    const {outline} = explorer.state;
    explorer.state.outline = [];
    if (!this.hasMoved && !this.pointers.size) {
      const i = explorer.scatter.nearest(...this.place(event), 20);
      if (i >= 0) explorer.select(i);
    } else if (outline.length > 2) explorer.pickInside(outline, this.drawing);
    else explorer.draw();
  }

  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.explorer.state.outline = [];
    this.explorer.draw();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) {
      this.explorer.hint("Hold Ctrl while scrolling to zoom, or use the + and − buttons.");
      return;
    }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.explorer.zoom(Math.exp(-event.deltaY * lines * 0.0015), this.place(event));
  }
}
