import { priceLeadMs, priceLists } from '@inventory/contracts/internal/ledger';
import {
  type PriceSchedule,
  priceList,
  priceSchedule,
} from '@inventory/contracts/messages/price-list';
import { isoTime } from '@inventory/runtime/clock';
import { newAccountId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { copyDatabase, restoreDatabase } from '@inventory/testkit/database-copy';
import { createRunningClock, createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { senderOf } from './support/billing-commands.ts';
import { runOwnProgram } from './support/run-own-program.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

let stage: LedgerStage;
let clock: TestClock;

beforeEach(async () => {
  clock = createTestClock(Date.UTC(2026, 6, 1));
  stage = await openStage();
});
afterEach(() => stage.close());

const hourMs = 3_600_000;
const dearer = {
  refresh_reservation: 200,
  refresh_block: 10,
  refresh_block_assets: 2_000,
  refresh_diagnostic: 1,
  live_page: 2,
  current_page: 1,
};
/** A replica that reads the price lists at its start only, unless it has to. */
const startReplica = () =>
  stage.startReplica({ clock, config: { priceRefreshIntervalMs: 24 * hourMs } });

const publish = ({ client }: RunningLedger, version: number, list: object) =>
  client.json(priceList, { method: 'PUT', path: `/price-lists/${version}`, body: list });
const read = ({ client }: RunningLedger): Promise<PriceSchedule> =>
  client.json(priceSchedule, { method: 'GET', path: '/prices' });
const listed = async ({ client }: RunningLedger) =>
  (await client.json(priceLists, { method: 'GET', path: '/price-lists' })).items;

test('a published list is announced, then in force for every replica, and a hold keeps its own (invariant 11) [prices]', async () => {
  const first = await startReplica();
  const account = senderOf(newAccountId());
  const [before, after] = [newRefreshId(), newRefreshId()];
  await stage.send(account.grant(1_000));
  const [cheap] = await stage.send(account.reserve(before));
  const second = await startReplica();
  const effectiveAtMs = clock.now() + hourMs;

  const published = await publish(first, 2, { ...dearer, effective_at: isoTime(effectiveAtMs) });
  const announced = [await read(first), await read(second)];
  await first.stop();
  clock.advance(hourMs);
  const inForce = await read(second);
  const [settled] = await stage.send(account.settle(before, 'complete_changed', 4_001));
  const [dear] = await stage.send(account.reserve(after));
  const [settledLater] = await stage.send(account.settle(after, 'complete_changed', 4_001));

  expect(published).toEqual({
    version: 2,
    effectiveAtMs,
    refreshReservation: 200,
    refreshBlock: 10,
    refreshBlockAssets: 2_000,
    refreshDiagnostic: 1,
    watchChangedBlock: 10,
    watchUnchangedBlock: 10,
    livePage: 2,
    currentPage: 1,
  });
  for (const one of announced) expect(one).toMatchObject({ version: 1, announced: [published] });
  expect(inForce).toEqual({ ...published, announced: [] });
  expect(cheap).toMatchObject({ priceVersion: 1, amountReserved: 125 });
  expect(settled).toMatchObject({ priceVersion: 1, amountCharged: 3, amountReleased: 122 });
  expect(dear).toMatchObject({ priceVersion: 2, amountReserved: 200 });
  expect(settledLater).toMatchObject({ priceVersion: 2, amountCharged: 30 });
  expect((await second.verify()).problems).toEqual([]);
});

test('a replica that has not read the lists for long reads them before it commits [prices]', async () => {
  const publisher = await startReplica();
  const account = senderOf(newAccountId());
  await stage.send(account.grant(1_000));
  const other = await startReplica();
  await waitFor('it is ready', async () => (await other.readiness()).status === 200);
  await publish(publisher, 2, dearer);
  await publisher.stop();
  clock.advance(priceLeadMs);

  const [reserved] = await stage.send(account.reserve());

  expect(reserved).toMatchObject({ priceVersion: 2, amountReserved: 200 });
  expect((await other.verify()).problems).toEqual([]);
});

test('after a restore every command is booked at the prices of the time it was sent, also under lists that were published after the backup (decisions: Prices of a command) [prices]', async () => {
  const running = createRunningClock();
  const first = await stage.startReplica({ clock: running });
  const account = senderOf(newAccountId());
  const early = newRefreshId();
  await stage.send(account.grant(1_000));
  const backup = await copyDatabase(stage.db);
  await stage.send(account.reserve(early), account.charge(newRequestId()));
  // The earliest date is then in a second.
  const slowMs = priceLeadMs - 1_000;
  running.advance(-slowMs);
  await publish(first, 2, dearer);
  running.advance(slowMs);
  await waitFor('it is in force', async () => (await read(first)).version === 2);
  await waitFor('it is announced', () =>
    stage.recorder.of('billing.price-list.v1').some(({ version }) => version === 2),
  );
  await stage.send(account.reserve(), account.charge(newRequestId()));
  await stage.send(account.settle(early, 'complete_changed', 4_001));
  const booked = await first.statement(account.accountId);
  await first.stop();

  await restoreDatabase(stage.db, backup);
  const rewound = await runOwnProgram(stage, '--rewind-consumers-to', '2026-01-01T00:00:00Z');
  const second = await stage.startReplica();
  const again = await waitFor('all of it is booked again', async () => {
    const rows = await second.statement(account.accountId);
    return rows.length === booked.length && rows;
  });

  const withoutTimes = (rows: typeof booked) => rows.map(({ atMs: _at, ...row }) => row);
  expect(rewound).toMatchObject({ exitCode: 0 });
  expect(booked.map(({ priceVersion }) => priceVersion)).toEqual([null, 1, 1, 2, 2, 1]);
  expect(withoutTimes(again)).toEqual(withoutTimes(booked));
  expect((await second.verify()).problems).toEqual([]);
});

test('the same version again is the same list, and never another one [prices]', async () => {
  const [one, other] = [await startReplica(), await startReplica()];

  const both = await Promise.all([publish(one, 2, dearer), publish(other, 2, dearer)]);
  clock.advance(hourMs);
  const late = await publish(one, 2, dearer);

  expect(both[1]).toEqual(both[0]);
  expect(late).toEqual(both[0]);
  expect(both[0]?.effectiveAtMs).toBe(clock.now() - hourMs + priceLeadMs);
  await expect(publish(other, 2, { ...dearer, live_page: 3 })).rejects.toMatchObject({
    code: 'price_version_conflict',
  });
  expect(await listed(other)).toEqual([expect.objectContaining({ version: 1 }), late]);
});

test('a higher version with an earlier date replaces an announced list, which never comes into force [prices]', async () => {
  const ledger = await startReplica();
  const wrong = { ...dearer, effective_at: isoTime(clock.now() + 5 * hourMs) };
  await publish(ledger, 2, wrong);
  await publish(ledger, 3, { ...dearer, refresh_reservation: 150 });
  clock.advance(hourMs);
  const replaced = await read(ledger);
  clock.advance(10 * hourMs);

  expect(replaced).toMatchObject({ version: 3, refreshReservation: 150, announced: [] });
  expect((await read(ledger)).version).toBe(3);
});

test('a list that is not allowed has a code, and nothing is published [prices]', async () => {
  const ledger = await startReplica();
  const soon = isoTime(clock.now() + priceLeadMs - 1);
  const refusals: [number, object, string][] = [
    [2, { ...dearer, effective_at: soon }, 'effective_date_too_early'],
    [2, { ...dearer, effective_at: '2020-01-01T00:00:00.000Z' }, 'effective_date_too_early'],
    [3, dearer, 'price_version_conflict'],
    [1, dearer, 'price_version_conflict'],
    [2, { ...dearer, live_page: -1 }, 'invalid_request'],
    [2, { ...dearer, refresh_reservation: 0 }, 'invalid_request'],
    [2, { ...dearer, refresh_block: 1_000_000_001 }, 'invalid_request'],
    [2, { ...dearer, current_page: 0.5 }, 'invalid_request'],
    [2, { ...dearer, 'platform.other.v1': 1 }, 'invalid_request'],
    [2, { refresh_reservation: 200 }, 'invalid_request'],
    [2, { ...dearer, effective_at: 'tomorrow' }, 'invalid_request'],
    [1_001, dearer, 'invalid_request'],
    [2, { ...dearer, note: 'x'.repeat(64 * 1_024) }, 'payload_too_large'],
  ];

  for (const [version, list, code] of refusals) {
    await expect(publish(ledger, version, list)).rejects.toMatchObject({ code });
  }

  expect(await listed(ledger)).toHaveLength(1);
});
