// The edges of picture tiles. Lossy compression makes neighbouring tiles differ where they meet, and enlarged they show a grid.
// Each tile is adjusted near its edges to the mean of both sides.

export const PROTOCOL = "seamless";
// The width in pixels of the strip along an edge that is adjusted, and that of the mean along the edge.
const REACH = 10;
const ALONG = 1;
// A difference above this is one of the picture itself, such as a coast.
const MOST = 96;
// The number of tiles whose edges are kept, 4 KB of each.
const KEPT = 600;

const TILE = /\/(\d+)\/(\d+)\/(\d+)(?=\?|$)/;
const SIDES = [
  { name: "left", by: [-1, 0], opposite: "right" }, { name: "right", by: [1, 0], opposite: "left" },
  { name: "top", by: [0, -1], opposite: "bottom" }, { name: "bottom", by: [0, 1], opposite: "top" },
];

const edges = new Map();

/** The pixels of a tile, as an `ImageData`, adjusted to the tiles beside it. */
export async function seamless(address, signal) {
  const [own, ...others] = await Promise.all([
    load(address, signal),
    ...SIDES.map((side) => neighbour(address, side)),
  ]);
  keep(address, Promise.resolve(edgesOf(own)));
  others.forEach((other, index) => {
    const { name, opposite } = SIDES[index];
    if (other?.size === own.width && own.width === own.height) adjust(own, name, other[opposite]);
  });
  return own;
}

/** The picture of an `ImageData`. */
export function drawn(image) {
  // By way of a canvas: Firefox does not multiply the colours of an ImageData by their opacity, as MapLibre expects.
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas.transferToImageBitmap();
}

/** Teaches MapLibre to read tiles without seams: addresses with this protocol before theirs. */
export function readSeamless() {
  maplibregl.addProtocol(PROTOCOL, async ({ url }, { signal }) => ({ data: drawn(await seamless(url.slice(PROTOCOL.length + 3), signal)) }));
}

async function load(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`The program answered ${answer.status} to ${address}.`);
  if (answer.status === 204) return new ImageData(1, 1);
  const picture = await createImageBitmap(await answer.blob());
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, picture.width, picture.height);
}

/** The edges of the tile beside another one; `null` if there is none. */
function neighbour(address, { by: [east, south] }) {
  const [, zoom, column, row] = TILE.exec(address).map(Number);
  const count = 2 ** zoom;
  const y = row + south;
  if (y < 0 || y >= count || count === 1) return null;
  const beside = address.replace(TILE, `/${zoom}/${(column + east + count) % count}/${y}`);
  const known = edges.get(beside);
  if (known) return known;
  const asked = load(beside).then(edgesOf, () => null);
  keep(beside, asked);
  return asked;
}

function keep(address, made) {
  edges.delete(address);
  edges.set(address, made);
  if (edges.size > KEPT) edges.delete(edges.keys().next().value);
}

function edgesOf({ data, width, height }) {
  const line = (start, step, count) => Int16Array.from({ length: count * 3 }, (_, index) => data[start + Math.floor(index / 3) * step + index % 3]);
  return {
    size: width,
    left: line(0, 4 * width, height), right: line(4 * (width - 1), 4 * width, height),
    top: line(0, 4, width), bottom: line(4 * width * (height - 1), 4, width),
  };
}

/** Adds half of the difference to the other tile's edge, less with each pixel away from it. */
function adjust({ data, width }, side, other) {
  const isUpright = side === "left" || side === "right";
  const [along, inwards] = isUpright ? [4 * width, side === "left" ? 4 : -4] : [4, (side === "top" ? 4 : -4) * width];
  const start = { left: 0, top: 0, right: 4 * (width - 1), bottom: 4 * width * (width - 1) }[side];
  for (let channel = 0; channel < 3; channel += 1) {
    const differences = Float32Array.from({ length: width }, (_, index) => {
      const difference = other[3 * index + channel] - data[start + index * along + channel];
      return Math.abs(difference) > MOST ? 0 : difference;
    });
    for (let index = 0; index < width; index += 1) {
      const near = differences.subarray(Math.max(0, index - ALONG), index + ALONG + 1);
      const half = near.reduce((sum, difference) => sum + difference, 0) / near.length / 2;
      for (let depth = 0; depth < REACH; depth += 1) data[start + index * along + depth * inwards + channel] += half * (1 - depth / REACH);
    }
  }
}
