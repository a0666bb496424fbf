// Elements created in one expression. Text is never parsed as markup, and bidirectional overrides and embeddings in it, which
// could make a name read as another one, are shown as what they are.

const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text with escapes such as `\u{202E}` in place of bidirectional overrides. */
export const shown = (text) => String(text).replace(OVERRIDES, (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);

/** Creates an element. `properties` may have `class`, `text`, `on` (listeners), `data`, `aria` and any attribute. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  apply(made, properties);
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (typeof child === "string" ? shown(child) : child)));
  return made;
}

function apply(made, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    switch (name) {
      case "class": made.className = value; break;
      case "text": made.textContent = shown(value); break;
      case "on": for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener); break;
      case "data": Object.assign(made.dataset, value); break;
      case "aria":
        for (const [key, state] of Object.entries(value)) {
          if (state !== null && state !== undefined) made.setAttribute(`aria-${key}`, typeof state === "string" ? shown(state) : state);
        }
        break;
      default: made.setAttribute(name, value === true ? "" : value);
    }
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** Creates an SVG element. */
export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// 24 × 24 pixels, filled with the text's colour; a name with `/line` is stroked.
const ICONS = {
  "locateOff/line": "M20.6 3.4 3.4 10.8l7.3 2.5 2.5 7.3z",
  locate: "M21.6 2.4 2.6 10.5c-.9.4-.8 1.6.1 1.9l7.3 2.5c.3.1.5.3.6.6l2.5 7.3c.3.9 1.5 1 1.9.1z",
  heading: "M12 1.2 10.9 4h2.2zM12 6.2 5.6 21.3c-.3.7.4 1.4 1.1 1.1L12 20.1l5.3 2.3c.7.3 1.4-.4 1.1-1.1z",
  "plus/line": "M12 5v14M5 12h14",
  "minus/line": "M5 12h14",
  "type/line": "m3.5 6.5 5.5-2.5 6 2.5 5.5-2.5v13.5l-5.5 2.5-6-2.5-5.5 2.5zM9 4v13.5M15 6.5V20",
  "enter/line": "M14.5 4H20v5.5M9.5 20H4v-5.5M20 4l-6.5 6.5M4 20l6.5-6.5",
  "leave/line": "M19.5 10.5H14V5M4.5 13.5H10V19M14 10.5 20.5 4M10 13.5 3.5 20",
  "pitch/line": "M12 3.5 19.5 8v8L12 20.5 4.5 16V8zM4.5 8l7.5 4.3L19.5 8M12 12.3v8.2",
  "info/line": "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.6v.1",
  "close/line": "M6 6l12 12M18 6 6 18",
  "add/line": "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 8v8M8 12h8",
  directions: "M12.9 2.4a1.3 1.3 0 0 0-1.8 0l-8.7 8.7a1.3 1.3 0 0 0 0 1.8l8.7 8.7c.5.5 1.3.5 1.8 0l8.7-8.7c.5-.5.5-1.3 0-1.8zM14 14.5V12h-4v3H8v-4c0-.6.4-1 1-1h5V7.5l3.5 3.5z",
  "share/line": "M12 14.5V3.5M8 7l4-3.5L16 7M7 11H5.5v9.5h13V11H17",
  "delete/line": "M4.5 6.5h15M9.5 6.5V4h5v2.5M6.5 6.5l.8 14h9.4l.8-14M10.3 10l.3 7M13.7 10l-.3 7",
  "visible/line": "M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  "hidden/line": "M4 20 20 4M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  "copy/line": "M9 8.5h11.5V20.5H9zM15 8.5v-5H3.5v12H9",
  "centre/line": "M12 17.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12 2v4.5M12 17.5V22M2 12h4.5M17.5 12H22",
  "measure/line": "M2.5 16.5 16.5 2.5l5 5-14 14zM6 13l2 2M9 10l3 3M12 7l2 2M15 4l3 3",
  "pin/line": "M12 21.5s7-7.2 7-12.5a7 7 0 0 0-14 0c0 5.3 7 12.5 7 12.5zM12 11.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  "undo/line": "M8.5 5 4 9.5l4.5 4.5M4 9.5h10a6 6 0 0 1 0 12h-3",
  "link/line": "M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1-1",
  "open/line": "M13.5 4H20v6.5M20 4l-9 9M17 13.5V20H4V7h6.5",
  "next/line": "m9 5 7 7-7 7",
  "website/line": "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
  "search/line": "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20.5 20.5",
  "route/line": "M6 20.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M18 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8 18.5h7.5a3.5 3.5 0 0 0 0-7h-7a3 3 0 0 1 0-6H16",
  place: "M12 2a7 7 0 0 0-7 7c0 4.9 5.2 10.2 6.6 12.6.2.3.6.3.8 0C13.8 19.2 19 13.9 19 9a7 7 0 0 0-7-7zm0 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  play: "M7.5 4.5v15l12-7.5z",
  pause: "M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z",
  "check/line": "m5 12.5 4.5 4.5L19 7",
  star: "m12 2.5 2.9 6.1 6.6.9-4.8 4.6 1.2 6.6L12 17.5l-5.9 3.2 1.2-6.6L2.5 9.5l6.6-.9z",
  "save/line": "m12 3.5 2.6 5.5 6 .8-4.4 4.2 1.1 6L12 17.1 6.7 20l1.1-6-4.4-4.2 6-.8z",
  "edit/line": "M4 20l1-4.5L16.5 4 20 7.5 8.5 19zM14 6.5 17.5 10",
};

/** One of the icons above, hidden from screen readers: the label of its button has the meaning. */
export function icon(name) {
  const line = ICONS[`${name}/line`];
  const path = line
    ? drawing("path", { d: line, fill: "none", stroke: "currentColor", "stroke-width": "1.9", "stroke-linecap": "round", "stroke-linejoin": "round" })
    : drawing("path", { d: ICONS[name] ?? ICONS["info/line"], fill: "currentColor" });
  const made = drawing("svg", { viewBox: "0 0 24 24", width: 22, height: 22, class: "icon", "aria-hidden": "true" }, path);
  return made;
}

/** A button with an icon, and with a label for screen readers. */
export function iconButton(name, label, onClick, properties = {}) {
  return element("button", { type: "button", title: label, aria: { label }, on: { click: onClick }, ...properties }, icon(name));
}

/** Has Escape close a panel, whose keys are not those of the map. */
export const keepKeys = (panel, close) => panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  event.stopPropagation();
});

export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A function that performs an action in the next frame, with the arguments of its last call before that. */
export function onceAFrame(action) {
  let newest = null;
  return (...values) => {
    if (!newest) {
      requestAnimationFrame(() => {
        const now = newest;
        newest = null;
        action(...now);
      });
    }
    newest = values;
  };
}
