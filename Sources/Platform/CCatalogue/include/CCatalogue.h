// The texts of the languages, as the files of Localization/Catalogue: part of the program, so that it needs no file.

// The catalogue of a language, by its code of ISO 639-1: JSON that ends with a NUL byte; NULL for a language that has none.
const char *locationd_catalogue(const char *language);
