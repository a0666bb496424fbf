// Lines on the globe: their length, their course on the map, and the profile along them. A point is its longitude and
// latitude and, if it is known, its altitude.

// The length of the pieces in which long lines are drawn, in degrees: the shortest way over the globe is no straight line
// on the map.
const PIECE = 1;
// The least change of altitude in metres that counts: less is noise, as in `locationctl track`.
const HYSTERESIS = 5;

const at = ([longitude, latitude]) => new maplibregl.LngLat(longitude, latitude);
const apart = (from, to) => at(from).distanceTo(at(to));

/** The length in metres. */
export const lineLength = (points) => points.slice(1).reduce((sum, point, index) => sum + apart(points[index], point), 0);

/** The longitude on the copy of the world on which it is nearest to another one. */
export const nearest = (longitude, other) => longitude + 360 * Math.round((other - longitude) / 360);

/** The points with longitudes that go on from one to the next the short way, beginning near a longitude. */
export function unrolled(points, centre) {
  let last = centre;
  return points.map(([longitude, latitude]) => {
    last = nearest(longitude, last);
    return [last, latitude];
  });
}

/** The line to draw through unrolled points: the shortest way over the globe. */
export const course = (near) => near.flatMap((point, index) => (index ? pieces(near[index - 1], point) : [point]));

/** The points of the shortest way over the globe, without the first. */
function pieces(from, to) {
  const [a, b] = [from, to].map(([longitude, latitude]) => {
    const [east, north] = [longitude * Math.PI / 180, latitude * Math.PI / 180];
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  });
  const angle = Math.acos(Math.min(1, Math.max(-1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])));
  const count = Math.ceil(angle * 180 / Math.PI / PIECE);
  // Opposite points have no shortest way.
  if (count < 2 || Math.sin(angle) < 1e-6) return [to];
  let last = from[0];
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 1) / count;
    const [x, y, z] = a.map((value, axis) => (value * Math.sin((1 - share) * angle) + b[axis] * Math.sin(share * angle)) / Math.sin(angle));
    last = nearest(Math.atan2(y, x) * 180 / Math.PI, last);
    return [last, Math.atan2(z, Math.hypot(x, y)) * 180 / Math.PI];
  });
}

/** The point half way between two. */
export function middle(from, to) {
  const [[west, south], [east, north]] = unrolled([from, to], from[0]);
  return [(west + east) / 2, (south + north) / 2];
}

/** The profile of a line as the program gives that of a track: samples of distance, longitude, latitude and altitude. */
export function profileOf(points) {
  let along = 0;
  const samples = points.map((point, index) => {
    if (index) along += apart(points[index - 1], point);
    return [along, ...point];
  });
  const altitudes = points.map((point) => point[2]).filter(Number.isFinite);
  return { samples, ...(altitudes.length > 1 ? climbOf(altitudes) : {}) };
}

/** The sums of the ascents and descents between the turns of a line, in metres. */
function climbOf(altitudes) {
  let [climb, descent, direction] = [0, 0, 0];
  let [low, high] = [altitudes[0], altitudes[0]];
  const turn = () => {
    if (direction > 0) climb += high - low;
    if (direction < 0) descent += high - low;
  };
  for (const altitude of altitudes) {
    if (direction >= 0 && high - altitude >= HYSTERESIS) {
      turn();
      [low, direction] = [altitude, -1];
    } else if (direction <= 0 && altitude - low >= HYSTERESIS) {
      turn();
      [high, direction] = [altitude, 1];
    } else {
      if (direction <= 0) low = Math.min(low, altitude);
      if (direction >= 0) high = Math.max(high, altitude);
    }
  }
  turn();
  return { climb, descent };
}
