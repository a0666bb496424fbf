"""The region of a town: the state, province or county that people write in its address.

Three sources, in this order: DIVISIONS, GeoNames' own code of the town's division, the outlines of Natural Earth.
"""

from collections import Counter, defaultdict

import geometry

# The metres that a town may lie outside all outlines: coasts are simplified, and small islands are missing.
REACH = 40_000
# The share of towns that a division of GeoNames and a state have in common if they are the same.
SAME = 0.75
# The share of a country's towns in such divisions if its divisions are its states. Umbria is no state, though three of four of
# its towns lie in Perugia.
ALL_SAME = 0.85
# The metres from its division's outline within which a town's code is right and the outlines are coarse. Farther away, the code
# is wrong.
NEAR = 10_000

# Countries whose towns have no region, each with the reason.
NONE = {
    "AX": "municipalities, named for their towns",
    "LI": "municipalities, named for their towns",
    "LU": "districts that were abolished in 2015",
    "LV": "the municipalities of before 2021",
    "ME": "municipalities, named for their towns",
    "MK": "municipalities, several of them parts of Skopje",
    "MT": "local councils, named for their towns",
    "NR": "districts that nobody writes",
    "SG": "councils that nobody writes",
    "SI": "municipalities, named for their towns",
    "SM": "municipalities, named for their towns",
    "XK": "municipalities, named for their towns",
}

