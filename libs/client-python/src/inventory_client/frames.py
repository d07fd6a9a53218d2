"""Frames of an event stream."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field

from .answers import Fields, parsed
from .errors import UnexpectedAnswerError

# Above every frame of the service; those are smaller than 1 KiB.
_frame_chars_max = 256 * 1024


@dataclass
class Frame:
    """One complete frame."""

    type: str = ""
    id: str | None = None
    lines: list[str] = field(default_factory=list)
    chars: int = 0

    def content(self) -> Fields:
        content = parsed("\n".join(self.lines))
        if content is None:
            raise self.unexpected()
        return content

    def unexpected(self) -> UnexpectedAnswerError:
        return UnexpectedAnswerError(f"A frame {self.type[:80]} has an unexpected shape.")


class FrameParser:
    """The parser of one connection; UTF-8, line ends and frames may be split anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest, self._frame = "", Frame()

    def take(self, chunk: bytes) -> Iterator[Frame]:
        """The frames that these bytes complete, as the caller iterates."""
        text, at = self._rest + self._decoder.decode(chunk), 0
        while (end := _line_end(text, at)) is not None:
            line, at = text[at : end[0]], end[1]
            if line:
                self._read(line)
                continue
            frame, self._frame = self._frame, Frame()
            if frame.lines:
                yield frame
        self._rest = text[at:]
        self._require_size(len(self._rest))

    def _read(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._frame.type = value
        elif name == "id" and "\0" not in value:
            self._frame.id = value
        elif name == "data":
            self._frame.lines.append(value)
        if name:
            self._require_size(len(line))
            self._frame.chars += len(line)

    def _require_size(self, more: int) -> None:
        if self._frame.chars + more > _frame_chars_max:
            raise UnexpectedAnswerError("A frame of the stream is too large.")


def _line_end(text: str, at: int) -> tuple[int, int] | None:
    """Where the line ends and the next one starts; a CR at the end may be half of a line end."""
    feed, carriage = text.find("\n", at), text.find("\r", at)
    if carriage < 0 or 0 <= feed < carriage:
        return None if feed < 0 else (feed, feed + 1)
    if carriage + 1 == len(text):
        return None
    return carriage, carriage + (2 if text[carriage + 1] == "\n" else 1)
