-- What of OpenStreetMap goes into the tiles of a region: layers and classes with the names of the OpenMapTiles schema, so
-- that a style fits both. `locationctl map add` runs tilemaker with it.

node_keys = {
  "place", "amenity", "shop", "tourism", "leisure", "office", "historic", "railway", "highway", "aeroway", "natural",
  "addr:housenumber", "public_transport",
}

-- Attributes of roads: class, first zoom level.
local roads = {
  motorway = {"motorway", 5}, motorway_link = {"motorway", 9}, trunk = {"trunk", 5}, trunk_link = {"trunk", 9},
  primary = {"primary", 8}, primary_link = {"primary", 11}, secondary = {"secondary", 9}, secondary_link = {"secondary", 12},
  tertiary = {"tertiary", 11}, tertiary_link = {"tertiary", 13}, unclassified = {"minor", 12}, residential = {"minor", 12},
  living_street = {"minor", 12}, road = {"minor", 12}, pedestrian = {"path", 12}, service = {"service", 13},
  track = {"track", 13}, raceway = {"raceway", 13}, busway = {"busway", 13}, footway = {"path", 13}, path = {"path", 13},
  cycleway = {"path", 13}, bridleway = {"path", 13}, steps = {"path", 14}, construction = {"minor_construction", 14},
}
local rails = {
  rail = {"rail", 8}, narrow_gauge = {"rail", 10}, preserved = {"rail", 12}, funicular = {"transit", 12},
  subway = {"transit", 12}, light_rail = {"transit", 11}, tram = {"transit", 12}, monorail = {"transit", 12},
}
local waterways = {river = 8, canal = 10, stream = 12, drain = 14, ditch = 14}

-- Classes of areas: layer, class. A class covers what looks alike.
local areas = {
  natural = {
    wood = {"landcover", "wood"}, scrub = {"landcover", "scrub"}, heath = {"landcover", "scrub"},
    grassland = {"landcover", "grass"}, fell = {"landcover", "grass"}, wetland = {"landcover", "wetland"},
    beach = {"landcover", "sand"}, sand = {"landcover", "sand"}, shingle = {"landcover", "sand"},
    bare_rock = {"landcover", "rock"}, scree = {"landcover", "rock"}, glacier = {"landcover", "ice"},
  },
  landuse = {
    forest = {"landcover", "wood"}, meadow = {"landcover", "grass"}, grass = {"landcover", "grass"},
    village_green = {"landcover", "grass"}, recreation_ground = {"landcover", "grass"},
    farmland = {"landcover", "farmland"}, farm = {"landcover", "farmland"}, orchard = {"landcover", "farmland"},
    vineyard = {"landcover", "farmland"}, allotments = {"landcover", "farmland"},
    residential = {"landuse", "residential"}, commercial = {"landuse", "commercial"}, retail = {"landuse", "retail"},
    industrial = {"landuse", "industrial"}, garages = {"landuse", "industrial"}, railway = {"landuse", "railway"},
    cemetery = {"landuse", "cemetery"}, military = {"landuse", "military"}, quarry = {"landuse", "quarry"},
    construction = {"landuse", "quarry"}, landfill = {"landuse", "quarry"},
  },
  leisure = {
    park = {"landcover", "park"}, garden = {"landcover", "park"}, golf_course = {"landcover", "grass"},
    playground = {"landuse", "playground"}, pitch = {"landuse", "pitch"}, track = {"landuse", "pitch"},
    stadium = {"landuse", "stadium"}, sports_centre = {"landuse", "stadium"}, nature_reserve = {"park", "nature_reserve"},
  },
  amenity = {
    school = {"landuse", "school"}, kindergarten = {"landuse", "school"}, college = {"landuse", "school"},
    university = {"landuse", "school"}, hospital = {"landuse", "hospital"}, parking = {"landuse", "parking"},
    grave_yard = {"landuse", "cemetery"},
  },
  tourism = {zoo = {"landuse", "zoo"}, theme_park = {"landuse", "zoo"}},
  boundary = {national_park = {"park", "national_park"}, protected_area = {"park", "nature_reserve"}},
}
local area_keys = {"natural", "landuse", "leisure", "amenity", "tourism", "boundary"}

