import { createHash } from 'node:crypto';
import type { AccountId, ProjectId, RequestId } from '@inventory/contracts/ids';
import type { BalanceView } from '@inventory/contracts/internal/ledger';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Deadlines } from '../deadlines.ts';
import type { ChargedRead, Fetched, PageCharges } from './page-charges.ts';
import type { PageRead } from './page-intent.domain.ts';
import { judgeKey, type ReadKeyRecord } from './read-key.domain.ts';
import type { ReadKeyStore } from './read-key-store.ts';

/** The Idempotency-Key of a page read, and what it was used for. */
export interface ReadKey {
  readonly route: 'current' | 'live' | 'v1';
  readonly key: string;
  /** Everything that decides what is read. */
  readonly inputs: readonly (string | number | null)[];
}

export type KeyedRead<Page, Free> =
  | ChargedRead<Page, Free>
  /** Read again for a key that was paid and delivered before; nothing is charged. */
  | { readonly result: 'replayed'; readonly page: Page; readonly balance: BalanceView }
  | { readonly result: 'conflict' | 'exhausted' | 'in_progress' };

export interface Fetches<Page, Free> {
  readonly paid: () => Promise<Fetched<Page, Free>>;
  readonly replayed: () => Promise<Fetched<Page, Free>>;
}

/** Page reads with or without an Idempotency-Key. */
export interface KeyedReads {
  read<Page, Free>(
    read: Omit<PageRead, 'keyId'>,
    key: ReadKey | null,
    fetches: Fetches<Page, Free>,
  ): Promise<KeyedRead<Page, Free>>;
}

export interface KeyedReadsDeps {
  readonly charges: PageCharges;
  readonly keys: ReadKeyStore;
  readonly ledger: { balance(accountId: AccountId): Promise<BalanceView> };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: {
    readonly deliverWithinMs: number;
    readonly reverseAfterMs: number;
    readonly readKeyKeepMs: number;
  };
  readonly deadlines: Pick<Deadlines, 'undecidedReadMs'>;
}

const lookAgainMs = 50;
/** After the reversal of a crashed attempt is due, until it is certainly done. */
const reversalMs = 60_000;

type Begun =
  | { readonly begun: 'first' }
  | { readonly begun: 'replay'; readonly paidBy: RequestId }
  | { readonly begun: 'conflict' | 'exhausted' | 'in_progress' };

/**
 * A key is opened before its attempt does anything, marked paid before the intent of a delivered
 * page is deleted, and freed with an attempt that is charged nothing or reversed. So whatever
 * crashes in between, a page is never paid twice under one key.
 */
export function createKeyedReads(deps: KeyedReadsDeps): KeyedReads {
  const { charges, keys, limits, clock } = deps;

  async function begin(keyId: string, fingerprint: string, requestId: RequestId): Promise<Begun> {
    const giveUpMs = clock.now() + deps.deadlines.undecidedReadMs;
    for (;;) {
      const nowMs = clock.now();
      const openForMs = limits.deliverWithinMs + limits.reverseAfterMs + reversalMs;
      const fresh: ReadKeyRecord = {
        fingerprint,
        requestId,
        state: 'open',
        replays: 0,
        openUntilMs: nowMs + openForMs,
        expiresAtMs: nowMs + limits.readKeyKeepMs,
      };
      if (await keys.open(keyId, fresh)) return { begun: 'first' };
      const found = await keys.find(keyId);
      if (found === null) continue;
      const verdict = judgeKey(found, fingerprint, nowMs);
      if (verdict === 'void') await keys.free(keyId, found.requestId);
      else if (verdict === 'replay') {
        if (await keys.countReplay(keyId, found)) {
          return { begun: 'replay', paidBy: found.requestId };
        }
      } else if (verdict !== 'wait') return { begun: verdict };
      else if (nowMs >= giveUpMs) return { begun: 'in_progress' };
      else await pause(lookAgainMs);
    }
  }

  async function replay<Page, Free>(
    read: Omit<PageRead, 'keyId'>,
    uncount: () => Promise<void>,
    fetch: Fetches<Page, Free>['replayed'],
  ): Promise<KeyedRead<Page, Free>> {
    let delivered = false;
    try {
      const [fetched, balance] = await Promise.all([fetch(), deps.ledger.balance(read.accountId)]);
      if (!fetched.billable) return { result: 'free', answer: fetched.answer };
      delivered = true;
      return { result: 'replayed', page: fetched.page, balance };
    } finally {
      if (!delivered) {
        await uncount().catch((error: unknown) =>
          deps.logger.warn({ err: error, request_id: read.requestId }, 'replay stays counted'),
        );
      }
    }
  }

  return {
    async read(read, key, fetches) {
      if (key === null) return await charges.read({ ...read, keyId: null }, fetches.paid);
      const keyId = keyIdOf(read.projectId, key);
      const begun = await begin(keyId, digest(JSON.stringify(key.inputs)), read.requestId);
      switch (begun.begun) {
        case 'first':
          return await charges.read({ ...read, keyId }, fetches.paid);
        case 'replay':
          return await replay(
            read,
            () => keys.uncountReplay(keyId, begun.paidBy),
            fetches.replayed,
          );
        default:
          return { result: begun.begun };
      }
    },
  };
}

function keyIdOf(projectId: ProjectId, { route, key }: ReadKey): string {
  return digest(JSON.stringify([projectId, route, key]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
