// Points of interest: the picture, colour and first zoom level of each kind.
//
// A row is a family with a colour, and with kinds by the zoom level at which they appear. A kind is a `subclass` of the
// tiles, with the name of its picture if that differs.

const FAMILIES = {
  transport: {
    12: { station: "transport/station", aerodrome: "amenity/aerodrome", ferry_terminal: "amenity/ferry", airport: "amenity/aerodrome" },
    13: { bus_station: "transport/bus", halt: "transport/station", subway: "transport/station" },
    14: { helipad: "amenity/aerodrome" },
    15: { subway_entrance: "transport/station", tram_stop: "transport/tram", fuel: "amenity/fuel", charging_station: "amenity/charging_station",  taxi: "amenity/taxi", car_rental: "amenity/rental_car" },
    16: { bus_stop: "highway/bus_stop", parking: "amenity/parking", bicycle_rental: "amenity/rental_bicycle", bicycle_repair_station: "amenity/bicycle_repair_station", motorcycle_parking: "amenity/motorcycle_parking", boat_rental: "amenity/boat_rental" },
    17: { bicycle_parking: "amenity/bicycle_parking" },
  },
  health: {
    12: { hospital: "amenity/hospital" },
    14: { clinic: "amenity/hospital", pharmacy: "amenity/pharmacy" },
    16: { doctors: "amenity/doctors", dentist: "amenity/dentist", veterinary: "amenity/veterinary", optician: "shop/optician" },
  },
  culture: {
    13: { museum: "tourism/museum", castle: "historic/castle", zoo: "tourism/viewpoint", theatre: "amenity/theatre", attraction: "tourism/viewpoint", stadium: "leisure/fitness", theme_park: "tourism/viewpoint" },
    14: { library: "amenity/library", arts_centre: "amenity/arts_centre", gallery: "shop/art", monument: "historic/monument", fort: "historic/fort", ruins: "historic/archaeological_site", archaeological_site: "historic/archaeological_site", viewpoint: "tourism/viewpoint", cinema: "amenity/cinema", city_gate: "historic/city_gate", manor: "historic/manor" },
    16: { memorial: "historic/memorial", community_centre: "amenity/community_centre", artwork: "tourism/artwork", fountain: "amenity/fountain", casino: "amenity/casino" },
  },
  service: {
    13: { university: "education", college: "education", townhall: "amenity/town_hall" },
    14: { school: "education", police: "amenity/police", fire_station: "amenity/firestation", courthouse: "amenity/courthouse", post_office: "amenity/post_office", embassy: "office/embassy", prison: "amenity/prison" },
    15: { kindergarten: "education", bank: "amenity/bank", marketplace: "shop/marketplace", information: "tourism/office", music_school: "education" },
    16: { atm: "amenity/atm", toilets: "amenity/toilets", car_wash: "amenity/car_wash", social_facility: "amenity/social_facility", bureau_de_change: "amenity/bureau_de_change", government: "amenity/town_hall", ticket: "shop/ticket" },
    17: { post_box: "amenity/post_box", drinking_water: "amenity/drinking_water", recycling: "amenity/recycling", shelter: "amenity/shelter", public_bookcase: "amenity/public_bookcase" },
  },
  food: {
    15: { restaurant: "amenity/restaurant" },
    16: { fast_food: "amenity/fast_food", ice_cream: "amenity/ice_cream", food_court: "amenity/restaurant", bakery: "shop/bakery", butcher: "shop/butcher", confectionery: "shop/confectionery", deli: "shop/deli" },
  },
  drink: {
    15: { cafe: "amenity/cafe", pub: "amenity/pub", bar: "amenity/bar" },
    16: { biergarten: "amenity/biergarten", nightclub: "amenity/bar", coffee: "shop/coffee", wine: "shop/alcohol", alcohol: "shop/alcohol", beverages: "shop/beverages" },
  },
  lodging: {
    14: { hotel: "tourism/hotel", camp_site: "tourism/camping", alpine_hut: "tourism/alpinehut" },
    15: { hostel: "tourism/hostel", guest_house: "tourism/guest_house", motel: "tourism/motel", chalet: "tourism/chalet", apartment: "tourism/apartment", caravan_site: "tourism/caravan_park", wilderness_hut: "tourism/wilderness_hut" },
  },
  shop: {
    14: { mall: "shop/department_store", department_store: "shop/department_store" },
    15: { supermarket: "shop/supermarket" },
    16: Object.fromEntries(["art", "beauty", "bed", "bicycle", "bookmaker", "car", "car_parts", "car_repair", "carpet", "charity", "chemist", "clothes", "computer", "convenience", "copyshop", "dairy", "diy", "electronics", "fabric", "florist", "furniture", "garden_centre", "gift", "greengrocer", "hairdresser", "hifi", "houseware", "interior_decoration", "jewelry", "laundry", "massage", "medical_supply", "mobile_phone", "motorcycle", "music", "musical_instrument", "newsagent", "outdoor", "paint", "perfumery", "pet", "photo", "seafood", "second_hand", "shoes", "sports", "stationery", "tea", "tobacco", "toys", "trade", "travel_agency", "tyres", "variety_store", "video", "video_games"].map((kind) => [kind, `shop/${kind}`])
      .concat(Object.entries({ bag: "shop/bag", kiosk: "shop/newsagent", books: "amenity/library", doityourself: "shop/diy", hardware: "shop/diy", jewellery: "shop/jewelry", dry_cleaning: "shop/laundry", boutique: "shop/clothes", cosmetics: "shop/perfumery", antiques: "shop/second_hand", craft: "shop/art", grocery: "shop/convenience" }))),
  },
  religion: {
    14: { place_of_worship: "religion" },
    15: { monastery: "amenity/place_of_worship", wayside_shrine: "historic/shrine" },
  },
  leisure: {
    14: { swimming_area: "amenity/public_bath", water_park: "leisure/water_park", public_bath: "amenity/public_bath", beach_resort: "leisure/beach_resort", marina: "leisure/slipway" },
    15: { sports_centre: "leisure/fitness", golf_course: "leisure/golf", fitness_centre: "leisure/fitness", ice_rink: "leisure/fitness", playground: "leisure/playground", swimming_pool: "amenity/public_bath" },
    16: { miniature_golf: "leisure/miniature_golf", bowling_alley: "leisure/bowling_alley", sauna: "leisure/sauna", picnic_site: "tourism/picnic", fishing: "leisure/fishing", bird_hide: "leisure/bird_hide", amusement_arcade: "leisure/amusement_arcade", dog_park: "shop/pet" },
  },
};

