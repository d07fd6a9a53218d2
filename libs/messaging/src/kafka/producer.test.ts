import fc from 'fast-check';
import type { WireRecord } from '../wire-record.ts';
import { splitByBytes } from './producer.ts';

const bytesMax = 256 * 1024;
const record = (bytes: number, index: number): WireRecord => ({
  key: String(index),
  value: Buffer.alloc(bytes),
  headers: {},
});

test('a batch is cut into requests of at most 256 KiB, in order, a larger record alone', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, (bytes) => {
      const records = bytes.map(record);

      const batches = splitByBytes(records);

      expect(batches.flat()).toEqual(records);
      for (const batch of batches) {
        const total = batch.reduce((sum, { value }) => sum + value.length, 0);
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length === 1 || total <= bytesMax).toBe(true);
      }
    }),
  );
});
