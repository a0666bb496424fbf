// An annotation view: a button with the appearance of a pin, a marker or the program's image. Its texts are shown as
// text.

import { drawing, element, shown } from "./dom.js";
import { address } from "./basemap.js";
import { text } from "./texts.js";

/** Creates the element of a view, or updates the existing one. */
export function build(view, button = element("button", { type: "button", tabindex: "-1" })) {
  const [width, height] = view.size ?? [32, 32];
  button.className = `view ${view.kind}`;
  button.disabled = false;
  button.setAttribute("aria-label", shown(view.label || view.title || text("Annotation")));
  button.classList.toggle("is-disabled", view.isEnabled === false);
  button.classList.toggle("has-callout", Boolean(view.callout));
  button.classList.toggle("is-draggable", view.isDraggable === true);
  button.style.width = `${width}px`;
  button.style.height = `${height}px`;
  button.style.opacity = view.opacity ?? 1;
  if (view.isEnabled === false) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
  const parts = { marker, pin, image, user: image }[view.kind] ?? image;
  button.style.setProperty("--tint", view.tint ?? "#ff453a");
  button.replaceChildren(element("span", { class: "hit" }), ...parts(view, width, height));
  return button;
}

function picture(path, width, height) {
  const made = element("img", { class: "picture", alt: "", draggable: "false", width, height });
  made.src = address(path);
  return made;
}

function image(view, width, height) {
  const made = view.image ? picture(view.image, width, height) : element("span", { class: "blank" });
  if (view.rotation) made.style.rotate = `${view.rotation}deg`;
  return [made];
}

// Of a glyph's image only the shape counts, in the glyph's colour, as in MapKit.
function stencil(path) {
  const made = element("span", { class: "stencil" });
  made.style.maskImage = `url("${address(path)}")`;
  return made;
}

// An image of the page's own.
const shape = ({ side, path }) =>
  drawing("svg", { viewBox: `0 0 ${side} ${side}`, width: 16, height: 16, "aria-hidden": "true" }, drawing("path", { d: path, fill: "currentColor" }));

// The ball and needle of the classic pin.
function pin() {
  return [element("span", { class: "shadow" }), element("span", { class: "body" },
    element("span", { class: "needle" }), element("span", { class: "ball" }))];
}

const BALLOON = "M20 1C9.9 1 2 8.7 2 18.4c0 8 5.3 13.5 11.7 16.2 2.2 1 3.5 2 4.5 4l.9 1.9c.4.8 1.4.8 1.8 0l.9-1.9c1-2 2.3-3 4.5-4C32.7 31.9 38 26.4 38 18.4 38 8.7 30.1 1 20 1z";

function marker(view, width, height) {
  const glyph = element("span", { class: "glyph", text: view.glyphImage ? "" : view.glyph ?? (view.members ? short(view.members) : "") });
  glyph.style.color = view.glyphTint ?? "#fff";
  if (view.glyphImage) glyph.append(stencil(view.glyphImage));
  if (view.glyphShape) glyph.append(shape(view.glyphShape));
  // Without text and image the balloon contains a dot; MapKit's contains a pin.
  const isEmpty = !glyph.childNodes.length;
  if (isEmpty) glyph.classList.add("is-dot");
  const balloon = drawing("svg", { viewBox: "0 0 40 42", preserveAspectRatio: "xMidYMax meet", class: "balloon", "aria-hidden": "true" }, drawing("path", { d: BALLOON }));
  const parts = [element("span", { class: "body" }, balloon, glyph)];
  const title = view.titleVisibility === "hidden" ? null : view.title;
  const subtitle = view.subtitleVisibility === "hidden" ? null : view.subtitle;
  if (title || subtitle) {
    parts.push(element("span", { class: "caption", aria: { hidden: true } },
      title ? element("span", { class: `title ${view.titleVisibility ?? "adaptive"}`, text: title, dir: "auto" }) : null,
      subtitle ? element("span", { class: `subtitle ${view.subtitleVisibility ?? "adaptive"}`, text: subtitle, dir: "auto" }) : null));
  }
  return parts;
}

/** A count that fits into a balloon: 1,234 is 1K. */
function short(count) {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.floor(count / 1000)}K` : `${Math.floor(count / 1_000_000)}M`;
}
