import { newAccountId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

let stage: LedgerStage;
let ledger: RunningLedger;

beforeAll(async () => {
  stage = await openStage();
  ledger = await stage.startReplica();
});
afterAll(() => stage.close());

describe('A refresh and its credits (Billing of a refresh)', () => {
  test('125 credits are held, the observed size is charged, the rest comes back', async () => {
    const account = senderOf(newAccountId());
    const refresh = newRefreshId();

    await stage.tell(account.grant(300));
    const [reserved] = await stage.tell(account.reserve(refresh));
    const [settled] = await stage.tell(account.settle(refresh, 'complete_changed', 4_001));

    expect(reserved).toMatchObject({
      result: 'applied',
      amount_reserved: 125,
      price_version: 1,
      balance: { total: 300, held: 125, available: 175 },
    });
    expect(settled).toMatchObject({
      result: 'applied',
      disposition: 'finalize_complete',
      amount_charged: 3,
      amount_released: 122,
      balance: { total: 297, held: 0, available: 297 },
    });
  });

  test('a hold is resolved once: whatever comes later is answered with what happened first', async () => {
    const account = senderOf(newAccountId());
    const refresh = newRefreshId();
    await stage.tell(account.grant(300), account.reserve(refresh));
    const [released] = await stage.tell(account.release(refresh));

    await stage.bus.publish([account.settle(refresh, 'complete_changed', 90_000)]);
    const [first, second] = await waitFor('the release is told again', () => {
      const told = stage
        .outcomesOf(account.accountId)
        .filter(({ command_id }) => command_id === `release:${refresh}`);
      return told.length >= 2 && told;
    });

    expect(second).toEqual(first);
    expect(first).toEqual(released);
    expect((await ledger.balance(account.accountId)).balances).toEqual([
      { asset: 'credits', total: 300, held: 0, available: 300 },
    ]);
  });

  test('124 credits are not enough, and the refusal says what is missing', async () => {
    const account = senderOf(newAccountId());

    const [, refused] = await stage.tell(account.grant(124), account.reserve());

    expect(refused).toMatchObject({
      result: 'refused',
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 124 } },
      balance: { total: 124, held: 0, available: 124 },
    });
  });

  test('a refused reservation stays refused after a top-up, however often it is asked again', async () => {
    const account = senderOf(newAccountId());
    const reserve = account.reserve();
    const [refused] = await stage.tell(reserve);

    await stage.tell(account.grant(10_000));
    await stage.bus.publish([reserve, reserve]);
    const told = await waitFor('it is told three times', () => {
      const found = stage
        .outcomesOf(account.accountId)
        .filter(({ command_id }) => command_id === reserve.id);
      return found.length >= 3 && found;
    });

    expect(told).toEqual([refused, refused, refused]);
    expect((await ledger.holds(account.accountId)).items).toEqual([]);
  });
});

describe('A page read and its credit', () => {
  test('is charged once, given back once, and never charged after its reversal', async () => {
    const account = senderOf(newAccountId());
    const [delivered, lost] = [newRequestId(), newRequestId()];
    await stage.tell(account.grant(10));

    const [charged] = await stage.tell(account.charge(delivered));
    const [reversed] = await stage.tell(account.reverse(delivered));
    const [early] = await stage.tell(account.reverse(lost));
    const [late] = await stage.tell(account.charge(lost));

    expect(charged).toMatchObject({ amount_charged: 1, balance: { available: 9 } });
    expect(reversed).toMatchObject({ amount_released: 1, balance: { available: 10 } });
    expect(early).toMatchObject({ result: 'refused', refusal: { code: 'charge_unknown' } });
    expect(late).toMatchObject({ result: 'refused', refusal: { code: 'already_reversed' } });
    expect((await ledger.balance(account.accountId)).balances[0]?.available).toBe(10);
  });
});

describe('A command that cannot be right', () => {
  test('about a refresh of another account is given up, says nothing and stops nobody', async () => {
    const [owner, stranger] = [senderOf(newAccountId()), senderOf(newAccountId())];
    const refresh = newRefreshId();
    await stage.tell(owner.grant(200), stranger.grant(200), owner.reserve(refresh));

    await stage.bus.publish([stranger.reserve(refresh), stranger.settle(refresh, 'private')]);
    const [afterwards] = await stage.tell(stranger.grant(1));

    expect(afterwards).toMatchObject({ seq: 2, balance: { total: 201, held: 0, available: 201 } });
    expect(stage.outcomesOf(stranger.accountId)).toHaveLength(2);
    expect((await ledger.balance(owner.accountId)).balances[0]).toMatchObject({ held: 125 });
  });

  test('whose id is not the one of its body is not even sent', async () => {
    const account = senderOf(newAccountId());
    const reserve = account.reserve();
    const body = { ...reserve.body, command_id: `reserve:${newRefreshId()}` };

    await expect(stage.bus.publish([{ ...reserve, body }])).rejects.toThrow(/reserve:<refresh_id>/);
  });
});

describe('What an account is told about itself', () => {
  test('statement, balance and outcomes agree entry by entry', async () => {
    const account = senderOf(newAccountId());
    const [one, two, page] = [newRefreshId(), newRefreshId(), newRequestId()];
    const told = await stage.tell(
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
      rows.map(({ kind, change_available, change_held }) => [kind, change_available, change_held]),
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
    expect(rows.map(({ available_after, held_after }) => [available_after, held_after])).toEqual(
      told.map((outcome) => [outcome.balance.available, outcome.balance.held]),
    );
    expect(balance).toMatchObject({
      as_of_seq: 9,
      balances: [{ asset: 'credits', total: 208, held: 0, available: 208 }],
    });
  });

  test('an account nobody ever paid for has nothing, and nothing of anybody else', async () => {
    const nobody = newAccountId();

    expect(await ledger.balance(nobody)).toEqual({
      account_id: nobody,
      as_of_seq: 0,
      funding: 'credits',
      balances: [{ asset: 'credits', total: 0, held: 0, available: 0 }],
    });
    expect(await ledger.statement(nobody)).toEqual([]);
    expect((await ledger.holds(nobody)).items).toEqual([]);
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
