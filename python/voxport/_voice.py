"""Voices: text goes in, audio comes out, piece by piece."""

from __future__ import annotations

import array
import ctypes
import json
from ctypes import byref, c_int16, c_void_p
from dataclasses import dataclass
from os import PathLike
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from ._errors import Error
from ._handle import Handle
from ._library import (Callbacks, CPiece, OnStage, SayOptions, VoiceOptions, call, library, numbers_of, options,
                       path_bytes, text_bytes)

_DECODERS = ("best", "cached", "context")
_TEXT, _LINES, _PHONEMES, _IDS = range(4)


class Phoneme(NamedTuple):
    """A phoneme as it was spoken, in seconds from the start of all audio."""

    symbol: str
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of audio. With the first piece of a sentence come its text, its times and its phonemes."""

    samples: Any  #: one channel, from -1 to 1: a NumPy array of float32, or an ``array.array`` where there is no NumPy
    is_last: bool  #: whether its sentence is over
    text: Optional[str] = None  #: the sentence that begins with it
    start: float = 0  #: of the sentence, in seconds from the start of all audio
    end: float = 0
    phonemes: Sequence[Phoneme] = ()  #: none where the voice does not report durations

    def pcm16(self) -> bytes:
        """The samples as 16-bit numbers, as WAV files and sound devices have them."""
        count = len(self.samples)
        pcm = (c_int16 * count)()
        samples = array.array("f", bytes(memoryview(self.samples)))
        library().voxport_to_pcm16((ctypes.c_float * count).from_buffer(samples), count, pcm)
        return bytes(pcm)


class Stream(Iterator[Piece]):
    """The audio of one text: an iterator of pieces.

    Audio is computed when it is asked for. ``cancel()`` and ``close()`` may be called while another thread waits for a
    piece; threads that ask for pieces at the same time get one each.
    """

    def __init__(self, handle: c_void_p) -> None:
        self._piece = CPiece(struct_size=ctypes.sizeof(CPiece))
        self._handle = Handle(self, handle, "voxport_stream_close", "voxport_stream_cancel")

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Piece:
        with self._handle.used() as handle:
            if handle is not None and call("voxport_stream_next", handle, byref(self._piece)) == 0:
                return _piece_of(self._piece)
        raise StopIteration

    @property
    def notes(self) -> List[str]:
        """What one should know of how the text was read so far: symbols that were left out."""
        with self._handle.used() as handle:
            return [] if handle is None else library().voxport_stream_notes(handle).decode().splitlines()

    def cancel(self) -> None:
        """Ends the iteration."""
        self._handle.cancel()

    def close(self) -> None:
        """Cancels, and gives back what the stream has."""
        self._handle.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _samples_of(piece: CPiece) -> Any:
    samples = ctypes.string_at(piece.samples, 4 * piece.num_samples) if piece.num_samples else b""
    try:
        import numpy
    except ImportError:
        return array.array("f", samples)
    return numpy.frombuffer(bytearray(samples), numpy.float32)


def _piece_of(piece: CPiece) -> Piece:
    samples, is_last = _samples_of(piece), bool(piece.is_last)
    if piece.text is None:
        return Piece(samples, is_last)
    phonemes = [Phoneme(one.symbol.decode(), one.start, one.end) for one in piece.phonemes[:piece.num_phonemes]]
    return Piece(samples, is_last, piece.text.decode(), piece.start, piece.end, phonemes)


class Voice:
    """A voice: a folder that ``export`` wrote, a single graph, or a checkpoint, which is exported to a cache first.

    It may be used by several threads at once.

    >>> import voxport
    >>> voice = voxport.Voice("voice/", threads=1)
    >>> voice.sample_rate
    22050
    >>> for piece in voice.say("Hello."):
    ...     if piece.text:
    ...         print(piece.text, [phoneme.symbol for phoneme in piece.phonemes])
    Hello. ['^', 'h', 'e', 'l', 'l', 'o', '.', '$']

    The other ways to say what is spoken:

    >>> audio = [piece.samples for piece in voice.say(ids=[1, 0, 17, 0, 14, 0, 2])]
    >>> audio = [piece.samples for piece in voice.say(phonemes="hello")]
    """

    def __init__(self, path: Union[str, "PathLike[str]"], *, threads: int = 0, decoder: str = "best",
                 config: Optional[Union[str, "PathLike[str]"]] = None, espeak: Optional[str] = None,
                 romaniser: Optional[str] = None, expects_text: bool = True,
                 cache: Optional[Union[str, "PathLike[str]"]] = None, max_memory: int = 0,
                 on_stage: Optional[OnStage] = None) -> None:
        """Loads the voice.

        ``threads`` share the work of one run; 0 is one for each core. ``decoder`` is "best", "cached" (which computes
        nothing twice) or "context". ``config`` is that of a checkpoint or a single graph, in place of the one beside
        it. ``espeak`` is the program that makes phonemes of text, ``romaniser`` the one that writes it in Latin
        letters, for voices that need one. ``max_memory`` is the most bytes that an utterance may take.
        """
        if decoder not in _DECODERS:
            raise Error(Error.USAGE, f"the decoder is {decoder!r}, expected one of {', '.join(_DECODERS)}", "decoder")
        callbacks = Callbacks(on_stage)
        given = options(VoiceOptions, threads=threads, decoder=_DECODERS.index(decoder), espeak=espeak,
                        romaniser=romaniser, expects_no_text=not expects_text, cache=cache, max_memory=max_memory,
                        config=config, **callbacks.options)
        handle = c_void_p()
        with callbacks.called():
            call("voxport_voice_open", path_bytes(path), given, byref(handle))
            self._handle = Handle(self, handle, "voxport_voice_close")
        #: what it is: its speakers, its languages, its own scales, its notes
        self.info: Dict[str, Any] = json.loads(library().voxport_voice_json(handle).decode())

    @property
    def sample_rate(self) -> int:
        """Samples of a second."""
        rate: int = self.info["sample_rate"]
        return rate

    def say(self, text: Optional[str] = None, *, ids: Optional[Iterable[int]] = None, phonemes: Optional[str] = None,
            lines: bool = False, speaker: Optional[Union[str, int]] = None, language: Optional[Union[str, int]] = None,
            length_scale: Optional[float] = None, noise_scale: Optional[float] = None, noise_w: Optional[float] = None,
            pitch: Optional[float] = None, energy: Optional[float] = None, seed: int = 0, chunk_frames: int = 0,
            one_shot: bool = False, sentence_silence: float = 0, whole: bool = False) -> Stream:
        """Begins to speak a text, one utterance of ids, or phonemes in the voice's own symbols, an utterance a line.

        ``lines`` ends sentences at the ends of lines, too; ``whole`` makes the text one utterance. ``speaker`` and
        ``language`` are names or numbers. The scales, ``pitch`` and ``energy`` stand in place of the voice's own. The
        same ``seed`` gives the same audio. ``chunk_frames`` is the length of a piece, by default few frames at first;
        ``one_shot`` makes a sentence one piece. ``sentence_silence`` is in seconds.
        """
        if sum(given is not None for given in (text, ids, phonemes)) != 1:
            raise Error(Error.USAGE, "say() takes one of text, ids and phonemes", "input")
        kind = _PHONEMES if phonemes is not None else _LINES if lines else _TEXT
        given = options(SayOptions, input=kind, speaker=speaker, language=language, length_scale=length_scale,
                        noise_scale=noise_scale, noise_w=noise_w, pitch=pitch, energy=energy, seed=seed,
                        chunk_frames=chunk_frames, one_shot=one_shot, sentence_silence=sentence_silence, whole=whole)
        stream = c_void_p()
        with self._handle.shared() as handle:
            if handle is None:
                raise Error(Error.USAGE, "the voice is closed")
            if ids is not None:
                numbers = numbers_of("ids", ids)
                call("voxport_say_ids", handle, numbers, len(numbers), given, byref(stream))
            else:
                spoken = text_bytes("phonemes", phonemes) if text is None else text_bytes("text", text)
                call("voxport_say", handle, spoken, given, byref(stream))
        return Stream(stream)

    def close(self) -> None:
        """Gives the voice back. Streams go on."""
        self._handle.close()

    def __enter__(self) -> "Voice":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
