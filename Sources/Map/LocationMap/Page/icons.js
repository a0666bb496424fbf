// The images of the style: dots of towns, road shields, arrows, and discs of points of interest.
//
// All are drawn before the first tile, because each later image would lay out every tile again.

import { PICTURES } from "./points.js";

const SCALE = 2;
let shapes = null;

/** Fetches the shapes of points of interest: SVG paths, each with the side of its square. */
export async function loadShapes() {
  if (shapes) return;
  const answer = await fetch("page/icons.json");
  if (answer.ok) shapes = new Map(Object.entries(await answer.json()).map(([name, [side, path]]) => [name, { side, path }]));
  else console.info(`Points of interest have dots: the pictures are not installed (${answer.status}).`);
}

/** The side of the square and the SVG path of an image; `undefined` if there is none. */
export const shapeOf = (picture) => shapes?.get(picture) ?? null;

/** Adds all images in these colours to the map. */
export function addImages(map, colours) {
  const add = (name, image, options = {}) => {
    if (map.hasImage(name)) map.updateImage(name, image);
    else map.addImage(name, image, { pixelRatio: SCALE, ...options });
  };
  add("town", dot(2.4, false, colours));
  add("capital", dot(3.4, true, colours));
  add("arrow", arrow(colours.arrow));
  add("peak", peak(colours.peakText, colours.halo));
  const stretch = { stretchX: [[8 * SCALE, 12 * SCALE]], stretchY: [[7 * SCALE, 9 * SCALE]], content: [4 * SCALE, 3 * SCALE, 16 * SCALE, 13 * SCALE] };
  for (const [name, fill, edge] of SHIELDS) add(`shield:${name}`, shield(fill, edge), stretch);
  for (const { name, family, picture } of PICTURES) add(name, point(colours.poi[family], colours.disc, shapes?.get(picture)));
}

function drawn(width, height, draw) {
  const canvas = new OffscreenCanvas(width * SCALE, height * SCALE);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.scale(SCALE, SCALE);
  draw(context);
  return context.getImageData(0, 0, width * SCALE, height * SCALE);
}

function disc(context, x, y, radius, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

const dot = (radius, isRing, colours) => drawn(10, 10, (context) => {
  disc(context, 5, 5, radius + 1, colours.halo);
  disc(context, 5, 5, radius, colours.dot);
  if (!isRing) return;
  disc(context, 5, 5, radius - 1.1, colours.halo);
  disc(context, 5, 5, radius - 2, colours.dot);
});

const arrow = (colour) => drawn(14, 8, (context) => {
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.3;
  context.beginPath();
  context.moveTo(1, 4);
  context.lineTo(10, 4);
  context.stroke();
  context.fill(new Path2D("M9 1.2 13.5 4 9 6.8z"));
});

const peak = (colour, halo) => drawn(12, 11, (context) => {
  const triangle = new Path2D("M6 1.5 10.5 9.5h-9z");
  context.strokeStyle = halo;
  context.lineWidth = 2;
  context.stroke(triangle);
  context.fillStyle = colour;
  context.fill(triangle);
});

const SHIELDS = [["motorway", "#2456a6", "#ffffff"], ["trunk", "#2c6e49", "#ffffff"], ["primary", "#f6d365", "#8a6d1b"], ["other", "#fffdf4", "#8d8a80"]];

const shield = (fill, edge) => drawn(20, 16, (context) => {
  context.fillStyle = fill;
  context.strokeStyle = edge;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(0.75, 0.75, 18.5, 14.5, 3.5);
  context.fill();
  context.stroke();
});

/** A coloured disc with the shape cut out; without a shape a smaller disc. */
const point = (colour, ring, shape) => drawn(22, 22, (context) => {
  if (!shape) {
    disc(context, 11, 11, 4.6, ring);
    return disc(context, 11, 11, 3.4, colour);
  }
  disc(context, 11, 11, 10.4, ring);
  disc(context, 11, 11, 9.3, colour);
  context.translate(5.5, 5.5);
  context.scale(11 / shape.side, 11 / shape.side);
  context.fillStyle = ring;
  context.fill(new Path2D(shape.path));
});
