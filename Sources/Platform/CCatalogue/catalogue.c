// Files become part of the program here and not by SwiftPM's `.embedInCode`, because Swift takes a minute for an array of 300,000 numbers.
#include "CCatalogue.h"
#include <stddef.h>
#include <string.h>

// Of C23, which Clang has for older standards as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char english[] = {
#embed "../Localization/Catalogue/texts.en.json" suffix(, 0)
};
static const char german[] = {
#embed "../Localization/Catalogue/texts.de.json" suffix(, 0)
};
static const char french[] = {
#embed "../Localization/Catalogue/texts.fr.json" suffix(, 0)
};
static const char spanish[] = {
#embed "../Localization/Catalogue/texts.es.json" suffix(, 0)
};
static const char portuguese[] = {
#embed "../Localization/Catalogue/texts.pt.json" suffix(, 0)
};
static const char japanese[] = {
#embed "../Localization/Catalogue/texts.ja.json" suffix(, 0)
};
static const char arabic[] = {
#embed "../Localization/Catalogue/texts.ar.json" suffix(, 0)
};

static const struct {
    const char *language, *texts;
} catalogues[] = {
    {"en", english}, {"de", german}, {"fr", french}, {"es", spanish}, {"pt", portuguese}, {"ja", japanese}, {"ar", arabic},
};

const char *locationd_catalogue(const char *language) {
    for (size_t i = 0; i < sizeof catalogues / sizeof *catalogues; i++)
        if (strcmp(catalogues[i].language, language) == 0)
            return catalogues[i].texts;
    return NULL;
}
