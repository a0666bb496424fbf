// See CCatalogue, which says why files become part of the program in C.
#include "CPlaceTables.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char categories[] = {
#embed "../PlaceSearch/Resources/categories.txt" suffix(, 0)
};
static const char coordinate_words[] = {
#embed "../PlaceSearch/Resources/coordinate-words.txt" suffix(, 0)
};
static const char folding[] = {
#embed "../PlaceSearch/Resources/folding.txt" suffix(, 0)
};
static const char street_types[] = {
#embed "../PlaceSearch/Resources/street-types.txt" suffix(, 0)
};

const char *locationd_place_categories(void) { return categories; }
const char *locationd_coordinate_words(void) { return coordinate_words; }
const char *locationd_letter_folding(void) { return folding; }
const char *locationd_street_types(void) { return street_types; }
