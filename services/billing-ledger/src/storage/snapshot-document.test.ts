import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { programs } from '../../test/support/program.ts';
import { storeProgram } from '../../test/support/stored-journal.ts';
import { readSnapshot, type StoredSnapshot, toSnapshotDocument } from './snapshot-document.ts';

type Read = (bytes: Uint8Array) => StoredSnapshot | null;

/** A snapshot is used where its bytes are those that were written, and nowhere else. */
const isBoundToItsBytes = (read: Read) =>
  fc.asyncProperty(
    programs,
    fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 })),
    async (program, [which, at, flip]) => {
      const { snapshots } = await storeProgram(program);
      const snapshot = snapshots[which % snapshots.length];
      if (!snapshot) return true;
      const document = toSnapshotDocument(snapshot);
      const bytes = Buffer.from(BSON.serialize(document));
      const stored = read(bytes);
      if (!stored?.isIntact || toSnapshotDocument(stored).hash !== document.hash) return false;
      const index = at % bytes.length;
      bytes.writeUInt8(bytes.readUInt8(index) ^ flip, index);
      return !read(bytes)?.isIntact;
    },
  );

/** What is no BSON document at all is no snapshot either. */
const readAny: Read = (bytes) => {
  try {
    return readSnapshot(bytes);
  } catch {
    return null;
  }
};

describe('A stored snapshot', () => {
  test('is the account that was saved, until any of its bytes is changed', async () => {
    await fc.assert(isBoundToItsBytes(readAny), { numRuns: propertyRuns(150) });
  });

  test('is compared with its hash also where it has the number of the format without one', async () => {
    const [program = []] = fc.sample(programs, { numRuns: 1, seed: 1 });
    const [snapshot] = (await storeProgram(program)).snapshots;
    const document = snapshot && { ...toSnapshotDocument(snapshot), format: 2 };

    expect(readAny(BSON.serialize(document ?? {}))?.isIntact).toBe(false);
  });

  test('planted fault: one whose hash is not compared is taken for an account that never was', async () => {
    const believing: Read = (bytes) => {
      const stored = readAny(bytes);
      return stored && { ...stored, isIntact: true };
    };
    const { failed } = await fc.check(isBoundToItsBytes(believing), { numRuns: 500, seed: 6 });

    expect(failed).toBe(true);
  });
});
