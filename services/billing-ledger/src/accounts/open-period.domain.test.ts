import type { AccountId } from '@inventory/contracts/ids';
import type { FundingSetting } from '@inventory/contracts/messages/billing';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { commandOf } from '../../test/support/program.ts';
import { createPriceBook, firstPriceList } from '../prices/price-list.domain.ts';
import { entryProblems } from '../verification/check-entry.domain.ts';
import { applyEntry, type LedgerAccount, newAccount } from './account.domain.ts';
import { amountMax } from './balances.domain.ts';
import type { Command } from './command.domain.ts';
import { evaluate } from './evaluate.domain.ts';
import { dueOpening, openPeriod, periodStateOf, unitsAt } from './open-period.domain.ts';
import { periodStartMs } from './period.domain.ts';

const accountId: AccountId = 'acc_0190aaaa-0000-7000-8000-000000000000';
const prices = createPriceBook([firstPriceList]);
const firstMonth = 2026 * 12 + 5;

/** Times mostly within some milliseconds of a month's beginning: that is where entries crowd. */
const times = fc
  .tuple(fc.nat({ max: 4 }), fc.oneof(fc.integer({ min: -4, max: 4 }), fc.nat({ max: 1e9 })))
  .map(([month, offsetMs]) => periodStartMs(firstMonth + month) + offsetMs);
const fundings = fc.oneof(
  fc.constant<FundingSetting>({ mode: 'credits' }),
  fc
    .constantFrom(1, 130, 1_000_000_000_000)
    .map((unitsPerMonth): FundingSetting => ({ mode: 'subscription', unitsPerMonth })),
);
const cases = fc.record({
  configuredAt: times,
  granted: fc.constantFrom(0, 1, 700),
  funding: fundings,
  now: times,
});

const common = { accountId, requestId: 'req_', reason: 'test' } as const;
const configure = (funding: FundingSetting): Command =>
  commandOf('configure', {
    ...common,
    commandId: 'configure:one',
    change: { sets: 'funding', funding },
  });
const grant = (amount: number, number = 1): Command =>
  commandOf('grant', { ...common, commandId: `grant:${number}`, asset: 'units', amount });

function after(account: LedgerAccount, command: Command, now: number): LedgerAccount {
  return evaluate(account, command, { now, prices, recorded: () => undefined }).account;
}

function prepared({ configuredAt, granted, funding }: Case): LedgerAccount {
  const account = after(newAccount(accountId), configure(funding), configuredAt);
  return granted === 0 ? account : after(account, grant(granted), configuredAt);
}
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

describe('The beginning of a month [units-by-month]', () => {
  test('leaves nothing due, is sound entry by entry, and equals a read, however close to its edge', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const before = prepared(one);
        const { account, opening } = openPeriod(before, one.now);
        let folded = before;
        const problems = opening.flatMap((entry) => {
          const found = entryProblems(folded, entry, { prices, charge: undefined });
          folded = applyEntry(folded, entry);
          return found;
        });
        const at = Math.max(one.now, before.lastAtMs);
        return (
          problems.length === 0 &&
          opening.every((entry) => entry.atMs === at) &&
          dueOpening(periodStateOf(account), at) === null &&
          unitsAt(periodStateOf(before), at).available === account.balances.units.available
        );
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('in the last millisecond of a month is of that month, and the next one begins on its own', () => {
    const funding: FundingSetting = { mode: 'subscription', unitsPerMonth: 130 };
    const before = prepared({
      configuredAt: periodStartMs(firstMonth),
      granted: 700,
      funding,
      now: 0,
    });

    const july = openPeriod(before, periodStartMs(firstMonth + 2) - 1);
    const august = openPeriod(july.account, periodStartMs(firstMonth + 2));

    expect(
      [...july.opening, ...august.opening].map(({ commandId, change }) => [
        commandId,
        change.available,
      ]),
    ).toEqual([
      ['expire:2026-06', -830],
      ['allowance:2026-07', 130],
      ['expire:2026-07', -130],
      ['allowance:2026-08', 130],
    ]);
  });

  test('grants no more than can be counted exactly, and nothing where nothing more can be', () => {
    const funding: FundingSetting = { mode: 'subscription', unitsPerMonth: amountMax - 5 };
    const first = after(newAccount(accountId), configure(funding), periodStartMs(firstMonth));
    const months = [0, 1, 2].map((month) => periodStartMs(firstMonth + month));

    const [june, july, august] = months.map((_month, index) =>
      months.slice(0, index + 1).reduce((account, at) => openPeriod(account, at).account, first),
    );

    expect(june?.balances.units).toMatchObject({ available: amountMax - 5 });
    expect(july?.balances.units).toMatchObject({ available: 5, expired: amountMax - 5 });
    expect(august?.balances.units).toMatchObject({ available: 0, expired: amountMax });
  });
});