# Names by GeoNames' codes of divisions, where the outlines are finer than what people write, older than a reform, or wrong.
DIVISIONS = {
    # Natural Earth has counties and boroughs.
    "GB": {"ENG": "England", "SCT": "Scotland", "WLS": "Wales", "NIR": "Northern Ireland"},
    # The district of Kyrenia is no part of Cyprus in Natural Earth.
    "CY": {"01": "Famagusta", "02": "Kyrenia", "03": "Larnaca", "04": "Nicosia", "05": "Limassol", "06": "Paphos"},
    # Crimea is no part of Ukraine in Natural Earth, and the outline of Kyiv holds suburbs of the oblast.
    "UA": {"11": "Crimea", "12": "Kyiv", "13": "Kyiv Oblast", "20": "Sevastopol"},
    # The counties of 2024.
    "NO": {"01": "Akershus", "04": "Buskerud", "05": "Finnmark", "08": "Møre og Romsdal", "09": "Nordland", "12": "Oslo",
           "13": "Østfold", "14": "Rogaland", "17": "Telemark", "18": "Troms", "20": "Vestfold", "21": "Trøndelag",
           "34": "Innlandet", "42": "Agder", "46": "Vestland"},
    # Parts of Andhra Pradesh until 2014, of Jammu and Kashmir until 2019.
    "IN": {"40": "Telangana", "41": "Ladakh"},
    # The counties of 2013.
    "KE": {"05": "Nairobi", "10": "Baringo", "11": "Bomet", "12": "Bungoma", "13": "Busia", "14": "Elgeyo-Marakwet",
           "15": "Embu", "16": "Garissa", "17": "Homa Bay", "18": "Isiolo", "19": "Kajiado", "20": "Kakamega",
           "21": "Kericho", "22": "Kiambu", "23": "Kilifi", "24": "Kirinyaga", "25": "Kisii", "26": "Kisumu", "27": "Kitui",
           "28": "Kwale", "29": "Laikipia", "30": "Lamu", "31": "Machakos", "32": "Makueni", "33": "Mandera",
           "34": "Marsabit", "35": "Meru", "36": "Migori", "37": "Mombasa", "38": "Murang'a", "39": "Nakuru", "40": "Nandi",
           "41": "Narok", "42": "Nyamira", "43": "Nyandarua", "44": "Nyeri", "45": "Samburu", "46": "Siaya",
           "47": "Taita-Taveta", "48": "Tana River", "49": "Tharaka-Nithi", "50": "Trans-Nzoia", "51": "Turkana",
           "52": "Uasin Gishu", "53": "Vihiga", "54": "Wajir", "55": "West Pokot"},
    # The provinces of 2015.
    "NP": {"1": "Koshi", "2": "Madhesh", "3": "Bagmati", "4": "Gandaki", "5": "Lumbini", "6": "Karnali",
           "7": "Sudurpashchim"},
    # The provinces of 2015.
    "CD": {"02": "Équateur", "04": "Kasaï-Oriental", "06": "Kinshasa", "08": "Kongo Central", "10": "Maniema",
           "11": "Nord-Kivu", "12": "Sud-Kivu", "13": "Bas-Uele", "14": "Haut-Katanga", "15": "Haut-Lomami",
           "16": "Haut-Uele", "17": "Ituri", "18": "Kasaï", "19": "Kwango", "20": "Kwilu", "21": "Lomami", "22": "Lualaba",
           "23": "Kasaï-Central", "24": "Mai-Ndombe", "25": "Mongala", "26": "Nord-Ubangi", "27": "Sankuru",
           "28": "Sud-Ubangi", "29": "Tanganyika", "30": "Tshopo", "31": "Tshuapa"},
    # The provinces of 2025.
    "VN": {"01": "Hà Nội", "04": "Cao Bằng", "08": "Tuyên Quang", "11": "Điện Biên", "12": "Lai Châu", "14": "Sơn La",
           "15": "Lào Cai", "19": "Thái Nguyên", "20": "Lạng Sơn", "22": "Quảng Ninh", "24": "Bắc Ninh", "25": "Phú Thọ",
           "31": "Hải Phòng", "33": "Hưng Yên", "37": "Ninh Bình", "38": "Thanh Hóa", "40": "Nghệ An", "42": "Hà Tĩnh",
           "44": "Quảng Trị", "46": "Huế", "48": "Đà Nẵng", "51": "Quảng Ngãi", "52": "Gia Lai", "56": "Khánh Hòa",
           "66": "Đắk Lắk", "68": "Lâm Đồng", "75": "Đồng Nai", "79": "Hồ Chí Minh City", "80": "Tây Ninh",
           "82": "Đồng Tháp", "86": "Vĩnh Long", "91": "An Giang", "92": "Cần Thơ", "96": "Cà Mau"},
    # The regions of 2015.
    "MA": {"01": "Tanger-Tétouan-Al Hoceïma", "02": "Oriental", "03": "Fès-Meknès", "04": "Rabat-Salé-Kénitra",
           "05": "Béni Mellal-Khénifra", "06": "Casablanca-Settat", "07": "Marrakech-Safi", "08": "Drâa-Tafilalet",
           "09": "Souss-Massa", "10": "Guelmim-Oued Noun", "11": "Laâyoune-Sakia El Hamra", "12": "Dakhla-Oued Ed-Dahab"},
    # The districts of 2011.
    "CI": {"76": "Bas-Sassandra", "77": "Denguélé", "78": "Montagnes", "81": "Lacs", "82": "Lagunes", "87": "Savanes",
           "90": "Vallée du Bandama", "92": "Zanzan", "93": "Abidjan", "94": "Comoé", "95": "Gôh-Djiboua",
           "96": "Sassandra-Marahoué", "97": "Woroba", "98": "Yamoussoukro"},
    # The regions that were divided in 2019.
    "GH": {"12": "Ahafo", "13": "Bono", "14": "Bono East", "15": "North East", "16": "Oti", "17": "Savannah",
           "18": "Western North"},
    # The regions that one of the outlines was divided into from 2020 on.
    "ET": {"55": "Central Ethiopia", "56": "South Ethiopia", "SI": "Sidama", "SW": "South West Ethiopia"},
    # New since 2012.
    "ID": {"42": "Kalimantan Utara", "PD": "Papua Barat Daya", "PE": "Papua Pegunungan", "PS": "Papua Selatan",
           "PT": "Papua Tengah"},
    # New since 2019; the outline of Algiers is too small.
    "DZ": {"01": "Alger", "BA": "Béni Abbès", "BB": "Bordj Badji Mokhtar", "DJ": "Djanet", "EM": "El Menia",
           "IG": "In Guezzam", "IS": "In Salah", "MG": "El M'Ghair", "OD": "Ouled Djellal", "TG": "Touggourt",
           "TM": "Timimoun"},
    # New since 2018.
    "KZ": {"12510143": "Abai", "12510144": "Jetisu", "12510145": "Ulytau", "1537272": "Shymkent"},
    "CL": {"18": "Ñuble"},
    "PA": {"13": "Panamá Oeste"},
}

