import type { AccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Logger } from '@inventory/runtime/logger';
import { type BookingServices, bookEntry } from '../operator/ledger-commands.ts';
import type { OperatorServices } from '../operator/operator-services.ts';
import type { Principal } from '../tenancy/principal.domain.ts';

/** What a sandbox account has once it is filled up. */
export const playCredits = 100_000;

type PlayCreditServices = BookingServices & Pick<OperatorServices, 'ledger' | 'clock'>;

/**
 * Fills a sandbox account up, once a UTC day: an ordinary top-up, whose key is the day. Where another
 * replica was first, its amount stands.
 */
export async function fillUp(services: PlayCreditServices, accountId: AccountId): Promise<void> {
  const { balances } = await services.ledger.readBalance(accountId);
  const available = balances.find(({ asset }) => asset === 'credits')?.available ?? 0;
  const amount = playCredits - available;
  if (amount <= 0) return;
  const day = new Date(services.clock.now()).toISOString().slice(0, 10);
  const grant = { kind: 'grant', accountId, asset: 'credits', amount } as const;
  const booking = { reason: 'Play credits', idempotencyKey: `play-credits:${day}` };
  try {
    await bookEntry(services, { ...grant, ...booking });
  } catch (error) {
    const isDone = error instanceof Refused && error.refusal.code === 'idempotency_conflict';
    if (!isDone) throw error;
  }
}

const dayMs = 24 * 3_600_000;

/**
 * Fills the account of a sandbox request up before its first request of the day on this replica. A
 * failure is not the request's, and the next one retries.
 */
export function createDailyPlayCredits(services: PlayCreditServices, logger: Logger) {
  let day = 0;
  const filled = new Set<AccountId>();
  return async ({ environment, accountId }: Principal): Promise<void> => {
    if (environment === 'live') return;
    const today = Math.floor(services.clock.now() / dayMs);
    if (today !== day) filled.clear();
    day = today;
    if (filled.has(accountId)) return;
    filled.add(accountId);
    try {
      await fillUp(services, accountId);
    } catch (err) {
      filled.delete(accountId);
      logger.warn({ err, accountId }, 'sandbox account not filled up');
    }
  };
}