-- First zoom levels of places.
local places = {
  country = 5, state = 6, city = 5, town = 8, village = 10, suburb = 11, borough = 11, island = 10, islet = 13, hamlet = 12,
  quarter = 12, neighbourhood = 13, isolated_dwelling = 14, locality = 13, square = 14,
}
local poi_keys = {"amenity", "shop", "tourism", "leisure", "historic", "office"}
-- What has a key of a point of interest and is none, or is drawn as something else.
local no_poi = {
  park = true, garden = true, pitch = true, playground = false, common = true, nature_reserve = true, bench = true,
  waste_basket = true, parking_space = true, parking_entrance = true, vending_machine = true, grit_bin = true,
  swimming_pool = true, track = true, telephone = true, yes = true, no = true, street_lamp = true, hunting_stand = true,
  bicycle_parking = true, recycling = true, picnic_table = true, outdoor_seating = true, firepit = true, information = true,
  artwork = true, wayside_cross = true, wayside_shrine = true, boundary_stone = true, clock = true, loading_dock = true,
}
-- What is looked for from further away.
local early_poi = {
  hospital = 12, station = 12, aerodrome = 10, university = 13, museum = 13, castle = 13, attraction = 13, zoo = 13,
  stadium = 13, townhall = 13, theatre = 13, college = 13, ferry_terminal = 12, bus_station = 13, hotel = 14,
}

-- Languages besides the local one in which places are named; other things have English.
local languages = {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "ar", "he", "zh", "ja", "ko", "sv", "fi", "tr"}

local function is(value) return value ~= "" and value ~= "no" end

-- Whether a text is written in Latin letters, as far as its bytes tell: no lead byte of two above U+024F.
local function is_latin(text)
  return not text:find("[\205-\223]") and not text:find("[\224\227-\244]") and not text:find("\225[\128-\183]")
end

local function set_names(object, all)
  local name = object:Find("name")
  if name ~= "" then object:Attribute("name", name) end
  local latin = is_latin(name) and name or ""
  for _, key in ipairs({"name:en", "int_name", "name:latin"}) do
    if latin == "" then
      local value = object:Find(key)
      if value ~= "" and is_latin(value) then latin = value end
    end
  end
  if latin ~= "" and latin ~= name then object:Attribute("name:latin", latin) end
  for _, language in ipairs(all and languages or {"en"}) do
    local value = object:Find("name:" .. language)
    if value ~= "" and value ~= name then object:Attribute("name:" .. language, value) end
  end
end

local function set_brunnel(way)
  if is(way:Find("tunnel")) then way:Attribute("brunnel", "tunnel")
  elseif is(way:Find("bridge")) then way:Attribute("brunnel", "bridge")
  elseif way:Find("ford") == "yes" then way:Attribute("brunnel", "ford") end
end

-- The first zoom level at which an area of so many square metres is more than a dot.
local function area_zoom(way, least)
  local area = way:Area()
  local zoom = area > 5e7 and 6 or area > 1e7 and 8 or area > 2e6 and 9 or area > 5e5 and 10 or area > 1e5 and 11
    or area > 2e4 and 12 or area > 2e3 and 13 or 14
  return math.max(least, zoom)
end

local function add_poi(object, is_area)
  local class, subclass
  for _, key in ipairs(poi_keys) do
    local value = object:Find(key)
    if value ~= "" and not no_poi[value] then class, subclass = key, value; break end
  end
  local railway, transport = object:Find("railway"), object:Find("public_transport")
  if railway == "station" or railway == "halt" or railway == "tram_stop" or railway == "subway_entrance" then
    class, subclass = "railway", railway
  elseif object:Find("highway") == "bus_stop" then class, subclass = "bus", "bus_stop"
  elseif object:Find("aeroway") == "aerodrome" then class, subclass = "aeroway", "aerodrome"
  elseif not class and transport == "station" then class, subclass = "railway", "station" end
  if not class then return end
  if is_area then object:LayerAsCentroid("poi") else object:Layer("poi", false) end
  object:MinZoom(early_poi[subclass] or 14)
  object:Attribute("class", class)
  object:Attribute("subclass", subclass)
  local cuisine, religion = object:Find("cuisine"), object:Find("religion")
  if cuisine ~= "" then object:Attribute("cuisine", cuisine) end
  if religion ~= "" then object:Attribute("religion", religion) end
  set_names(object)
end

local function add_house(object, is_area)
  local number = object:Find("addr:housenumber")
  if number == "" then return end
  if is_area then object:LayerAsCentroid("housenumber") else object:Layer("housenumber", false) end
  object:Attribute("housenumber", number)
end

function init_function() end
function exit_function() end