# Names to show in the place of those that Natural Earth has under `gn_name` or `name`: misspelt or obsolete ones, those of
# another state, and parts of a county.
NAMES = {
    "AE": {"Dubay": "Dubai", "Fujayrah": "Fujairah", "Ras Al Khaymah": "Ras Al Khaimah", "Umm Al Qaywayn": "Umm Al Quwain"},
    "AF": {"Panjshir": "Panjshir", "Wilayat-e Daykundi": "Daykundi"},
    "AL": {"Qarku i Tiranes": "Tirana"},
    "AM": {"Erevan": "Yerevan"},
    "AZ": {"Lacin Rayonu": "Laçın"},
    "BE": {"Liege": "Liège"},
    "BG": {"Grad Sofiya": "Sofia City"},
    "BY": {"City of Minsk": "Minsk"},
    "CN": {"Inner Mongol": "Inner Mongolia"},
    "CO": {"Bogota": "Bogotá"},
    "CU": {"Ciudad de la Habana": "La Habana"},
    "DK": {"Sjaælland": "Sjælland"},
    "DO": {"Hermanas": "Hermanas Mirabal", "La Estrelleta": "Elías Piña"},
    "EC": {"Provincia del Tungurahua": "Tungurahua", "Provincia de Napo": "Napo"},
    "ER": {"Maekel Region": "Maekel", "Anseba Region": "Anseba", "Debub Region": "Debub",
           "Northern Red Sea Region": "Northern Red Sea", "Southern Red Sea Region": "Southern Red Sea"},
    "ES": {"Gerona": "Girona", "Lérida": "Lleida", "La Coruña": "A Coruña"},
    "FR": {"Haute-Rhin": "Haut-Rhin"},
    "GY": {"Barima-Waini Region": "Barima-Waini", "Pomeroon-Supenaam Region": "Pomeroon-Supenaam",
           "Essequibo Islands-West Demerara Region": "Essequibo Islands-West Demerara",
           "Demerara-Mahaica Region": "Demerara-Mahaica", "Mahaica-Berbice Region": "Mahaica-Berbice",
           "East Berbice-Corentyne Region": "East Berbice-Corentyne", "Cuyuni-Mazaruni Region": "Cuyuni-Mazaruni",
           "Upper Takutu-Upper Essequibo Region": "Upper Takutu-Upper Essequibo",
           "Upper Demerara-Berbice Region": "Upper Demerara-Berbice"},
    "HR": {"Grad Zagreb": "Zagreb", "Dubrovacko-Neretvanska": "Dubrovačko-Neretvanska", "Karlovacka": "Karlovačka",
           "Licko-Senjska": "Ličko-Senjska", "Medimurska": "Međimurska", "Sisacko-Moslavacka": "Sisačko-Moslavačka",
           "Zagrebacka": "Zagrebačka"},
    # Towns with the rights of a county.
    "HU": {"Bekes megye": "Békés", "Borsod-Abauj-Zemplen megye": "Borsod-Abaúj-Zemplén", "Bacs-Kiskun megye": "Bács-Kiskun",
           "Baranya megye": "Baranya", "Csongrad megye": "Csongrád-Csanád", "Hajdu-Bihar megye": "Hajdú-Bihar",
           "Fejer megye": "Fejér", "Heves megye": "Heves", "Gyor-Moson-Sopron megye": "Győr-Moson-Sopron",
           "Jasz-Nagykun-Szolnok megye": "Jász-Nagykun-Szolnok", "Komarom-Esztergom megye": "Komárom-Esztergom",
           "Nograd megye": "Nógrád", "Pest megye": "Pest", "Somogy megye": "Somogy", "Tolna megye": "Tolna",
           "Szabolcs-Szatmar-Bereg megye": "Szabolcs-Szatmár-Bereg", "Vas megye": "Vas", "Zala megye": "Zala"},
    # Councils of one county.
    "IE": {"Fingal": "Dublin", "Dún Laoghaire–Rathdown": "Dublin", "South Dublin": "Dublin", "North Tipperary": "Tipperary",
           "South Tipperary": "Tipperary", "Laoighis": "Laois"},
    "IN": {"Orissa": "Odisha", "Uttaranchal": "Uttarakhand"},
    "IQ": {"At-Ta'mim": "Kirkuk", "Sala ad-Din": "Salah ad-Din"},
    "IS": {"Reykjavík": "Höfuðborgarsvæði"},
    "IT": {"Aoste": "Aosta", "Bozen": "Bolzano", "Crotene": "Crotone", "Oristrano": "Oristano",
           "Barletta-Andria Trani": "Barletta-Andria-Trani"},
    "JP": {"Hokkaidō": "Hokkaido", "Hyōgo": "Hyogo", "Kyōto": "Kyoto", "Kōchi": "Kochi", "Ōita": "Oita", "Ōsaka": "Osaka"},
    "KZ": {"Almaty City": "Almaty", "South Kazakhstan": "Turkistan"},
    "LA": {"Vientiane [prefecture]": "Vientiane Prefecture"},
    # Sinhala names, transcribed.
    "LK": {"Ampāra": "Ampara", "Anurādhapura": "Anuradhapura", "Gālla": "Galle", "Hambantŏṭa": "Hambantota",
           "Kaḷutara": "Kalutara", "Kilinŏchchi": "Kilinochchi", "Kuruṇægala": "Kurunegala", "Kægalla": "Kegalle",
           "Kŏḷamba": "Colombo", "Mahanuvara": "Kandy", "Mannārama": "Mannar", "Maḍakalapuva": "Batticaloa",
           "Mulativ": "Mullaitivu", "Mātale": "Matale", "Mātara": "Matara", "Mŏṇarāgala": "Moneragala",
           "Nuvara Ĕliya": "Nuwara Eliya", "Puttalama": "Puttalam", "Pŏḷŏnnaruva": "Polonnaruwa",
           "Trikuṇāmalaya": "Trincomalee", "Vavuniyāva": "Vavuniya", "Yāpanaya": "Jaffna"},
    # Genitives.
    "LT": {"Alytaus": "Alytus", "Kauno": "Kaunas", "Klaipedos": "Klaipėda", "Marijampoles": "Marijampolė",
           "Panevezio": "Panevėžys", "Taurages": "Tauragė", "Utenos": "Utena", "Vilniaus": "Vilnius"},
    "MD": {"Stîngă Nistrului": "Transnistria"},
    "MW": {"Karonga District": "Karonga"},
    "MX": {"Distrito Federal": "Ciudad de México"},
    "MY": {"Trengganu": "Terengganu"},
    "NA": {"Caprivi": "Zambezi"},
    "NG": {"Nassarawa": "Nasarawa"},
    "PG": {"North Solomons": "Bougainville"},
    "PK": {"Baluchistan": "Balochistan", "F.A.T.A.": "Khyber Pakhtunkhwa", "F.C.T.": "Islamabad",
           "K.P.": "Khyber Pakhtunkhwa", "Northern Areas": "Gilgit-Baltistan", "Sind": "Sindh"},
    "RO": {"Arges": "Argeș", "Bacau": "Bacău", "Bistrita-Nasaud": "Bistrița-Năsăud", "Botosani": "Botoșani",
           "Braila": "Brăila", "Brasov": "Brașov", "Buzau": "Buzău", "Calarasi": "Călărași",
           "Caras-Severin": "Caraș-Severin", "Constanta": "Constanța", "Dâmbovita": "Dâmbovița", "Galati": "Galați",
           "Ialomita": "Ialomița", "Iasi": "Iași", "Maramures": "Maramureș", "Mehedinti": "Mehedinți", "Mures": "Mureș",
           "Neamt": "Neamț", "Salaj": "Sălaj", "Timis": "Timiș"},
    "RS": {"Grad Beograd": "Belgrade", "Rasinski Okrug": "Rasinski", "Branicevski": "Braničevski",
           "Jablanicki": "Jablanički", "Južno-Backi": "Južno-Bački", "Macvanski": "Mačvanski", "Moravicki": "Moravički",
           "Pcinjski": "Pčinjski", "Severno-Backi": "Severno-Bački", "Toplicki": "Toplički", "Zajecarski": "Zaječarski",
           "Zapadno-Backi": "Zapadno-Bački"},
    "RU": {"Adygey": "Adygea", "Altay": "Altai Krai", "Arkhangel'sk": "Arkhangelsk", "Astrakhan'": "Astrakhan",
           "Buryat": "Buryatia", "Chita": "Zabaykalsky Krai", "Chukchi Autonomous Okrug": "Chukotka", "Chuvash": "Chuvashia",
           "City of St. Petersburg": "Saint Petersburg", "Gorno-Altay": "Altai Republic", "Ingush": "Ingushetia",
           "Kabardin-Balkar": "Kabardino-Balkaria", "Kalmyk": "Kalmykia", "Karachay-Cherkess": "Karachay-Cherkessia",
           "Khakass": "Khakassia", "Khanty-Mansiy": "Khanty-Mansi", "Maga Buryatdan": "Magadan", "Mariy-El": "Mari El",
           "Moskovsskaya": "Moscow Oblast", "Moskva": "Moscow", "Nizhegorod": "Nizhny Novgorod", "Orel": "Oryol",
           "Perm'": "Perm", "Primor'ye": "Primorye", "Ryazan'": "Ryazan", "Stavropol'": "Stavropol", "Tver'": "Tver",
           "Tyumen'": "Tyumen", "Udmurt": "Udmurtia", "Ul'yanovsk": "Ulyanovsk", "Yaroslavl'": "Yaroslavl",
           "Yevrey": "Jewish Autonomous Oblast"},
    "SE": {"Orebro": "Örebro"},
    "SY": {"Hasaka (Al Haksa)": "Al-Hasakah", "Homs (Hims)": "Homs"},
    "TH": {"Bangkok Metropolis": "Bangkok"},
    "TJ": {"Leninabad": "Sughd", "Tadzhikistan Territories": "Districts of Republican Subordination"},
    "TM": {"Chardzhou": "Lebap", "Tashauz": "Daşoguz"},
    "TN": {"Ben Arous (Tunis Sud)": "Ben Arous", "Manubah": "Manouba"},
    "TR": {"K. Maras": "Kahramanmaraş", "Kinkkale": "Kırıkkale", "Zinguldak": "Zonguldak"},
    "UA": {"Dnipropetrovs'k": "Dnipropetrovsk", "Donets'k": "Donetsk", "Ivano-Frankivs'k": "Ivano-Frankivsk",
           "Khmel'nyts'kyy": "Khmelnytskyi", "Kiev": "Kyiv Oblast", "Kiev City": "Kyiv", "L'viv": "Lviv",
           "Luhans'k": "Luhansk", "Mykolayiv": "Mykolaiv", "Odessa": "Odesa", "Ternopil'": "Ternopil",
           "Transcarpathia": "Zakarpattia", "Vinnytsya": "Vinnytsia", "Zaporizhzhya": "Zaporizhzhia"},
    "UG": {"Kiruhura District": "Kiruhura"},
    "VE": {"Vargas": "La Guaira"},
    # Three have the name of a part of the country.
    "VN": {"Tinh Bac Kan": "Bắc Kạn", "Tinh Dong Nai": "Đồng Nai", "Tinh Hung Yen": "Hưng Yên",
           "Tinh Dong Thap": "Đồng Tháp", "Quàng Nam": "Quảng Nam", "Hồ Chí Minh city": "Hồ Chí Minh City",
           "Can Tho": "Cần Thơ", "Ha Noi": "Hà Nội", "Ha Tinh": "Hà Tĩnh", "Hau Giang": "Hậu Giang", "Lai Chau": "Lai Châu",
           "Son La": "Sơn La", "Thừa Thiên - Huế": "Huế"},
}


