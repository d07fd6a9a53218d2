import { Refused } from '@inventory/http/refused';
import { newProjectId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createPositionCursors } from './position-cursor.ts';

const encodedKey = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const [key, otherKey] = [encodedKey(1), encodedKey(2)];
const cursors = createPositionCursors([key]);
const projectId = newProjectId();

const position = fc.record({
  logEpoch: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  position: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  asOfMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});
const somePosition = { logEpoch: 3, position: 17, asOfMs: 1_764_000_000_000 };

function isRefused(cursor: string, project = projectId): boolean {
  try {
    cursors.open(project, cursor);
    return false;
  } catch (error) {
    return error instanceof Refused && error.refusal.code === 'invalid_cursor';
  }
}

test('a cursor is its position, for its Project, in at most 128 characters (Events: cursor) [events-cursors]', () => {
  fc.assert(
    fc.property(position, (given) => {
      const cursor = cursors.seal(projectId, given);

      expect(cursor.length).toBeLessThanOrEqual(128);
      expect(cursors.open(projectId, cursor)).toEqual(given);
      expect(isRefused(cursor, newProjectId())).toBe(true);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('no cursor with a changed character, and no other text, is accepted (Events: invalid_cursor) [events-cursors]', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.nat(), fc.string(), (given, at, to, text) => {
      const cursor = cursors.seal(projectId, given);
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const index = at % cursor.length;
      const changed = cursor.slice(0, index) + alphabet[to % 64] + cursor.slice(index + 1);

      expect(changed === cursor || isRefused(changed)).toBe(true);
      expect(isRefused(cursor.slice(0, index))).toBe(true);
      expect(isRefused(cursor + text)).toBe(text !== '');
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('the same position has the same cursor, on every replica and each time (Events: cursor)', () => {
  const again = createPositionCursors([key, otherKey]).seal(projectId, somePosition);

  expect(cursors.seal(projectId, somePosition)).toBe(again);
});

test('a cursor that a replaced key signed is accepted as long as the key is configured', () => {
  const cursor = createPositionCursors([otherKey]).seal(projectId, somePosition);

  expect(isRefused(cursor)).toBe(true);
  expect(createPositionCursors([key, otherKey]).open(projectId, cursor)).toEqual(somePosition);
});
