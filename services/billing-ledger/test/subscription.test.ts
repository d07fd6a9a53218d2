import { utcDay } from '@inventory/contracts/wire';
import { newAccountId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { z } from 'zod';
import { type Sender, senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

const november = Date.UTC(2026, 10, 20, 12);
const december = Date.UTC(2026, 11, 3, 12);
const dayOf = (text: string) => z.decode(utcDay, text);

let stage: LedgerStage;
let ledger: RunningLedger;
const clock = createTestClock(november);

beforeAll(async () => {
  stage = await openStage();
  ledger = await stage.startReplica({ clock });
});
// Reset for each account: an account's books do not depend on another's time.
beforeEach(() => clock.set(november));
afterAll(() => stage.close());

const subscription = (unitsPerMonth: number) =>
  ({ sets: 'funding', funding: { mode: 'subscription', unitsPerMonth } }) as const;
const available = async (account: Sender) => {
  const { balances } = await ledger.balance(account.accountId);
  return Object.fromEntries(balances.map((balance) => [balance.asset, balance.available]));
};
const balanceLows = (account: Sender) =>
  stage.recorder
    .of('billing.balance-low.v1')
    .filter(({ accountId }) => accountId === account.accountId);

describe('An account funded by subscription units (decisions: Subscription funding) [units-or-credits]', () => {
  test('has the units of the month at once, holds and charges them, and leaves its credits alone', async () => {
    const account = senderOf(newAccountId());
    const refresh = newRefreshId();
    await stage.send(account.grant(300), account.configure(subscription(1_000)));

    const before = await ledger.balance(account.accountId);
    const [reserved] = await stage.send(account.reserve(refresh));
    const [settled] = await stage.send(account.settle(refresh, 'complete_changed', 4_001));
    const [page] = await stage.send(account.charge(newRequestId()));

    expect(before).toMatchObject({
      funding: 'subscription',
      balances: [
        { asset: 'credits', available: 300 },
        { asset: 'units', available: 1_000 },
      ],
    });
    expect(reserved).toMatchObject({
      asset: 'units',
      amountReserved: 125,
      creditsAvailable: 300,
      balance: { total: 1_000, held: 125, available: 875 },
    });
    expect(settled).toMatchObject({ asset: 'units', amountCharged: 3, amountReleased: 122 });
    expect(page).toMatchObject({ asset: 'units', amountCharged: 1, creditsAvailable: 300 });
    expect(await available(account)).toEqual({ credits: 300, units: 996 });
    expect(await ledger.verify()).toMatchObject({ ok: true });
  });

  test('in a new month sees that month before anything is written, and then one expiry and one allowance [units-by-month]', async () => {
    const account = senderOf(newAccountId());
    await stage.send(account.configure(subscription(500)), account.grantUnits(40));
    await stage.send(account.charge(newRequestId()));
    clock.set(december);

    const unwritten = [await available(account), await ledger.terms(account.accountId)];
    const charge = account.charge(newRequestId());
    const [charged] = await stage.send(charge);
    await stage.bus.publish([charge, charge]);
    await waitFor('the outcomes of the charge and the month are published three times', () => {
      const outcomes = stage.outcomesOf(account.accountId);
      return (
        outcomes.filter(({ commandId }) => commandId === charge.id).length >= 3 &&
        outcomes.filter(({ commandId }) => commandId === 'allowance:2026-12').length >= 3
      );
    });

    expect(unwritten).toMatchObject([
      { units: 500 },
      {
        funding: {
          mode: 'subscription',
          unitsPerMonth: 500,
          period: { startsAtMs: Date.UTC(2026, 11), endsAtMs: Date.UTC(2027, 0) },
          units: { total: 500, held: 0, available: 500 },
        },
      },
    ]);
    expect(charged?.balance.available).toBe(499);
    const rows = await ledger.statement(account.accountId);
    expect(rows.map(({ kind, asset, changeAvailable }) => [kind, asset, changeAvailable])).toEqual([
      ['configure', 'units', 0],
      ['allowance', 'units', 500],
      ['grant', 'units', 40],
      ['charge', 'units', -1],
      ['expire', 'units', -539],
      ['allowance', 'units', 500],
      ['charge', 'units', -1],
    ]);
    const months = stage
      .outcomesOf(account.accountId)
      .filter(({ kind }) => kind === 'expire' || kind === 'allowance');
    expect(new Set(months.map((outcome) => JSON.stringify(outcome))).size).toBe(3);
  });

  test('has one allowance although two replicas and every command twice begin the month', async () => {
    const other = await stage.startReplica({ clock });
    const accounts = Array.from({ length: 12 }, () => senderOf(newAccountId()));
    await stage.send(...accounts.map((account) => account.configure(subscription(400))));
    await stage.send(...accounts.map((account) => account.charge(newRequestId())));
    clock.set(december);
    const commands = accounts.flatMap((account) => [
      account.charge(newRequestId()),
      account.reserve(),
      account.grantUnits(7),
    ]);

    await Promise.all(commands.map((command) => stage.bus.publish([command, command])));
    await stage.send(...commands);

    for (const account of accounts) {
      const rows = await ledger.statement(account.accountId);
      const kinds = rows.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'allowance')).toHaveLength(2);
      expect(kinds.filter((kind) => kind === 'expire')).toHaveLength(1);
      expect(await available(account)).toEqual({ units: 400 + 7 - 1 - 125 });
    }
    expect(await ledger.verify()).toMatchObject({ ok: true });
    await other.stop();
  });
});

