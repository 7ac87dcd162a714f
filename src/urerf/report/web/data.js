// The table, the graph and their names.
const DAY = 86400000;  // milliseconds
const MINUTES = 1440;  // of a day
const SECONDS = 60 * MINUTES;

class Data {
  static async load() {
    const data = new Data();
    data.meta = JSON.parse(byId("meta").textContent);
    data.n = data.meta.n;
    const names = ["points", "neighbors", "euclidean", "distances", "component"];
    const graph = await Promise.all(names.map(decode));
    names.forEach((name, i) => { data[name] = graph[i]; });
    data.cluster = await decodeValues("cluster");
    data.label = await decodeValues("label");
    const columns = data.meta.columns.map((_, c) => decodeValues(`values-${c}`));
    const stored = await Promise.all(columns);
    data.values = data.meta.columns.map(({offset}, c) => {
      return offset ? Float64Array.from(stored[c], value => value + offset) : stored[c];
    });
    return data;
  }

  name(i) {
    const {ids, rows} = this.meta;
    if (ids) return ids[i];
    return String(rows ? rows[i] : i);
  }

  labelOf(i) {
    if (!this.label) return "";
    return this.text(this.label[i], this.meta.labels, "number");
  }

  // The value of a row in a column, as text.
  valueOf(i, c) {
    const {levels, kind} = this.meta.columns[c];
    return this.text(this.values[c][i], levels, kind);
  }

  text(value, levels, kind) {
    if (!Number.isFinite(value)) return "missing";
    if (levels) return levels[value] || "(empty)";
    if (kind === "datetime") {
      const text = new Date(Math.round(value * MINUTES) * DAY / MINUTES).toISOString();
      return text.slice(0, 16).replace("T", " ").replace(" 00:00", "");
    }
    if (kind === "duration") return durationText(value);
    return short(value);
  }

  clusterText(c) {
    const name = clusterName(this.meta.clusters[c], c);
    return name.startsWith("cluster") ? name : `cluster ${name}`;
  }

  neighborsOf(i) {
    const {k} = this.meta;
    return Array.from(this.neighbors.subarray(i * k, (i + 1) * k));
  }

  euclideanOf(i) {
    const {k} = this.meta;
    return this.euclidean && Array.from(this.euclidean.subarray(i * k, (i + 1) * k));
  }

  // Distance in the forest to the neighbor at a position.
  distanceAt(i, position) {
    return this.distances[i * this.meta.k + position] / 0xffff;
  }

  // What rows can be colored, filtered and searched by. A field has a name, values and levels
  // (null for numbers).
  fields() {
    const {meta} = this;
    const found = [];
    if (this.label) {
      found.push({key: "label", name: meta.label, values: this.label, levels: meta.labels});
    }
    if (meta.clusters.length) {
      const levels = meta.clusters.map(clusterName);
      found.push({key: "cluster", name: "cluster", values: this.cluster, levels, none: "none"});
    }
    meta.columns.forEach((column, c) => {
      found.push({...column, key: String(c), values: this.values[c], column: c});
    });
    if (meta.components > 1) {
      const levels = Array.from({length: meta.components}, (_, c) => `component ${c + 1}`);
      found.push({key: "component", name: "connected component", values: this.component, levels});
    }
    return found;
  }
}
