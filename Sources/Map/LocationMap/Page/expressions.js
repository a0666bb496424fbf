// Expressions shared by the layers of the style.

/** The fonts. The browser draws the letters: the page brings Noto Sans, and the user's system has what that lacks. */
export const FONT = ["Noto Sans Regular", "Noto Sans", "Helvetica Neue", "Arial"];
export const MEDIUM = ["Noto Sans Medium", "Noto Sans", "Helvetica Neue", "Arial"];
export const BOLD = ["Noto Sans Bold", "Noto Sans", "Helvetica Neue", "Arial"];
export const ITALIC = ["Noto Sans Italic", "Noto Sans", "Helvetica Neue", "Arial"];

/** Loads the fonts, which have to be there before the first label is drawn. */
export const loadFonts = () => Promise.all(["400", "700", "italic 400"].map((style) => document.fonts.load(`${style} 24px "Noto Sans"`)));

/** A value that grows with the scale, by pairs of zoom level and value. */
export const byZoom = (...stops) => ["interpolate", ["exponential", 1.5], ["zoom"], ...stops];

/** A value that changes linearly with the zoom level. */
export const evenly = (...stops) => ["interpolate", ["linear"], ["zoom"], ...stops];