/** The kinds as rows of `kind`, `family`, `zoom` and `picture`. */
export const KINDS = Object.entries(FAMILIES).flatMap(([family, levels]) =>
  Object.entries(levels).flatMap(([zoom, kinds]) =>
    Object.entries(kinds).map(([kind, picture]) => ({ kind, family, zoom: Number(zoom), picture }))));

// Points of other kinds have a dot, at large scales only.
const OTHERS_FROM = 17;

// Our tiles have OpenStreetMap's key as the class and its value as the subclass; OpenMapTiles has classes of its own.
const KIND = ["let", "subclass", ["to-string", ["get", "subclass"]], "class", ["to-string", ["get", "class"]],
  ["case", ["in", ["var", "subclass"], ["literal", KINDS.map(({ kind }) => kind)]], ["var", "subclass"], ["var", "class"]]];

const byKind = (value, other) => ["match", KIND, ...groups(value), other];

function groups(value) {
  const found = new Map();
  for (const row of KINDS) {
    const result = value(row);
    found.set(result, [...found.get(result) ?? [], row.kind]);
  }
  return [...found].flatMap(([result, kinds]) => [kinds, result]);
}

/** The condition for the points that the program chooses, by `names` of kinds or families; `null` for all points. */
export function isChosen(choice) {
  if (!choice) return null;
  const names = new Set(choice.names);
  const kinds = KINDS.filter(({ kind, family }) => names.has(kind) || names.has(family)).map(({ kind }) => kind);
  const isNamed = ["in", KIND, ["literal", [...new Set([...kinds, ...names])]]];
  return choice.includes ? isNamed : ["!", isNamed];
}

const zoomOf = byKind(({ zoom }) => zoom, OTHERS_FROM);

/** True if a point is visible at the map's zoom level. Expressions receive the tile's zoom level, a whole number. */
export const isShown = ["<=", zoomOf, ["zoom"]];
/** The priority of points that compete for room. */
export const order = ["+", ["*", 100, zoomOf], ["to-number", ["get", "rank"], 50]];
const RELIGIONS = { christian: "christian", muslim: "muslim", jewish: "jewish", buddhist: "buddhist", hindu: "hinduist", sikh: "sikhist", shinto: "shintoist", taoist: "taoist" };

/** The names of all images, by family and picture. */
export const PICTURES = [...new Map([
  ...KINDS.map(({ family, picture }) => [family, picture]),
  ...Object.values(RELIGIONS).map((religion) => ["religion", `religion/${religion}`]), ["service", "dot"], ["religion", "religion"],
].map((row) => [row.join(":"), row])).entries()].map(([name, [family, picture]]) => ({ name: `point:${name}`, family, picture }));

/** The name of a point's image. */
export const image = ["case", ["in", ["get", "religion"], ["literal", Object.keys(RELIGIONS)]],
  ["concat", "point:religion:religion/", ["match", ["get", "religion"], ...Object.entries(RELIGIONS).flat(), ""]],
  ["concat", "point:", byKind(({ picture, family }) => `${family}:${picture}`, "service:dot")]];
/** The colour of the text. */
export const colour = (colours) => byKind(({ family }) => colours[family], colours.service);