describe('A Project with a monthly spend cap (decisions: spend cap) [spend-cap-reached, spend-cap]', () => {
  test('is refused beyond it, open holds included, with the time it resets, and spends again then', async () => {
    const account = senderOf(newAccountId());
    const cap = { sets: 'spend_cap', projectId: account.projectId, cap: 126 } as const;
    const refresh = newRefreshId();
    await stage.send(account.grant(1_000), account.charge(newRequestId()), account.configure(cap));
    await stage.send(account.reserve(refresh));

    const [refused] = await stage.send(account.charge(newRequestId()));
    const capped = await ledger.terms(account.accountId);
    await stage.send(account.settle(refresh, 'private'));
    const [paid] = await stage.send(account.charge(newRequestId()));
    const neighbour = senderOf(account.accountId);
    const [free] = await stage.send(neighbour.reserve());
    clock.set(december);
    const [later] = await stage.send(account.reserve());

    expect(refused).toMatchObject({
      result: 'refused',
      refusal: {
        code: 'spend_cap_reached',
        detail: { cap: 126, spent: 126, resets_at: '2026-12-01T00:00:00.000Z' },
      },
    });
    expect(capped.spendCaps).toEqual([
      {
        projectId: account.projectId,
        cap: 126,
        spent: 126,
        resetsAtMs: Date.UTC(2026, 11),
      },
    ]);
    expect([paid?.result, free?.result, later?.result]).toEqual(['applied', 'applied', 'applied']);
    expect(await ledger.verify()).toMatchObject({ ok: true });
  });
});

describe('An account with a balance alert (decisions: account.balance.low) [account-balance-low]', () => {
  test('is reported once per crossing, and again only with the entry that crossed', async () => {
    const account = senderOf(newAccountId());
    await stage.send(
      account.grant(101),
      account.configure({ sets: 'balance_alert', threshold: 100 }),
      account.charge(newRequestId()),
    );
    expect(balanceLows(account)).toEqual([]);

    const crossing = account.charge(newRequestId());
    const [crossed] = await stage.send(crossing);
    await stage.send(account.charge(newRequestId()), account.grant(10));
    await stage.send(account.adjust(-50));
    await stage.bus.publish([crossing]);

    // Any outcome may arrive more than once.
    const outcomes = await waitFor('both warnings, the first one again', () => {
      const all = balanceLows(account);
      const ofFirst = all.filter(({ entrySeq }) => entrySeq === crossed?.seq);
      return ofFirst.length >= 2 && all.length > ofFirst.length && all;
    });
    const distinct = [...Map.groupBy(outcomes, ({ entrySeq }) => entrySeq).values()];
    expect(distinct.map(([first]) => [first?.threshold, first?.available])).toEqual([
      [100, 99],
      [100, 58],
    ]);
    for (const copies of distinct) for (const copy of copies) expect(copy).toEqual(copies[0]);
    expect(outcomes[0]).toMatchObject({ entrySeq: crossed?.seq, atMs: crossed?.atMs });
    expect(await ledger.terms(account.accountId)).toMatchObject({
      funding: { mode: 'credits' },
      balanceAlert: { threshold: 100 },
    });
  });
});

