// The captions of all views on a map: those without room are left out. Results of a search, saved places and the program's
// annotations are separate groups of views, but what they show shares one map, and callouts cover a part of it.

const INTERVAL = 200;
// The distance in pixels at which two captions no longer read as one.
const GAP = [4, 1];
// How much larger a selected view is drawn: views.css.
const SELECTED = { marker: 1.3, pin: 1.14 };

const all = new WeakMap();

/** The captions on a map. */
export function captionsOf(map) {
  if (!all.has(map)) all.set(map, new Captions(map));
  return all.get(map);
}

class Captions {
  #groups = [];
  #callouts = [];
  #timer = null;

  constructor(map) {
    map.on("moveend", () => this.update());
    map.on("zoom", () => this.updateSoon());
  }

  /** Adds a group of views, which comes before the groups that were added earlier. */
  add(group) { this.#groups.unshift(group); }

  /** Adds a callout, below which a caption would be cut off. */
  addCallout(callout) { this.#callouts.push(callout); }

  updateSoon() { this.#timer ??= setTimeout(() => this.update(), INTERVAL); }

  /** Hides captions without room: a caption must not overlap another one, another view or a callout. The selected view comes first. */
  update() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const views = this.#groups.flatMap((group) => group.entries.sort((a, b) => group.importance(b) - group.importance(a))
      .map((entry) => ({ entry, group, isSelected: group.isSelected(entry) }))).sort((a, b) => b.isSelected - a.isSelected);
    // Reads all sizes before changing anything, to avoid a layout for each.
    for (const { entry } of views) entry.caption ??= captionOf(entry);
    const taken = views.map((view) => ({ ...view, box: boxOf(view) }));
    const callouts = this.#callouts.map(({ box }) => box).filter(Boolean);
    for (const { entry, group, isSelected } of views) {
      // The callout of a selected view has its title.
      if (!entry.caption || (isSelected && entry.view.callout)) continue;
      const { node, size, isAlways } = entry.caption;
      const mine = box(entry.x, entry.y + (entry.view.size?.[1] ?? 32) / 2 + size[1] / 2, size);
      const room = [mine[0] - GAP[0], mine[1] - GAP[1], mine[2] + GAP[0], mine[3] + GAP[1]];
      const isFree = isAlways || isSelected ||
        !taken.some((other) => other.entry !== entry && overlap(room, other.box)) && !callouts.some((other) => overlap(room, other));
      node.classList.toggle("is-crowded", !isFree);
      if (isFree) taken.push({ entry, group, box: mine });
    }
    for (const group of this.#groups) group.onCaptioned(taken.filter((each) => each.group === group).map(aroundPosition));
  }
}

function captionOf({ button, view }) {
  const node = button.querySelector(".caption");
  return node && { node, size: [node.offsetWidth, node.offsetHeight], isAlways: view.titleVisibility === "visible" };
}

const box = (x, y, [width, height]) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];

/** The box of a view without its caption; a selected one is larger, from its foot. */
function boxOf({ entry: { x, y, view }, isSelected }) {
  const [width, height] = view.size ?? [32, 32];
  const scale = isSelected ? SELECTED[view.kind] ?? 1 : 1;
  return box(x, y + height / 2 - height * scale / 2, [width * scale, height * scale]);
}

/** A box as the distances of its edges from the position of its view. */
const aroundPosition = ({ entry: { view, x, y, offset }, box: [west, north, east, south] }) => ({
  position: view.position, box: [y - offset[1] - north, east - x + offset[0], south - y + offset[1], x - offset[0] - west],
});

const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