function node_function(node)
  local place = node:Find("place")
  if places[place] then
    node:Layer("place", false)
    node:Attribute("class", place)
    local population = tonumber((node:Find("population"):gsub("[^0-9]", ""))) or 0
    -- Larger ones come first where there is no room for all.
    node:AttributeNumeric("population", population)
    local capital = node:Find("capital")
    if capital ~= "" and capital ~= "no" then node:Attribute("capital", capital) end
    node:MinZoom(place == "town" and population > 50000 and 7 or places[place])
    set_names(node, true)
  end
  if node:Find("natural") == "peak" then
    node:Layer("mountain_peak", false)
    local elevation = tonumber(node:Find("ele"))
    if elevation then node:AttributeNumeric("ele", elevation) end
    node:MinZoom(elevation and elevation > 2000 and 10 or 12)
    set_names(node)
  end
  add_poi(node, false)
  add_house(node, false)
end

-- Borders are lines of relations, and so are the lines of public transport.
local transport = {tram = true, subway = true, light_rail = true, train = true, monorail = true, funicular = true}

function relation_scan_function(relation)
  local kind = relation:Find("type")
  if kind == "boundary" and relation:Find("boundary") == "administrative"
    or kind == "route" and transport[relation:Find("route")] and relation:Find("ref") ~= "" then relation:Accept() end
end

