import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  breakerState,
  type InventoryResult,
  isOutage,
  isOutageOf,
  opened,
  withResult,
} from './app-breaker.domain.ts';

const play = (results: readonly InventoryResult[]) =>
  results.reduce<readonly InventoryResult[]>(withResult, []);
const result = (serial: number, accountId: string, failed: boolean): InventoryResult => ({
  scopeKey: `inventory-${serial}`,
  accountId,
  failed,
  atMs: 0,
});
/** Inventories of these accounts in turn. */
const failing = (count: number, ...accounts: readonly string[]) =>
  Array.from({ length: count }, (_, at) => result(at, accounts[at % accounts.length] ?? '', true));

/** Of three accounts one has only inventories that fail. */
const staysClosed = (opens: typeof isOutage) =>
  fc.property(
    fc.array(fc.tuple(fc.nat(40), fc.constantFrom('noisy', 'b', 'c')), {
      maxLength: 80,
      size: 'max',
    }),
    (reads) => {
      const results = reads.map(([serial, account]) => ({
        ...result(serial, account, account === 'noisy'),
        scopeKey: `${account}-${serial}`,
      }));
      expect(opens(play(results))).toBe(false);
    },
  );

describe('the breaker of an application [application-breaker]', () => {
  it('opens when nearly all inventories of several accounts fail (upstream 6.20)', () => {
    expect(isOutage(play(failing(7, 'a', 'b')))).toBe(false);
    expect(isOutage(play(failing(8, 'a', 'b')))).toBe(true);
  });

  it('stays closed through an ordinary bad hour, when one call in three fails (upstream 1.4)', () => {
    const hour = Array.from({ length: 300 }, (_, at) => result(at, `${at % 7}`, at % 3 === 0));
    expect(hour.some((_, at) => isOutage(play(hour.slice(0, at + 1))))).toBe(false);
  });

  it('stays closed however often one broken inventory fails', () => {
    const often = play(Array.from({ length: 50 }, () => result(1, 'a', true)));
    expect([isOutage(often), isOutageOf(often, 'a')]).toEqual([false, false]);
  });

  it('never opens by one account alone, whatever the others have read', () => {
    fc.assert(staysClosed(isOutage), { numRuns: propertyRuns(1_000) });
  });

  it('the property notices a breaker that counts inventories only', () => {
    const countsInventories = (results: readonly InventoryResult[]) =>
      results.slice(-10).filter(({ failed }) => failed).length >= 8;
    const runs = { seed: 4, numRuns: 10_000, endOnFailure: true };
    expect(fc.check(staysClosed(countsInventories), runs).failed).toBe(true);
  });

  it('opens however much more one of the failing accounts reads than the others', () => {
    const others = [result(100, 'b', true), result(101, 'c', true), result(102, 'd', true)];
    expect(isOutage(play([...others, ...failing(60, 'a')]))).toBe(true);
  });

  it('opens by no result of ten minutes ago', () => {
    const late = { ...result(100, 'c', true), atMs: 600_000 };
    expect(isOutage(play([...failing(7, 'a', 'b'), { ...late, atMs: 599_999 }]))).toBe(true);
    expect(isOutage(play([...failing(7, 'a', 'b'), late]))).toBe(false);
  });

  it('opens by the only account of a deployment (upstream 6.20)', () => {
    expect(isOutageOf(play(failing(8, 'a')), 'a')).toBe(true);
    expect(isOutageOf(play([result(9, 'b', false), ...failing(8, 'a')]), 'a')).toBe(false);
  });

  it('opens for a minute, and twice as long each time its probe fails then, up to ten', () => {
    const first = opened(null, 0);
    expect(breakerState(null, 0)).toBe('closed');
    expect(breakerState(first, 59_999)).toBe('open');
    expect(breakerState(first, 60_000)).toBe('half_open');

    const second = opened(first, 60_000);
    expect(second.openUntilMs).toBe(180_000);
    const tenth = Array.from({ length: 8 }).reduce<typeof first>((of) => opened(of, 0), second);
    expect(tenth.openUntilMs).toBe(600_000);
  });
});
