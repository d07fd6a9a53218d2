import { newAccountId, newScope } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { ChainOwner } from '../captures/capture.domain.ts';
import type { LiveChain } from '../captures/live-chain.domain.ts';
import { createCursorSealer } from '../http/sealed-cursor.ts';
import { openLiveCursor, sealLiveCursor } from './page-cursors.ts';

const cursors = createCursorSealer([Buffer.alloc(32, 1).toString('base64url')]);
const foreign = createCursorSealer([Buffer.alloc(32, 2).toString('base64url')]);

const binding = (): ChainOwner => ({
  accountId: newAccountId(),
  scope: newScope(),
  language: 'english',
});

const start = fc.option(fc.stringMatching(/^[0-9]{1,20}$/));
const chains: fc.Arbitrary<LiveChain> = fc.record({
  chainId: fc.uuid({ version: 7 }),
  startedAtMs: fc.nat(2 ** 42),
  page: fc.nat(10_000),
  startAssetid: start,
  previousStartAssetid: start,
  replaced: fc.array(fc.nat(250)),
  evidence: fc.option(fc.base64String()),
});

test('a cursor of Live Pages returns its chain, to the digit', () => {
  fc.assert(
    fc.property(chains, fc.nat(2 ** 42), (chain, nowMs) => {
      const own = binding();
      const cursor = sealLiveCursor(cursors, own, chain, nowMs);
      expect(openLiveCursor(cursors, own, cursor)).toEqual({ issuedAtMs: nowMs, chain });
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('even the longest chain fits into what a cursor parameter may be', () => {
  const chain = {
    chainId: '0190a3f4-0000-7000-8000-000000000000',
    startedAtMs: 9_999_999_999_999,
    page: 999_999,
    startAssetid: '9'.repeat(20),
    previousStartAssetid: '9'.repeat(20),
    replaced: [199, 199, 199, 199, 199],
    evidence: 'x'.repeat(43),
  };

  expect(sealLiveCursor(cursors, binding(), chain, 9_999_999_999_999).length).toBeLessThan(500);
});

test('no changed, cut, extended or foreign cursor opens (Live Page rule 2) [live-page-rule-2]', () => {
  const change = fc.record({
    at: fc.nat(400),
    to: fc.constantFrom(...'ABCxyz019-_'),
    kind: fc.constantFrom('replace', 'insert', 'remove', 'cut', 'double'),
  });
  fc.assert(
    fc.property(chains, change, (chain, { at, to, kind }) => {
      const own = binding();
      const cursor = sealLiveCursor(cursors, own, chain, 0);
      const position = at % cursor.length;
      const [before, after] = [cursor.slice(0, position), cursor.slice(position + 1)];
      const forged = {
        replace: before + to + after,
        insert: before + to + cursor.slice(position),
        remove: before + after,
        cut: before,
        double: cursor + cursor,
      }[kind];
      fc.pre(forged !== cursor);
      expect(openLiveCursor(cursors, own, forged)).toBeNull();
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test('another account, inventory, language, key or route does not open it', () => {
  const own = binding();
  const chain = {
    chainId: '0190a3f4-0000-7000-8000-000000000000',
    startedAtMs: 1,
    page: 1,
    startAssetid: '5',
    previousStartAssetid: null,
    replaced: [],
    evidence: '',
  };
  const cursor = sealLiveCursor(cursors, own, chain, 1);
  const others: ChainOwner[] = [
    { ...own, accountId: newAccountId() },
    { ...own, scope: { ...own.scope, context_id: own.scope.context_id + 1 } },
    { ...own, scope: { ...own.scope, app_id: own.scope.app_id + 1 } },
    { ...own, language: 'german' },
  ];

  for (const other of others) expect(openLiveCursor(cursors, other, cursor)).toBeNull();
  expect(openLiveCursor(foreign, own, cursor)).toBeNull();
  const ofCurrent = cursors.seal('["x"]', ['current', own.accountId]);
  expect(openLiveCursor(cursors, own, ofCurrent)).toBeNull();
  expect(openLiveCursor(cursors, own, cursor)).not.toBeNull();
});
