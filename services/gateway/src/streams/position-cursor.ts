import type { ProjectId } from '@inventory/contracts/ids';
import { z } from 'zod';
import { type CursorSealer, openOrRefuse } from '../http/sealed-cursor.ts';
import type { StreamPosition } from './stream-position.domain.ts';

const content = z.tuple([z.int().min(1), z.int().min(0), z.int().min(0)]);
const bindingOf = (projectId: ProjectId) => ['events', projectId];

/** At most 128 characters; valid for its Project only. */
export function sealPosition(
  cursors: CursorSealer,
  projectId: ProjectId,
  { logEpoch, position, asOfMs }: StreamPosition,
): string {
  return cursors.seal(JSON.stringify([logEpoch, position, asOfMs]), bindingOf(projectId));
}

/** Throws `invalid_cursor` for a text that was not sealed for this Project. */
export function openPosition(
  cursors: CursorSealer,
  projectId: ProjectId,
  cursor: string,
): StreamPosition {
  const opened = openOrRefuse(cursors, cursor, bindingOf(projectId));
  const [logEpoch, position, asOfMs] = content.parse(JSON.parse(opened));
  return { logEpoch, position, asOfMs };
}
