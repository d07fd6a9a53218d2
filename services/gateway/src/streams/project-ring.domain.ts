export type ProjectRing = ReturnType<typeof createProjectRing>;

/** Whole frames, as a part of a block: connections at any positions share the bytes of the ring. */
export interface RingChunk {
  readonly bytes: Buffer;
  /** Position of the last frame in it. */
  readonly last: number;
}

export interface RingLimits {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** Frames one after the other. What was written is never overwritten: parts of it may be on their way. */
interface Block {
  /** Position of its first frame. */
  readonly first: number;
  bytes: Buffer;
  /** Where each frame ends. */
  readonly ends: number[];
}

/** Of a full ring; the oldest is dropped for the next. */
const blocksOfEntries = 16;
const blocksOfBytes = 32;

/**
 * The latest events of a Project as frames, shared by all connections of this replica. `head` is the
 * current head position of the log.
 */
export function createProjectRing(head: number, limits: RingLimits) {
  const entriesOfBlock = Math.ceil(limits.entriesMax / blocksOfEntries);
  const bytesOfBlock = Math.ceil(limits.bytesMax / blocksOfBytes);
  let blocks: Block[] = [];
  let last = head;
  let count = 0;
  let bytes = 0;

  function dropUntil(isEnough: () => boolean): void {
    while (blocks.length > 0 && !isEnough()) {
      const [oldest, ...rest] = blocks;
      blocks = rest;
      count -= oldest?.ends.length ?? 0;
      bytes -= oldest?.bytes.length ?? 0;
    }
  }

  /** The block that the next frame of this size is written to, with capacity for it. */
  function blockFor(size: number): Block {
    const newest = blocks.at(-1);
    const needed = newest ? endOf(newest) + size : size;
    if (!newest || newest.ends.length >= entriesOfBlock || needed > bytesOfBlock) {
      const block = { first: last + 1, bytes: Buffer.allocUnsafeSlow(size), ends: [] };
      blocks.push(block);
      bytes += size;
      return block;
    }
    if (needed > newest.bytes.length) {
      const capacity = Math.min(bytesOfBlock, Math.max(needed, 2 * newest.bytes.length));
      bytes += capacity - newest.bytes.length;
      const larger = Buffer.allocUnsafeSlow(capacity);
      newest.bytes.copy(larger);
      newest.bytes = larger;
    }
    return newest;
  }

  return {
    /** Highest known position; everything before it is in the ring or in the log. */
    get last(): number {
      return last;
    },
    /** The ring has the frames after this position. */
    get from(): number {
      return last - count;
    },
    /** Bytes that are held, whatever was given out of them. */
    get bytes(): number {
      return bytes;
    },
    /**
     * The frame, a chunk of its own, is made where it follows; `gap`: events in between must be read
     * from the log first.
     */
    append(position: number, frameOf: () => Buffer): 'appended' | 'old' | 'gap' {
      if (position <= last) return 'old';
      if (position > last + 1) return 'gap';
      const frame = frameOf();
      const block = blockFor(frame.length);
      const start = endOf(block);
      frame.copy(block.bytes, start);
      block.ends.push(start + frame.length);
      last = position;
      count += 1;
      dropUntil(() => count <= limits.entriesMax && bytes <= limits.bytesMax);
      return 'appended';
    },
    /** Frames after a position, at most about `bytesMax`; null when the ring no longer has them. */
    after(position: number, bytesMax: number): RingChunk | null {
      if (position < last - count) return null;
      const block = blocks.findLast(({ first }) => first <= position + 1);
      return block ? partOf(block, position, bytesMax) : { bytes: Buffer.alloc(0), last: position };
    },
    /** Drops the oldest half. */
    trim(): void {
      const half = count / 2;
      dropUntil(() => count <= half);
    },
  };
}

const endOf = ({ ends }: Block) => ends.at(-1) ?? 0;

/** The frames of a block after a position: at least one, where it has one, and at most about `bytesMax`. */
function partOf({ first, bytes, ends }: Block, position: number, bytesMax: number): RingChunk {
  const index = position + 1 - first;
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0);
  let end = start;
  let last = position;
  for (const next of ends.slice(index)) {
    if (end > start && next - start > bytesMax) break;
    end = next;
    last += 1;
  }
  return { bytes: bytes.subarray(start, end), last };
}
