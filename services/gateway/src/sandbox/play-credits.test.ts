import { newAccountId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { foundCredential } from '../../test/support/found-credential.ts';
import { sandboxTwinId } from '../tenancy/sandbox-twin.ts';
import { acceptSecret } from '../tenancy/tenancy.domain.ts';
import { createDailyPlayCredits, playCredits } from './play-credits.ts';

/** A ledger that books grants, each key once, and can be unavailable. */
function openBank() {
  const clock = createTestClock();
  const bank = { clock, available: 0, isUnavailable: false, keys: new Set<string>() };
  const services = {
    ...{ clock, identifiers: only({ uuidV7: () => 'x' }), deadlines: { ledgerReplyMs: 1 } },
    tenancy: only({ requireAccount: async () => foundCredential().account }),
    ledger: only({
      readBalance: async () => ({ balances: [{ asset: 'credits', available: bank.available }] }),
    }),
    commands: only({
      async request({ body }: { body: { commandId: string; amount: number } }) {
        if (bank.isUnavailable) return { result: 'not_sent', cause: 'no broker' };
        const isKnown = bank.keys.has(body.commandId);
        bank.keys.add(body.commandId);
        if (!isKnown) bank.available += body.amount;
        const outcome = isKnown
          ? { result: 'refused', refusal: { code: 'idempotency_conflict' } }
          : { result: 'applied' };
        return { result: 'reply', body: { outcome } };
      },
    }),
  };
  const replica = () => createDailyPlayCredits(services as never, testLogger);
  return Object.assign(bank, { replica });
}

function principalOf(isSandbox: boolean) {
  const account = foundCredential().account;
  const accountId = isSandbox ? sandboxTwinId(newAccountId()) : account.accountId;
  const accepted = acceptSecret('digest', foundCredential({ account: { accountId } }));
  if (!accepted) throw new Error('the secret is not accepted');
  return accepted.principal;
}

const dayMs = 24 * 3_600_000;

test('a sandbox account is filled up before its first request of a UTC day, once over all replicas; a live one never (Sandbox) [sandbox]', async () => {
  const bank = openBank();
  const replicas = [bank.replica(), bank.replica()];
  const principal = principalOf(true);
  const request = () => Promise.all(replicas.map((before) => before(principal)));

  for (const before of replicas) await before(principalOf(false));
  expect(bank.keys.size).toBe(0);
  await request();
  expect(bank.available).toBe(playCredits);
  bank.available -= 300;
  await request();
  expect(bank.available).toBe(playCredits - 300);
  bank.clock.advance(dayMs);
  await request();
  expect(bank.available).toBe(playCredits);
  expect(bank.keys.size).toBe(2);
});

test('a ledger that is unavailable fails no request, and the next one fills the account up', async () => {
  const bank = openBank();
  const before = bank.replica();
  const principal = principalOf(true);
  bank.isUnavailable = true;

  await before(principal);
  bank.isUnavailable = false;
  await before(principal);

  expect(bank.available).toBe(playCredits);
});
