// The colours of the map: light, dark, and above satellite images. Their names are those of the features.

const LIGHT = {
  paper: "#ece9e2", land: "#f6f2e9", water: "#a5d5ee", shelf: "#b9e0f4", border: "#a793ac", state: "#cfc6d3",
  text: "#2b2d33", country: "#595565", halo: "rgba(255,255,255,.9)", sea: "#1f5a80", dot: "#6b6d73",
  ground: {
    wood: "#c6dfb4", scrub: "#d5e3bd", grass: "#dcebc6", park: "#c9e8b8", farmland: "#f3ecd4", wetland: "#d3e6d8", sand: "#f4e7bd", rock: "#e4dfd6", ice: "#f1f8fb",
    residential: "#efe9de", commercial: "#f3e8da", retail: "#f6e6dc", industrial: "#e9e4e4", railway: "#e6e2e1", school: "#f3ecd0", hospital: "#f8e2de",
    cemetery: "#cfdfc2", military: "#ecdfd6", quarry: "#e1dcd2", pitch: "#b4dfa4", stadium: "#cfe8bf", playground: "#d3ecc3", parking: "#ebe8e4", pedestrian: "#f1ece6", zoo: "#d6ebc4",
  },
  building: "#e2d8ca", buildingEdge: "#c8bba8", parkEdge: "#6da35c", runway: "#dcd7dd", pier: "#f0ebe1",
  road: { motorway: "#f59a5a", trunk: "#f9bb66", primary: "#fcd87e", secondary: "#fdeeaa", other: "#ffffff", tunnel: 0.55 },
  casing: { motorway: "#b8551a", trunk: "#b87a20", primary: "#b08a24", secondary: "#b39f4e", other: "#b5ab9b" },
  path: "#96683c", cycleway: "#3f6fb5", steps: "#a05d3c", track: "#99783f", rail: "#85808a", railDash: "#ffffff", transit: "#8a76a8", ferry: "#3f83b0", aerial: "#5f6067", arrow: "#7c766c",
  boundary: "#8d6f99", waterway: "#7fbfe3", waterText: "#1b557b", parkText: "#26602c", roadText: "#35322c", houseText: "#5b5449", pathText: "#76512e", peakText: "#6a4a2a",
  poi: { food: "#8e430b", drink: "#7a4f10", shop: "#2b56a3", transport: "#1957a1", health: "#a72b26", culture: "#754299", lodging: "#863d82", leisure: "#27662d", service: "#535a65", religion: "#685741", nature: "#27662d" },
  disc: "#ffffff",
};

const DARK = {
  paper: "#1d1f23", land: "#292c32", water: "#13222f", shelf: "#182a3a", border: "#77708a", state: "#42414d",
  text: "#e8eaee", country: "#b4b2c0", halo: "rgba(20,22,26,.88)", sea: "#7fb0d4", dot: "#a2a5ad",
  ground: {
    wood: "#25332b", scrub: "#29332c", grass: "#2b352d", park: "#263a2c", farmland: "#2e3030", wetland: "#26353a", sand: "#37352f", rock: "#313337", ice: "#36414a",
    residential: "#2e3138", commercial: "#322f35", retail: "#352f35", industrial: "#2d2c33", railway: "#2a2a30", school: "#34322e", hospital: "#392e31",
    cemetery: "#27322b", military: "#332f2f", quarry: "#2f2e2e", pitch: "#284030", stadium: "#2a3a2e", playground: "#2a3b2e", parking: "#30323a", pedestrian: "#33353c", zoo: "#28372c",
  },
  building: "#383b43", buildingEdge: "#4a4e58", parkEdge: "#4e7a52", runway: "#3b3d46", pier: "#30333a",
  road: { motorway: "#9b6b35", trunk: "#826336", primary: "#6e6242", secondary: "#5b5a50", other: "#4b4f59", tunnel: 0.5 },
  casing: { motorway: "#1a1b1f", trunk: "#1a1b1f", primary: "#1a1b1f", secondary: "#1b1c20", other: "#1c1e22" },
  path: "#a38a6c", cycleway: "#6f92c9", steps: "#b0836a", track: "#8f7f5e", rail: "#7d7a86", railDash: "#33363d", transit: "#8c7ead", ferry: "#4f88b3", aerial: "#9a9ca5", arrow: "#b5b8c0",
  boundary: "#9384a5", waterway: "#22425a", waterText: "#8cbcdf", parkText: "#93c996", roadText: "#e3e4e8", houseText: "#b3b6bf", pathText: "#beab93", peakText: "#d1b08a",
  poi: { food: "#f0a35e", drink: "#dcae66", shop: "#8fb6f5", transport: "#84b9f5", health: "#ff938a", culture: "#cfa2ee", lodging: "#e09bdc", leisure: "#8ccf92", service: "#b9bec8", religion: "#cdb999", nature: "#8ccf92" },
  disc: "#1e2025",
};

const IMAGERY = {
  ...DARK,
  land: "#27404f", water: "#0a1626", shelf: "#0a1626", border: "rgba(255,255,255,.75)", state: "rgba(255,255,255,.3)",
  text: "#ffffff", country: "#ffffff", halo: "rgba(0,0,0,.75)", sea: "#c3e2fa", dot: "#ffffff",
  // Colours for features too small for the image's resolution.
  ground: { ...Object.fromEntries(Object.keys(LIGHT.ground).map((name) => [name, "#39433a"])), wood: "#2b4030", park: "#33523a", pitch: "#3b5c3f", sand: "#6b6450", ice: "#c9d6dd", rock: "#55534d", farmland: "#474a37", grass: "#3d5038", scrub: "#384a33", wetland: "#31504a" },
  building: "#5d5f5c", buildingEdge: "#7b7d79", runway: "#6b6d70", pier: "#6f6f68",
  road: { motorway: "#ffb066", trunk: "#ffcb80", primary: "#ffe09a", secondary: "#fff3c4", other: "#f4f4f2", tunnel: 0.4 },
  casing: { motorway: "rgba(40,22,0,.8)", trunk: "rgba(40,25,0,.8)", primary: "rgba(30,22,0,.75)", secondary: "rgba(20,20,10,.7)", other: "rgba(0,0,0,.6)" },
  path: "#f0ddc4", cycleway: "#c3daff", steps: "#f0cdb8", track: "#ead9b0", rail: "#e4e2ea", railDash: "#4a4c50", transit: "#dcd0f2", ferry: "#b6dcf5", aerial: "#e6e6ea", arrow: "#3a3c40",
  boundary: "rgba(255,255,255,.75)", waterway: "#173f5f", waterText: "#c3e2fa", parkText: "#cdf0c8", roadText: "#ffffff", houseText: "#e6e6e6", pathText: "#f0ddc4", peakText: "#ffe3c2",
  disc: "#16181c",
};

/** The colours for a map type, in light or dark. */
export const palette = (type, isDark) => (type === "standard" ? (isDark ? DARK : LIGHT) : IMAGERY);
