// Files that are dropped on the map: an extract adds its region, others are shown.

import { element } from "./dom.js";
import { text } from "./texts.js";

// The type of the data of a drag that has files.
const FILES = "Files";
const REGION = /\.(pbf|mbtiles)$/i;

export class Drops {
  #regions;
  #saved;
  #target = element("div", { class: "drop", hidden: true }, element("p", { text: text("Drop an extract here to add its region, or a track or places to show them.") }));

  constructor({ stage, regions, saved }) {
    this.#regions = regions;
    this.#saved = saved;
    stage.append(this.#target);
    let depth = 0;
    const show = (isShown) => { this.#target.hidden = !isShown; };
    document.addEventListener("dragenter", (event) => {
      if (!this.#hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      show(true);
    });
    document.addEventListener("dragleave", () => {
      depth = Math.max(0, depth - 1);
      if (!depth) show(false);
    });
    document.addEventListener("dragover", (event) => { if (this.#hasFiles(event)) event.preventDefault(); });
    document.addEventListener("drop", (event) => {
      depth = 0;
      show(false);
      if (!this.#hasFiles(event)) return;
      event.preventDefault();
      this.#take([...event.dataTransfer.files]);
    });
  }

  #hasFiles(event) { return (this.#regions.isAvailable || this.#saved.readsFiles) && event.dataTransfer?.types.includes(FILES); }

  #take(files) {
    const region = files.find(({ name }) => REGION.test(name)) ?? (this.#saved.readsFiles ? null : files[0]);
    if (region && this.#regions.isAvailable) this.#regions.add(region);
    const others = files.filter((file) => !REGION.test(file.name));
    if (others.length && this.#saved.readsFiles) this.#saved.preview(others);
  }
}
