import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { changes } from '../../test/support/changed-document.ts';
import { programs } from '../../test/support/program.ts';
import { storeProgram } from '../../test/support/stored-journal.ts';
import { unseal } from '../journal/sealed-mapping.ts';
import {
  readSnapshot,
  type Snapshot,
  type SnapshotDocument,
  toSnapshotDocument,
} from './snapshot-document.ts';

type Read = (document: SnapshotDocument) => Snapshot | null;

const readIntact: Read = (document) => readSnapshot(document)?.snapshot ?? null;

/** A snapshot is used where it is what was written, and nowhere else. */
const isBoundToItsHash = (read: Read) =>
  fc.asyncProperty(programs, fc.nat(), changes, async (program, which, change) => {
    const { snapshots } = await storeProgram(program);
    const snapshot = snapshots[which % snapshots.length];
    if (!snapshot) return true;
    const document = toSnapshotDocument(snapshot);
    const stored = read(document);
    return (
      stored !== null &&
      toSnapshotDocument(stored).hash === document.hash &&
      read(change(document)) === null
    );
  });

describe('A stored snapshot', () => {
  test('is the account that was saved, until anything of it is changed', async () => {
    await fc.assert(isBoundToItsHash(readIntact), { numRuns: propertyRuns(150) });
  });

  test('planted fault: one whose hash is not compared is taken for an account that never was', async () => {
    const believing: Read = (document) => {
      if (readIntact(document)) return readIntact(document);
      const { head, ...account } = unseal(document) as Snapshot & Snapshot['account'];
      return { head, account };
    };
    const { failed } = await fc.check(isBoundToItsHash(believing), { numRuns: 500, seed: 6 });

    expect(failed).toBe(true);
  });
});