describe('A configuration', () => {
  test('delivered again changes nothing, with other content under its id it conflicts', async () => {
    const account = senderOf(newAccountId());
    const first = account.configure(subscription(500), 'plan');
    const [outcome] = await stage.send(first);

    await stage.bus.publish([
      first,
      { ...account.configure(subscription(9_000), 'plan'), waitingId: `waiting-${first.id}` },
    ]);
    const reply = await waitFor('the conflict is in the reply', () =>
      stage.recorder
        .of('reply.billing-outcome.v1')
        .find(({ outcome }) => outcome?.accountId === account.accountId),
    );

    expect(outcome).toMatchObject({ kind: 'configure', result: 'applied', asset: 'units' });
    expect(reply.outcome?.refusal?.code).toBe('idempotency_conflict');
    expect(await available(account)).toEqual({ units: 500 });
    expect(await ledger.statement(account.accountId)).toHaveLength(1);
  });
});

describe('What was used (GET usage) [account-self-service]', () => {
  test('is summed by UTC day, Project, product and asset, for all Projects or one', async () => {
    const account = senderOf(newAccountId());
    const other = senderOf(account.accountId);
    const [refresh, page] = [newRefreshId(), newRequestId()];
    await stage.send(account.grant(1_000), account.reserve(refresh), other.charge(newRequestId()));
    await stage.send(account.charge(page), account.reverse(page));
    await stage.send(account.settle(refresh, 'complete_changed', 4_001), account.reserve());
    clock.set(december);
    await stage.send(account.configure(subscription(500)), account.charge(newRequestId()));

    const days = await ledger.usage(account.accountId, '2026-11-20', '2026-12-03');
    const one = await ledger.usage(account.accountId, '2026-11-20', '2026-11-20', other.projectId);

    const current = { productCode: 'platform.inventory.current.page.v1', count: 1, charged: 1 };
    expect(days.items).toEqual(
      [
        {
          ...current,
          day: dayOf('2026-11-20'),
          projectId: account.projectId,
          asset: 'credits',
          reversed: 1,
        },
        {
          day: dayOf('2026-11-20'),
          projectId: account.projectId,
          productCode: 'platform.inventory.refresh.v1',
          asset: 'credits',
          count: 1,
          charged: 3,
          reversed: 0,
        },
        {
          ...current,
          day: dayOf('2026-11-20'),
          projectId: other.projectId,
          asset: 'credits',
          reversed: 0,
        },
        {
          ...current,
          day: dayOf('2026-12-03'),
          projectId: account.projectId,
          asset: 'units',
          reversed: 0,
        },
      ].sort((left, right) =>
        left.day === right.day && left.projectId !== right.projectId
          ? left.projectId.localeCompare(right.projectId)
          : 0,
      ),
    );
    expect(one.items.map(({ projectId }) => projectId)).toEqual([other.projectId]);
  });

  test('is empty on the last day that a date can name', async () => {
    const { items } = await ledger.usage(newAccountId(), '9999-12-31', '9999-12-31');

    expect(items).toEqual([]);
  });

  test.each([
    ['from=2026-11-01&to=2026-12-02'],
    ['from=2026-11-02&to=2026-11-01'],
    ['from=yesterday&to=2026-11-01'],
    ['from=2026-11-01'],
    ['from=2026-11-01&to=2026-11-01&project_id=all'],
  ])('is refused for a span that makes no sense: %s', async (query) => {
    const path = `/accounts/${newAccountId()}/usage?${query}`;

    await expect(ledger.client.bytes({ method: 'GET', path })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
