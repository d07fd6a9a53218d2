import type { AccountId } from '@inventory/contracts/ids';
import { utcDay } from '@inventory/contracts/wire';
import { Refused } from '@inventory/http/refused';
import type { Logger } from '@inventory/runtime/logger';
import { z } from 'zod';
import { type BookingServices, bookEntry } from '../operator/ledger-commands.ts';
import type { OperatorServices } from '../operator/operator-services.ts';
import type { Principal } from '../tenancy/principal.domain.ts';

/** What a sandbox account has once it is filled up. */
export const playCredits = 100_000;

const dayMs = 24 * 3_600_000;
const utcDayAt = (timeMs: number): string => z.encode(utcDay, Math.floor(timeMs / dayMs));

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
  const grant = { kind: 'grant', accountId, asset: 'credits', amount } as const;
  const idempotencyKey = `play-credits:${utcDayAt(services.clock.now())}`;
  const booking = { reason: 'Play credits', idempotencyKey };
  try {
    await bookEntry(services, { ...grant, ...booking });
  } catch (error) {
    const isDone = error instanceof Refused && error.refusal.code === 'idempotency_conflict';
    if (!isDone) throw error;
  }
}

/**
 * Fills the account of a sandbox request up before its first request of the day on this replica. A
 * failure is not the request's, and the next one retries.
 */
export function createDailyPlayCredits(services: PlayCreditServices, logger: Logger) {
  let day = '';
  const filled = new Set<AccountId>();
  return async ({ environment, accountId }: Principal): Promise<void> => {
    if (environment === 'live') return;
    const today = utcDayAt(services.clock.now());
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
