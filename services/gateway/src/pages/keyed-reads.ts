import { createHash } from 'node:crypto';
import type { ProjectId, RequestId } from '@inventory/contracts/ids';
import type { BalanceView } from '@inventory/contracts/internal/ledger';
import type { Refusal } from '@inventory/contracts/refusal';
import { pause } from '@inventory/runtime/wait';
import type { AdmittedRequest } from '../http/public-response.ts';
import type { PageServices } from './open-pages.ts';
import { type FetchedPage, type PaidRead, readCharged } from './page-charges.ts';
import type { RequestedPage } from './page-intent.domain.ts';
import { judgeKey, type ReadKeyRecord, replaysMax } from './read-key.domain.ts';

/** The Idempotency-Key of a page read, with the inputs of the read. */
export interface ReadKey {
  readonly route: 'current' | 'changes' | 'export' | 'live' | 'v1';
  readonly key: string;
  /** All inputs that select the page. */
  readonly inputs: readonly (string | number | null)[];
}

export type KeyedRead<Page> =
  | PaidRead<Page>
  /** A replay for a key whose page was paid and delivered; nothing is charged. */
  | { readonly result: 'replayed'; readonly page: Page; readonly balance: BalanceView };

export interface Fetches<Page> {
  /** `pin` stores, under the key, what a replay has to know of the first attempt. */
  readonly paid: (pin: (text: string) => Promise<void>) => Promise<FetchedPage<Page>>;
  /** A replay without a page counts where it calls `onPlatformContacted`. */
  readonly replayed: (
    onPlatformContacted: () => void,
    pin: string | null,
  ) => Promise<FetchedPage<Page>>;
}

export interface RequestedRead extends RequestedPage {
  /** Rejects where the request is refused for the rate: then nothing is charged. */
  readonly counted?: Promise<void>;
  /** Holds the bytes of the response, or refuses the page, which is not charged then. */
  readonly hold: AdmittedRequest['hold'];
}

const pollAgainMs = 50;
/** Time after which the reversal of a crashed attempt is certainly done. */
const reversalMs = 60_000;

const replaysExhausted = {
  code: 'replays_exhausted',
  detail: { replays_max: replaysMax },
} as const;
const inProgress = { code: 'idempotency_in_progress', retry_after_seconds: 1 } as const;

type Begun =
  | { readonly result: 'first' }
  | { readonly result: 'replay'; readonly paidBy: RequestId; readonly pin: string | null }
  | { readonly result: 'refused'; readonly refusal: Refusal };

const refused = (refusal: Refusal) => ({ result: 'refused', refusal }) as const;

/**
 * A page read with or without an Idempotency-Key. A key is opened before its attempt does anything,
 * marked paid before the intent of a delivered page is deleted, and released with an attempt that is
 * charged nothing or reversed. So no crash makes two paid pages under one key. No key is opened for a
 * request that is refused for the rate.
 */
export async function readKeyed<Page>(
  services: PageServices,
  { hold, ...read }: RequestedRead,
  key: ReadKey | null,
  given: Fetches<Page>,
): Promise<KeyedRead<Page>> {
  const { keys } = services;
  const fetches = held(given, hold);
  if (key === null) {
    return await readCharged(services, { ...read, keyId: null }, () => fetches.paid(notPinned));
  }
  await read.counted;
  const keyId = keyIdOf(read.projectId, key);
  const fingerprint = digest(JSON.stringify(key.inputs));
  const begun = await begin(services, keyId, fingerprint, read.requestId);
  switch (begun.result) {
    case 'first': {
      const pinKey = (pin: string) => keys.pinKey(keyId, read.requestId, pin);
      return await readCharged(services, { ...read, keyId }, () => fetches.paid(pinKey));
    }
    case 'replay':
      return await replay(
        services,
        read,
        () => keys.uncountReplay(keyId, begun.paidBy),
        (onPlatformContacted) => fetches.replayed(onPlatformContacted, begun.pin),
      );
    default:
      return begun;
  }
}

async function begin(
  { keys, limits, deadlines, clock }: PageServices,
  keyId: string,
  fingerprint: string,
  requestId: RequestId,
): Promise<Begun> {
  const giveUpMs = clock.now() + deadlines.undecidedReadMs;
  for (;;) {
    const nowMs = clock.now();
    const fresh: ReadKeyRecord = {
      fingerprint,
      requestId,
      state: 'open',
      replays: 0,
      openUntilMs: nowMs + limits.deliverWithinMs + limits.reverseAfterMs + reversalMs,
      expiresAtMs: nowMs + limits.readKeyKeepMs,
      pin: null,
    };
    if (await keys.openKey(keyId, fresh)) return { result: 'first' };
    const found = await keys.findKey(keyId);
    if (found === null) continue;
    switch (judgeKey(found, fingerprint, nowMs)) {
      case 'void':
        await keys.releaseKey(keyId, found.requestId);
        break;
      case 'conflict':
        return refused({ code: 'idempotency_conflict' });
      case 'exhausted':
        return refused(replaysExhausted);
      case 'replay':
        if (!(await keys.countReplay(keyId, found))) break;
        return { result: 'replay', paidBy: found.requestId, pin: found.pin };
      case 'wait':
        if (nowMs >= giveUpMs) return refused(inProgress);
        await pause(pollAgainMs);
    }
  }
}

async function replay<Page>(
  { ledger, logger }: PageServices,
  { accountId, requestId }: RequestedPage,
  uncount: () => Promise<void>,
  fetch: (onPlatformContacted: () => void) => Promise<FetchedPage<Page>>,
): Promise<KeyedRead<Page>> {
  let counts = false;
  const count = () => {
    counts = true;
  };
  try {
    // First: no page is requested of the platform that cannot be returned.
    const balance = await ledger.readBalance(accountId);
    const fetched = await fetch(count);
    if (fetched.result === 'refused') return fetched;
    count();
    return { result: 'replayed', page: fetched.page, balance };
  } finally {
    if (!counts) {
      await uncount().catch((err: unknown) =>
        logger.warn({ err, requestId }, 'failed replay not uncounted'),
      );
    }
  }
}

/** The same, whose pages are held until they are delivered. */
function held<Page>(
  { paid, replayed }: Fetches<Page>,
  hold: AdmittedRequest['hold'],
): Fetches<Page> {
  const orRefused = (fetched: FetchedPage<Page>): FetchedPage<Page> => {
    const refusal = fetched.result === 'page' ? hold(fetched.bytes) : null;
    return refusal === null ? fetched : refused(refusal);
  };
  return {
    paid: async (pin) => orRefused(await paid(pin)),
    replayed: async (onPlatformContacted, pin) =>
      orRefused(await replayed(onPlatformContacted, pin)),
  };
}

const notPinned = async () => undefined;

function keyIdOf(projectId: ProjectId, { route, key }: ReadKey): string {
  return digest(JSON.stringify([projectId, route, key]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
