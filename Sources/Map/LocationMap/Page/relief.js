// The shadows of hills, which lie on the standard map's land.
//
// Their tiles are grey pictures, an eighth of the size of pictures with transparency, which they become here.

const PROTOCOL = "relief";
// The grey of level ground, and the difference that is no more than a trace of the compression.
const LEVEL = 128;
const NOISE = 5;

/** The MapLibre source of the shadows; its tiles are at `tiles`. */
export const reliefSource = ({ maximumZoom, tileSize }, tiles) =>
  ({ type: "raster", tiles: [`${PROTOCOL}://${tiles}`], tileSize, minzoom: 0, maxzoom: maximumZoom });

/** The layer of the shadows. It ends where regions, whose land is level, begin. */
export const reliefLayer = (source, end) => ({
  id: "relief", type: "raster", source, maxzoom: end,
  paint: { "raster-fade-duration": 0, "raster-opacity": ["interpolate", ["linear"], ["zoom"], 1, 0.35, 4, 0.5, 5.5, 0.4, end - 0.5, 0] },
});

/** Teaches MapLibre to read the tiles. */
export function readRelief() {
  maplibregl.addProtocol(PROTOCOL, async ({ url }, { signal }) => {
    const answer = await fetch(url.slice(PROTOCOL.length + 3), { signal });
    if (!answer.ok) throw new Error(`A tile of the relief was not sent: ${answer.status}`);
    return { data: shadows(await createImageBitmap(await answer.blob())) };
  });
}

/** Black where the picture is darker than level ground, and white where it is lighter, as opaque as it differs. */
function shadows(picture) {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = image;
  for (let index = 0; index < data.length; index += 4) {
    const difference = data[index] - LEVEL;
    data[index] = data[index + 1] = data[index + 2] = difference < 0 ? 0 : 255;
    data[index + 3] = Math.abs(difference) < NOISE ? 0 : Math.min(255, Math.abs(difference) * 1.6);
  }
  // By way of the canvas: Firefox does not multiply the colours of an ImageData by their opacity, as MapLibre expects.
  context.putImageData(image, 0, 0);
  return canvas.transferToImageBitmap();
}
