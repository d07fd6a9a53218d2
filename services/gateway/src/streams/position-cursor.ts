import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { StreamPosition } from './stream-position.domain.ts';

export type PositionCursors = ReturnType<typeof createPositionCursors>;

const version = 1;
/** Version, epoch, position, time; the Project is in the MAC only. */
const contentBytes = 1 + 4 + 6 + 6;
const macBytes = 16;

/**
 * Cursors of positions, valid for their Project only. A position is no secret, so its cursor is
 * authenticated and not encrypted: one MAC per event. The first of the keys (base64url) signs,
 * every key verifies.
 */
export function createPositionCursors(encodedKeys: readonly string[]) {
  // The keys encrypt other cursors: MACs have keys of their own.
  const keys = encodedKeys.map((key) =>
    createSecretKey(
      createHmac('sha256', Buffer.from(key, 'base64url')).update('event positions').digest(),
    ),
  );
  const [first] = keys;
  invariant(first !== undefined, 'there is no cursor key');

  function positionOf(projectId: ProjectId, cursor: string): StreamPosition | null {
    const bytes = Buffer.from(cursor, 'base64url');
    // Several base64 texts decode to the same bytes; only the issued one is a cursor.
    if (bytes.toString('base64url') !== cursor) return null;
    if (bytes.length !== contentBytes + macBytes || bytes[0] !== version) return null;
    const content = bytes.subarray(0, contentBytes);
    const mac = bytes.subarray(contentBytes);
    const isSigned = keys.some((key) => timingSafeEqual(macOf(key, projectId, content), mac));
    return isSigned ? decode(content) : null;
  }

  return {
    /** 44 characters. */
    seal(projectId: ProjectId, at: StreamPosition): string {
      const content = encode(at);
      return Buffer.concat([content, macOf(first, projectId, content)]).toString('base64url');
    },
    /** Throws `invalid_cursor` for a text that was not issued for this Project. */
    open(projectId: ProjectId, cursor: string): StreamPosition {
      const position = positionOf(projectId, cursor);
      if (position === null) throw new Refused({ code: 'invalid_cursor' });
      return position;
    },
  };
}

function encode({ logEpoch, position, asOfMs }: StreamPosition): Buffer {
  const content = Buffer.alloc(contentBytes);
  content.writeUInt8(version, 0);
  content.writeUInt32BE(logEpoch, 1);
  content.writeUIntBE(position, 5, 6);
  content.writeUIntBE(asOfMs, 11, 6);
  return content;
}

function decode(content: Buffer): StreamPosition {
  return {
    logEpoch: content.readUInt32BE(1),
    position: content.readUIntBE(5, 6),
    asOfMs: content.readUIntBE(11, 6),
  };
}

function macOf(key: KeyObject, projectId: ProjectId, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).update(projectId).digest().subarray(0, macBytes);
}
