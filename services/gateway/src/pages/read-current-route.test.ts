import { currentPage } from '@inventory/contracts/http/current';
import type { CurrentPageMeta } from '@inventory/contracts/internal/inventory';
import { packedPageBeginning } from '@inventory/contracts/internal/inventory';
import { contentCodings } from '@inventory/contracts/vocabulary';
import { joined } from '@inventory/http/byte-parts';
import { packBeginning } from '@inventory/http/packed-body';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { unpackers } from '@inventory/testkit/unpackers';
import fc from 'fast-check';
import { currentBody } from './read-current-route.ts';

const uuid = '01890000-0000-7000-8000-000000000001';
const page: CurrentPageMeta = {
  scope: { platform_id: '76561198000000001', app_id: 730, context_id: 2 },
  revisionId: `invrev_${uuid}`,
  observationId: `invobs_${uuid}`,
  verifiedAtMs: 0,
  scanWindow: { startedAtMs: 0, completedAtMs: 0 },
  totalCount: 3,
  totalAmount: '3',
  reportedTotalCount: 4,
  language: 'english',
  nextPosition: null,
  packed: null,
};
const frame = { page, ageSeconds: 5, nextCursor: null, meta: { request_id: 'req_1' } };
const blank = fc.stringMatching(/^[ \t\r\n]{0,5}$/);

test('the bytes of assets and descriptions leave as they were saved, whatever their whitespace', () => {
  fc.assert(
    fc.property(blank, blank, blank, fc.string(), (left, middle, right, name) => {
      const members = Buffer.from(
        `${left}"assets"${middle}:${right}[]${left},"descriptions":${middle}[${right}{` +
          `"appid":730,"classid":"1","instanceid":"0","name"${left}:${JSON.stringify(name)}}]${middle}`,
      );

      const { body: parts } = currentBody(frame, { parts: [members], meta: page }, null);
      const body = joined(parts);

      expect(body.includes(members)).toBe(true);
      const parsed = JSON.parse(body.toString());
      expect(parsed).toEqual({ success: true, data: expect.anything(), meta: frame.meta });
      expect(currentPage.parse(parsed.data).descriptions[0]).toMatchObject({ name });
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a page packed in zstd leaves so where that is accepted, else unpacked in one piece, the same bytes (Compression) [compression]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 5_000 }), fc.nat(300), async (name, times) => {
      const members = `"assets":[],"descriptions":[${JSON.stringify(name.repeat(times))}]`;
      const plain = currentBody(frame, { parts: [Buffer.from(members)], meta: page }, null);
      const raw = Buffer.from(packedPageBeginning + members);
      const packed = await packBeginning('zstd', raw);
      const saved = { parts: [packed.bytes], meta: { ...page, packed } };

      for (const accepted of [null, ...contentCodings]) {
        const { coding, body } = currentBody(frame, saved, accepted);
        const whole = coding === null ? joined(body) : unpackers[coding](joined(body));

        expect(coding).toBe(accepted === 'zstd' ? 'zstd' : null);
        expect(coding !== null || body.length === 1).toBe(true);
        expect(whole.equals(joined(plain.body))).toBe(true);
      }
    }),
    { numRuns: propertyRuns(50) },
  );
});

test('total_amount keeps every digit past 2^53 (Reads: total_amount) [total-amount]', () => {
  const digits = '123456789012345678901234567890';
  const members = Buffer.from('"assets":[],"descriptions":[]');

  const { body } = currentBody(
    { ...frame, page: { ...page, totalAmount: digits } },
    { parts: [members], meta: page },
    null,
  );

  expect(joined(body).toString()).toContain(`"total_amount":${digits},`);
});

test('has_more says whether there is a next cursor; the last page has none', () => {
  const members = Buffer.from('"assets":[],"descriptions":[]');
  const paginationOf = (nextCursor: string | null) =>
    JSON.parse(
      joined(
        currentBody({ ...frame, nextCursor }, { parts: [members], meta: page }, null).body,
      ).toString(),
    ).data.pagination;

  expect(paginationOf(null)).toEqual({ has_more: false, next_cursor: null });
  expect(paginationOf('opaque')).toEqual({ has_more: true, next_cursor: 'opaque' });
});
