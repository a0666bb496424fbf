// A place in the forms that others read: its coordinates, and links to it on other maps. A link sends nothing before it is clicked.

/** Latitude and longitude with the digits that correspond to a pixel. */
export const coordinates = (latitude, longitude, zoom) => digits(latitude, longitude, zoom).join(", ");

function digits(latitude, longitude, zoom) {
  const count = Math.min(6, Math.max(2, Math.ceil(zoom * 0.301 + 1)));
  return [latitude.toFixed(count), longitude.toFixed(count)];
}

// Other maps count zoom levels for tiles of 256 pixels. Most have none closer than this.
const CLOSEST = 19;
const level = (zoom) => Math.min(Math.round(zoom) + 1, CLOSEST);

/** The place as a geo: URI (RFC 5870) with a zoom level. */
export const geoLink = ({ longitude, latitude }, zoom) => `geo:${digits(latitude, longitude, zoom)}?z=${Math.round(zoom) + 1}`;

/** The address of the place at openstreetmap.org, which marks it. */
export function openStreetMapLink({ longitude, latitude }, zoom) {
  const [y, x] = digits(latitude, longitude, zoom);
  return `https://www.openstreetmap.org/?mlat=${y}&mlon=${x}#map=${level(zoom)}/${y}/${x}`;
}

/** The address of the place at osmand.net, which marks it, and which OsmAnd opens on a phone. */
export function osmAndLink({ longitude, latitude }, zoom) {
  const [y, x] = digits(latitude, longitude, zoom);
  return `https://osmand.net/map?pin=${y},${x}#${level(zoom)}/${y}/${x}`;
}

/** The link that Organic Maps opens, with the name if there is one. */
export const organicMapsLink = ({ longitude, latitude, name }, zoom) =>
  `om://map?v=1&ll=${digits(latitude, longitude, zoom)}${name ? `&n=${encodeURIComponent(name)}` : ""}`;
