#!/usr/bin/env python3
"""record_phonemes.py SENTENCES: what Piper makes of sentences, for tests/data/phonemes.

SENTENCES has lines of an espeak-ng voice, a tab, and a text. For each, a JSON object goes to standard output: the
voice, the text, and for each of its sentences the phonemes, decomposed, with the marks that end clauses. They come from
libespeak-ng itself, 1.52 or newer, which tells the mark of each clause (Piper calls the same function). With an
older one (1.51) the clauses have no marks; give --marks FILE, what a newer one wrote, to take them from there.

Debian 13:  tools/record_phonemes.py sentences.tsv >espeak-ng-1.52.jsonl
Debian 12:  tools/record_phonemes.py --marks espeak-ng-1.52.jsonl sentences.tsv >espeak-ng-1.51.jsonl
"""
import argparse
import ctypes
import json
import re
import unicodedata

UTF8, IPA = 1, 2
SENTENCE = 0x80000
MARKS = {0x80028: ".", 0x41014: ",", 0x82028: "?", 0x8302D: "!", 0x4001E: ":", 0x4101E: ";"}


def load():
    library = ctypes.CDLL("libespeak-ng.so.1")
    if library.espeak_Initialize(2, 0, None, 0) < 0:
        raise SystemExit("libespeak-ng does not start")
    return library


def clauses(library, voice, text):
    """The phonemes and the terminator of each clause; 0 where the library does not tell it."""
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise SystemExit(f"no voice {voice}")
    read(library, "x")  # the library may have kept a character of the last text
    return read(library, text)


def read(library, text):
    buffer = ctypes.create_string_buffer(text.encode())
    at = ctypes.c_void_p(ctypes.addressof(buffer))
    found = []
    while at.value:
        terminator = ctypes.c_int(0)
        if hasattr(library, "espeak_TextToPhonemesWithTerminator"):
            say = library.espeak_TextToPhonemesWithTerminator
            say.restype = ctypes.c_char_p
            phonemes = say(ctypes.byref(at), UTF8, IPA, ctypes.byref(terminator))
        else:
            library.espeak_TextToPhonemes.restype = ctypes.c_char_p
            phonemes = library.espeak_TextToPhonemes(ctypes.byref(at), UTF8, IPA)
        found.append((phonemes.decode(), terminator.value & 0xFFFFF))
    return found


def sentences(found):
    """Piper's phonemes, one text per sentence, from clauses and their terminators."""
    done, current = [], ""
    for phonemes, terminator in found:
        mark = MARKS.get(terminator, "")
        current += re.sub(r"\([^)]*\)", "", phonemes) + mark + (" " if mark in (",", ":", ";") and mark else "")
        if terminator & SENTENCE:
            done, current = done + [current], ""
    return [unicodedata.normalize("NFD", s) for s in done + [current] if s]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--marks")
    parser.add_argument("sentences")
    arguments = parser.parse_args()
    terminators = {}
    if arguments.marks:
        for line in open(arguments.marks, encoding="utf-8"):
            case = json.loads(line)
            terminators[case["voice"], case["text"]] = case["terminators"]
    library = load()
    for line in open(arguments.sentences, encoding="utf-8"):
        voice, text = line.rstrip("\n").split("\t")
        found = clauses(library, voice, text)
        if arguments.marks:
            known = terminators[voice, text]
            if len(known) != len(found):
                continue  # this version finds other clauses
            found = [(phonemes, terminator) for (phonemes, _), terminator in zip(found, known)]
        case = {"voice": voice, "text": text, "terminators": [t for _, t in found], "sentences": sentences(found)}
        print(json.dumps(case, ensure_ascii=False))


main()