-- The lowest level of the borders that a way is part of, and the lines of public transport that use it.
local function read_relations(way)
  local level, lines = 99, {}
  while true do
    local relation = way:NextRelation()
    if not relation then break end
    local line = way:FindInRelation("route") ~= "" and way:FindInRelation("ref") or ""
    if line == "" then level = math.min(level, tonumber(way:FindInRelation("admin_level")) or 99)
    -- Each direction has a relation.
    elseif not lines[line] then lines[line] = true; lines[#lines + 1] = line end
  end
  table.sort(lines)
  return level, lines
end

local function add_boundary(way, level)
  if way:Find("boundary") == "administrative" then level = math.min(level, tonumber(way:Find("admin_level")) or 99) end
  if level > 8 then return end
  way:Layer("boundary", false)
  way:AttributeNumeric("admin_level", level)
  if way:Find("maritime") == "yes" or way:Find("natural") == "coastline" then way:AttributeNumeric("maritime", 1) end
  if way:Find("disputed") == "yes" then way:AttributeNumeric("disputed", 1) end
  way:MinZoom(level <= 2 and 5 or level <= 4 and 6 or level <= 6 and 9 or 12)
end

local function add_road(way, highway, road)
  way:Layer("transportation", false)
  way:MinZoom(road[2])
  way:Attribute("class", road[1])
  way:Attribute("subclass", highway)
  if highway:find("_link$") then way:AttributeNumeric("ramp", 1) end
  local oneway = way:Find("oneway")
  if oneway == "yes" or oneway == "1" then way:AttributeNumeric("oneway", 1)
  elseif oneway == "-1" then way:AttributeNumeric("oneway", -1) end
  local service = way:Find("service")
  if service ~= "" and highway == "service" then way:Attribute("service", service) end
  if way:Find("surface") == "unpaved" or way:Find("surface") == "gravel" then way:Attribute("surface", "unpaved") end
  local layer = tonumber(way:Find("layer"))
  if layer then way:AttributeNumeric("layer", layer) end
  set_brunnel(way)
  local name, ref = way:Find("name"), way:Find("ref")
  if name == "" and ref == "" then return end
  way:Layer("transportation_name", false)
  way:MinZoom(math.max(road[1] == "motorway" and 8 or road[1] == "path" and 14 or 11, road[2]))
  way:Attribute("class", road[1])
  way:Attribute("subclass", highway)
  set_names(way)
  if ref ~= "" then way:Attribute("ref", ref); way:AttributeNumeric("ref_length", #ref) end
end

local basins = {basin = true, wastewater = true, stormwater = true, reflecting_pool = true, moat = true, lock = true, fountain = true}

local function add_water(way)
  local natural, landuse, waterway = way:Find("natural"), way:Find("landuse"), way:Find("waterway")
  if natural ~= "water" and landuse ~= "reservoir" and landuse ~= "basin" and waterway ~= "riverbank"
    and waterway ~= "dock" and natural ~= "bay" and way:Find("leisure") ~= "swimming_pool" then return false end
  if natural == "bay" then
    if way:Find("name") ~= "" then
      way:LayerAsCentroid("water_name"); way:Attribute("class", "bay"); way:MinZoom(area_zoom(way, 9)); set_names(way)
    end
    return true
  end
  local kind = way:Find("water")
  -- A basin for rain or sewage is no lake, whatever it is called.
  local is_basin = basins[kind] or landuse == "basin" or way:Find("basin") ~= ""
  way:Layer("water", true)
  way:Attribute("class", (waterway == "riverbank" or kind == "river" or kind == "canal") and "river"
    or way:Find("leisure") == "swimming_pool" and "swimming_pool" or waterway == "dock" and "dock"
    or is_basin and "basin" or "lake")
  if way:Find("intermittent") == "yes" then way:AttributeNumeric("intermittent", 1) end
  way:MinZoom(area_zoom(way, 6))
  if way:Find("name") ~= "" and waterway ~= "riverbank" and kind ~= "river" and not is_basin then
    way:LayerAsCentroid("water_name"); way:Attribute("class", "lake"); way:MinZoom(area_zoom(way, 9)); set_names(way)
  end
  return true
end

local function add_area(way)
  -- Sea and land on either side of the coast, which `locationctl map add` makes of the extract's coastlines.
  local side = way:Find("locationd:coast")
  if side == "sea" then way:Layer("water", true); way:Attribute("class", "ocean"); return end
  if side == "land" then way:Layer("land", true); return end
  if not add_water(way) then
    for _, key in ipairs(area_keys) do
      local value = way:Find(key)
      local area = areas[key][value]
      if area then
        way:Layer(area[1], true)
        way:Attribute("class", area[2])
        way:Attribute("subclass", value)
        way:MinZoom(area_zoom(way, 7))
        if (area[1] == "park" or area[2] == "park") and way:Find("name") ~= "" then
          if area[1] ~= "park" then
            way:LayerAsCentroid("park"); way:Attribute("class", "park"); way:MinZoom(area_zoom(way, 11))
          end
          set_names(way)
        end
        break
      end
    end
  end
  local aeroway = way:Find("aeroway")
  if aeroway == "aerodrome" or aeroway == "apron" or aeroway == "helipad" then
    way:Layer("aeroway", true); way:Attribute("class", aeroway)
  end
  if is(way:Find("building")) then
    way:Layer("building", true)
    local height = tonumber(way:Find("height")) or (tonumber(way:Find("building:levels")) or 0) * 3
    if height > 0 then way:AttributeNumeric("render_height", height) end
  end
  add_house(way, true)
  add_poi(way, true)
end

function way_function(way)
  local highway, railway, waterway = way:Find("highway"), way:Find("railway"), way:Find("waterway")
  local is_closed = way:IsClosed()
  local level, lines = read_relations(way)
  add_boundary(way, level)
  local road = roads[highway]
  if road and not (is_closed and way:Find("area") == "yes") then add_road(way, highway, road)
  elseif road then
    way:Layer("landuse", true); way:Attribute("class", "pedestrian"); way:MinZoom(13)
  end
  local rail = rails[railway]
  if rail then
    way:Layer("transportation", false)
    way:Attribute("class", rail[1])
    way:Attribute("subclass", railway)
    local service = way:Find("service")
    if service ~= "" then way:Attribute("service", service) end
    way:MinZoom(service ~= "" and 13 or rail[2])
    set_brunnel(way)
    if #lines > 0 then
      way:Layer("transportation_name", false)
      way:MinZoom(13)
      way:Attribute("class", "line")
      way:Attribute("subclass", railway)
      -- More than a few lines fill the map.
      way:Attribute("ref", table.concat(lines, " · ", 1, math.min(#lines, 5)) .. (#lines > 5 and " …" or ""))
    end
  end
  if way:Find("route") == "ferry" then
    way:Layer("transportation", false); way:Attribute("class", "ferry"); way:MinZoom(9)
  end
  local aerialway = way:Find("aerialway")
  if aerialway == "cable_car" or aerialway == "gondola" or aerialway == "chair_lift" then
    way:Layer("transportation", false); way:Attribute("class", "aerialway"); way:Attribute("subclass", aerialway); way:MinZoom(12)
  end
  if way:Find("man_made") == "pier" then
    way:Layer("transportation", is_closed); way:Attribute("class", "pier"); way:MinZoom(13)
  end
  local aeroway = way:Find("aeroway")
  if aeroway == "runway" or aeroway == "taxiway" then
    way:Layer("aeroway", is_closed); way:Attribute("class", aeroway)
    local ref = way:Find("ref")
    if ref ~= "" then way:Attribute("ref", ref) end
  end
  if waterways[waterway] then
    way:Layer("waterway", false)
    way:Attribute("class", waterway)
    way:MinZoom(waterways[waterway])
    set_brunnel(way)
    set_names(way)
  end
  if is_closed then add_area(way) end
end
