import { ledgerApi } from '@inventory/contracts/internal/ledger';
import { billingCommandId } from '@inventory/contracts/messages/billing';
import { newAccountId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

let stage: LedgerStage;
let ledger: RunningLedger;

beforeAll(async () => {
  stage = await openStage();
  ledger = await stage.startReplica();
});
afterAll(() => stage.close());

describe('A refresh and its credits (Billing of a refresh) [billing-of-a-refresh]', () => {
  test('125 credits are held, the observed size is charged, the rest is released', async () => {
    const account = senderOf(newAccountId());
    const refresh = newRefreshId();

    await stage.send(account.grant(300));
    const [reserved] = await stage.send(account.reserve(refresh));
    const [settled] = await stage.send(account.settle(refresh, 'complete_changed', 4_001));

    expect(reserved).toMatchObject({
      result: 'applied',
      amountReserved: 125,
      priceVersion: 1,
      balance: { total: 300, held: 125, available: 175 },
    });
    expect(settled).toMatchObject({
      result: 'applied',
      disposition: 'finalize_complete',
      amountCharged: 3,
      amountReleased: 122,
      balance: { total: 297, held: 0, available: 297 },
    });
  });

  test('no more than max_credits is held and charged, whatever the price list says (invariant 23) [max-credits-too-low, prices]', async () => {
    const account = senderOf(newAccountId());
    const [limited, generous] = [newRefreshId(), newRefreshId()];
    await stage.send(account.grant(300));

    const [held, full] = await stage.send(
      account.reserve(limited, 100),
      account.reserve(generous, 5_000),
    );
    const [settled] = await stage.send(account.settle(limited, 'complete_changed', 250_000));

    expect(held).toMatchObject({ result: 'applied', amountReserved: 100 });
    expect(full).toMatchObject({ result: 'applied', amountReserved: 125 });
    expect(settled).toMatchObject({ amountCharged: 100, amountReleased: 0 });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  test('124 credits are not enough, and the refusal carries required and available', async () => {
    const account = senderOf(newAccountId());

    const [, refused] = await stage.send(account.grant(124), account.reserve());

    expect(refused).toMatchObject({
      result: 'refused',
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 124 } },
      balance: { total: 124, held: 0, available: 124 },
    });
  });
});

describe('A page read and its credit', () => {
  test('is charged once, refunded once, and never charged after its reversal', async () => {
    const account = senderOf(newAccountId());
    const [delivered, lost] = [newRequestId(), newRequestId()];
    await stage.send(account.grant(10));

    const [charged] = await stage.send(account.charge(delivered));
    const [reversed] = await stage.send(account.reverse(delivered));
    const [early] = await stage.send(account.reverse(lost));
    const [late] = await stage.send(account.charge(lost));

    expect(charged).toMatchObject({ amountCharged: 1, balance: { available: 9 } });
    expect(reversed).toMatchObject({ amountReleased: 1, balance: { available: 10 } });
    expect(early).toMatchObject({ result: 'refused', refusal: { code: 'charge_unknown' } });
    expect(late).toMatchObject({ result: 'refused', refusal: { code: 'already_reversed' } });
    expect((await ledger.balance(account.accountId)).balances[0]?.available).toBe(10);
  });
});

describe('A command that cannot be right', () => {
  test('about a refresh of another account neither touches nor shows that account (invariant 17)', async () => {
    const [owner, stranger] = [senderOf(newAccountId()), senderOf(newAccountId())];
    const refresh = newRefreshId();
    await stage.send(owner.grant(200), stranger.grant(200), owner.reserve(refresh));

    const [settled, reserved] = await stage.send(
      stranger.settle(refresh, 'private'),
      stranger.reserve(refresh),
    );
    const [ownSettled] = await stage.send(owner.settle(refresh, 'private'));

    expect(settled).toMatchObject({ result: 'refused', refusal: { code: 'hold_unknown' } });
    expect(reserved).toMatchObject({ result: 'refused', refusal: { code: 'hold_unknown' } });
    expect(settled?.balance).toEqual({ total: 200, held: 0, available: 200 });
    expect(ownSettled).toMatchObject({ result: 'applied', amountCharged: 1 });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  test('whose id is not the one of its body is not even sent', async () => {
    const account = senderOf(newAccountId());
    const reserve = account.reserve();
    const body = { ...reserve.body, commandId: `reserve:${newRefreshId()}` };

    await expect(stage.bus.publish([{ ...reserve, body }])).rejects.toThrow(/reserve:<refresh_id>/);
  });
});

describe('The reads of an account', () => {
  test('statement, balance and outcomes agree entry by entry', async () => {
    const account = senderOf(newAccountId());
    const [one, two, page] = [newRefreshId(), newRefreshId(), newRequestId()];
    const outcomes = await stage.send(
      account.grant(260),
      account.reserve(one),
      account.reserve(two),
      account.reserve(),
      account.charge(page),
      account.settle(one, 'private'),
      account.settle(two, 'cancelled'),
      account.adjust(-50),
      account.adjust(-5_000),
    );

    const rows = await ledger.statement(account.accountId, 2);
    const balance = await ledger.balance(account.accountId);

    expect(
      rows.map(({ kind, changeAvailable, changeHeld }) => [kind, changeAvailable, changeHeld]),
    ).toEqual([
      ['grant', 260, 0],
      ['reserve', -125, 125],
      ['reserve', -125, 125],
      ['refuse', 0, 0],
      ['charge', -1, 0],
      ['settle', 124, -125],
      ['release', 125, -125],
      ['adjust', -50, 0],
      ['refuse', 0, 0],
    ]);
    expect(rows.map(({ availableAfter, heldAfter }) => [availableAfter, heldAfter])).toEqual(
      outcomes.map((outcome) => [outcome.balance.available, outcome.balance.held]),
    );
    expect(balance).toMatchObject({
      asOfSeq: 9,
      balances: [{ asset: 'credits', total: 208, held: 0, available: 208 }],
    });
  });

  test('recorded outcomes are read by the ids of their commands, as they were published; none of one that was not journaled (After a 202 every read shows what it showed)', async () => {
    const account = senderOf(newAccountId());
    const [held, refused, precluded] = [newRefreshId(), newRefreshId(), newRefreshId()];
    const published = await stage.send(
      account.grant(130),
      account.reserve(held),
      account.reserve(refused),
      account.release(precluded),
    );

    const outcomes = await ledger.client.call(ledgerApi.readOutcomes, {
      path: { accountId: account.accountId },
      query: {
        commandId: [held, refused, precluded, newRefreshId()].map(billingCommandId.reserve),
      },
    });

    expect(outcomes.items).toEqual(published.slice(1, 3));
    const path = { accountId: newAccountId() };
    const query = { commandId: [billingCommandId.reserve(held)] };
    expect(await ledger.client.call(ledgerApi.readOutcomes, { path, query })).toEqual({
      items: [],
    });
  });

  test('an account without entries has no balance, and nothing of another account', async () => {
    const unknown = newAccountId();

    expect(await ledger.balance(unknown)).toEqual({
      accountId: unknown,
      asOfSeq: 0,
      funding: 'credits',
      balances: [{ asset: 'credits', total: 0, held: 0, available: 0 }],
    });
    expect(await ledger.statement(unknown)).toEqual([]);
    expect((await ledger.holds(unknown)).items).toEqual([]);
  });

  test.each([
    ['/accounts/acc_nonsense/balance'],
    [`/accounts/${newAccountId()}/statement?limit=0`],
    [`/accounts/${newAccountId()}/statement?after_seq=-1`],
    [`/accounts/${newAccountId()}/statement?limit=1001`],
    ['/holds?older_than_seconds=soon'],
  ])('a read that makes no sense is refused: GET %s', async (path) => {
    await expect(ledger.client.bytes({ method: 'GET', path })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
