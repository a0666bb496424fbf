// The background, border and corners that a program sets for a control. Icons and text take colours that are legible on it, which
// differ above the map and above satellite images.

/** Applies the `layer` to the `node` of a control. */
export function dress(node, { background, border, borderWidth, cornerRadius, masksToBounds, inks, imageryInks }) {
  const set = (name, value) => { if (value !== undefined) node.style.setProperty(name, value); };
  node.classList.add("dressed");
  node.classList.toggle("has-background", background !== undefined);
  node.classList.toggle("is-masked", masksToBounds);
  set("--layer", background);
  set("--border", border);
  set("--border-width", `${borderWidth}px`);
  set("--radius", cornerRadius === undefined ? undefined : `${cornerRadius}px`);
  set("--map-text", inks?.text);
  set("--map-accent", inks?.accent);
  set("--imagery-text", imageryInks?.text);
  set("--imagery-accent", imageryInks?.accent);
}