def name_of(row):
    """The name of a state of Natural Earth, or `None` if it has none."""
    better = NAMES.get(row["iso_a2"], {})
    return better.get(row["gn_name"]) or better.get(row["name"]) or row["name"] or row["gn_name"]


class Regions:
    """The regions of all towns. `states` are (row, outline) of Natural Earth."""

    def __init__(self, cities, states):
        self.outlines = defaultdict(list)
        for row, shape in states:
            if name := name_of(row):
                self.outlines[row["iso_a2"]].append((name, geometry.Outline(shape)))
        self.found = {city["geonameid"]: self._by_outline(city) for city in cities.values()}
        self.same = self._same(cities)

    def of(self, city):
        """The name of a town's region, or `None` if there is none to write."""
        country, division = city["countrycode"], city["admin1code"]
        # The only state of a country has the country's name.
        if country in NONE or len(self.outlines[country]) == 1:
            return None
        if name := DIVISIONS.get(country, {}).get(division):
            return name
        found, coded = self.found[city["geonameid"]], self.same.get((country, division))
        if coded and coded != found and self._is_near(city, coded):
            return coded
        return found

    def _is_near(self, city, state):
        """True if the state's outline is near enough for the town to lie in it."""
        return any(outline.distance(city["longitude"], city["latitude"], NEAR) is not None
                   for name, outline in self.outlines[city["countrycode"]] if name == state)

    def _by_outline(self, city):
        longitude, latitude = city["longitude"], city["latitude"]
        outlines = self.outlines[city["countrycode"]]
        for name, outline in outlines:
            if outline.contains(longitude, latitude):
                return name
        nearest, most = None, REACH
        for name, outline in outlines:
            distance = outline.distance(longitude, latitude, most)
            if distance is not None:
                nearest, most = name, distance
        return nearest

    def _same(self, cities):
        """The names of the divisions that are also states: there the town's code is more accurate than an outline."""
        common, divisions, states = Counter(), Counter(), Counter()
        for city in cities.values():
            if name := self.found[city["geonameid"]]:
                division, state = (city["countrycode"], city["admin1code"]), (city["countrycode"], name)
                common[division, state] += 1
                divisions[division] += 1
                states[state] += 1
        same, towns, all_towns = {}, Counter(), Counter()
        for (division, state), count in common.items():
            all_towns[division[0]] += count
            if count >= SAME * max(divisions[division], states[state]):
                same[division] = state[1]
                towns[division[0]] += count
        return {division: name for division, name in same.items() if towns[division[0]] >= ALL_SAME * all_towns[division[0]]}
