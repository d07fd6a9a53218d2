/** The latest events of a Project as frames, shared by all connections of this replica. */
export interface ProjectRing {
  /** Highest known position; everything before it is in the ring or in the log. */
  readonly last: number;
  /** The ring has the frames after this position. */
  readonly from: number;
  readonly bytes: number;
  /** `gap`: events in between must be read from the log first. */
  append(entry: RingEntry): 'appended' | 'old' | 'gap';
  /** Frames after a position, at most about `bytesMax`; null when the ring no longer has them. */
  after(position: number, bytesMax: number): RingChunk | null;
  /** Drops the oldest half. */
  trim(): void;
}

export interface RingEntry {
  readonly position: number;
  /** A chunk of its own. */
  readonly frame: Buffer;
}

/** Whole frames, joined once for all connections at the same position. */
export interface RingChunk {
  readonly bytes: Buffer;
  /** Position of the last frame in it. */
  readonly last: number;
}

export interface RingLimits {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** `head` is the current head position of the log. */
export function createProjectRing(head: number, limits: RingLimits): ProjectRing {
  let frames: Buffer[] = [];
  let last = head;
  let bytes = 0;
  /** Chunks by the position that they follow; a new event invalidates all. */
  let joined = new Map<number, RingChunk>();

  function drop(count: number): void {
    for (const frame of frames.slice(0, count)) bytes -= frame.length;
    frames = frames.slice(count);
    joined = new Map();
  }

  return {
    get last() {
      return last;
    },
    get from() {
      return last - frames.length;
    },
    get bytes() {
      return bytes;
    },
    append({ position, frame }) {
      if (position <= last) return 'old';
      if (position > last + 1) return 'gap';
      frames.push(frame);
      last = position;
      bytes += frame.length;
      joined = new Map();
      if (frames.length > limits.entriesMax || bytes > limits.bytesMax) {
        drop(Math.ceil(frames.length / 2));
      }
      return 'appended';
    },
    after(position, bytesMax) {
      const index = position - (last - frames.length);
      if (index < 0) return null;
      const known = joined.get(position);
      if (known) return known;
      const chunk = join(frames, index, bytesMax);
      const made = { bytes: chunk.bytes, last: position + chunk.count };
      joined.set(position, made);
      return made;
    },
    trim: () => drop(Math.ceil(frames.length / 2)),
  };
}

function join(frames: readonly Buffer[], from: number, bytesMax: number) {
  let count = 0;
  let size = 0;
  for (const frame of frames.slice(from)) {
    if (count > 0 && size + frame.length > bytesMax) break;
    count += 1;
    size += frame.length;
  }
  const [only] = frames.slice(from, from + 1);
  const bytes = count === 1 && only ? only : Buffer.concat(frames.slice(from, from + count), size);
  return { bytes, count };
}
