"""The public interface of the libraries: no change of it slips in."""
import difflib
import json
import re
import subprocess
import unittest

from pages import REPOSITORY

SYMBOLS = REPOSITORY / ".build/docs"
KEPT = REPOSITORY / "Tests/Documentation/public-api.txt"


class PublicInterfaceTests(unittest.TestCase):
    @unittest.skipUnless((SYMBOLS / "LocationMap.symbols").exists(), "no symbols: make docs")
    def test_it_is_the_one_that_is_kept(self):
        now = subprocess.run([REPOSITORY / "Config/public-api", SYMBOLS], check=True, capture_output=True, text=True).stdout
        changes = [line for line in difflib.unified_diff(KEPT.read_text().splitlines(), now.splitlines(), "kept", "built", n=0, lineterm="")]
        self.assertEqual(changes, [], "The public interface has changed. If that is meant, run: make docs public-api\n" + "\n".join(changes))


@unittest.skipUnless((SYMBOLS / "LocationMap.symbols").exists(), "no symbols: make docs")
class ExportedTypesTests(unittest.TestCase):
    """The public interface of a product names only types that a program which imports the product sees."""
    #: The modules whose symbols are those of each product.
    PRODUCTS = {"LocationClient": ["LocationClient", "LocationModel", "LocationConditions"], "LocationMap": ["LocationMap", "MapModel"]}
    #: Those of Swift, and of packages on which a program that uses the product depends for them.
    OTHERS = {"LocationClient": {"Swift", "_Concurrency", "FoundationEssentials"},
              "LocationMap": {"Swift", "_Concurrency", "FoundationEssentials", "Logging", "ServiceLifecycle", "Hummingbird"}}
    EXPORT = re.compile(r"(?m)^@_exported public import (?:(?:struct|enum|class|protocol|func|typealias) )?([\w.]+)$")

    def exported(self, product):
        """The modules that a product exports, and the types that it exports of others, by their full names."""
        names = {name for file in (REPOSITORY / "Sources").glob(f"*/{product}/**/*.swift") for name in self.EXPORT.findall(file.read_text())}
        for product in names & self.PRODUCTS.keys():
            names |= self.exported(product)
        return names

    def named(self, module):
        """The types that are named in the declarations of a module's public symbols: pairs of the symbol and the mangled name."""
        for file in (SYMBOLS / f"{module}.symbols").glob("*.symbols.json"):
            for symbol in json.loads(file.read_text())["symbols"]:
                for part in symbol.get("declarationFragments", ()):
                    if part.get("preciseIdentifier", "").startswith("s:"):
                        yield ".".join(symbol["pathComponents"]), "$s" + part["preciseIdentifier"][2:]

    def test_no_symbol_names_a_type_that_a_program_does_not_see(self):
        for product, modules in self.PRODUCTS.items():
            own = {product} | self.exported(product)
            seen = own | self.OTHERS[product]
            pairs = sorted({pair for module in modules for pair in self.named(module)
                            if {module, f"{module}.{pair[0].split('.')[0]}"} & own})
            self.assertGreater(len(pairs), 100)
            types = subprocess.run(["swift", "demangle", "--compact"], input="\n".join(name for _, name in pairs), check=True,
                                   capture_output=True, text=True).stdout.splitlines()
            leaks = {f"{symbol} names {name}" for (symbol, _), name in zip(pairs, types, strict=True)
                     if not {name.split(".")[0], ".".join(name.split(".")[:2])} & seen}
            self.assertEqual(sorted(leaks), [], f"These types belong to modules that {product} does not export")


if __name__ == "__main__":
    unittest.main()
