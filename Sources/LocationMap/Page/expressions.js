// Expressions shared by the layers of the style.

/** The fonts. The browser draws the letters, so these are names of fonts on the user's system. */
export const FONT = ["Noto Sans Regular", "Noto Sans", "Helvetica Neue", "Arial"];
export const MEDIUM = ["Noto Sans Medium", "Noto Sans", "Helvetica Neue", "Arial"];
export const BOLD = ["Noto Sans Bold", "Noto Sans", "Helvetica Neue", "Arial"];
export const ITALIC = ["Noto Sans Italic", "Noto Sans", "Helvetica Neue", "Arial"];

/** A value that grows with the scale, by pairs of zoom level and value. */
export const byZoom = (...stops) => ["interpolate", ["exponential", 1.5], ["zoom"], ...stops];

/** A value that changes linearly with the zoom level. */
export const evenly = (...stops) => ["interpolate", ["linear"], ["zoom"], ...stops];
