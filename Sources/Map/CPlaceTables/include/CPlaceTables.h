// The tables of PlaceSearch/Resources, as texts that end with a NUL byte: part of the program, so that it needs no file.

const char *locationd_place_categories(void);
const char *locationd_coordinate_words(void);
const char *locationd_letter_folding(void);
const char *locationd_street_types(void);
