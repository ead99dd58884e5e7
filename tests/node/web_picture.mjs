// web_picture.mjs MODULE: which words of a text stand over which phonemes.
import assert from "node:assert";
import { pathToFileURL } from "node:url";

const { joinWords } = await import(pathToFileURL(process.argv[2]));
const joined = (text, sizes) => joinWords(text.split(" "), sizes)?.join("|");

assert.equal(joined("Hello world!", [5, 4]), "Hello|world!");
assert.equal(joined("This goes on for a while, so that", [3, 3, 2, 4, 4, 2, 3]), "This|goes|on|for a|while,|so|that");
assert.equal(joined("before its sentence has been computed.", [5, 3, 7, 6, 9]), "before|its|sentence|has been|computed.");
assert.equal(joined("a – b", [1, 1, 1]), "a|–|b");
assert.equal(joined("a b", [0, 0]), "a|b");
assert.equal(joined("42", [3, 2]), undefined);
assert.equal(joined("a b c d e f", [3]), undefined);
assert.deepEqual(joinWords([], []), []);
