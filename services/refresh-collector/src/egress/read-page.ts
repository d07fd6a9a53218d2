import type { AccountId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { invariant } from '@inventory/runtime/bug';
import { DeadlineExceeded, withDeadline } from '@inventory/runtime/wait';
import {
  classifyResponse,
  type FaultReason,
  type PlatformResponse,
  type RawPlatformResponse,
} from '../platform/platform-response.domain.ts';
import type { SlotResult } from './egress-identity.domain.ts';
import type { EgressSlot } from './egress-pool.ts';
import type { Egress } from './open-egress.ts';
import type { PlatformClient } from './platform-client.ts';

export interface PageReading {
  readonly accountId: AccountId;
  readonly scope: InventoryKey;
  readonly language: string;
  readonly count: number;
  readonly startAssetId: string | null;
  /** Deadline of its scan; null for a live page. */
  readonly deadlineMs: number | null;
  readonly avoid: readonly string[];
  readonly unreachable: readonly string[];
  /** On the monotonic clock; without it the platform's timeout alone applies. */
  readonly respondByMs?: number;
}

export interface PageReadingResult {
  readonly response: PlatformResponse;
  readonly identityId: string;
}

const timedOut: PlatformResponse = { kind: 'fault', reason: 'timeout', eresult: null };

/**
 * Reads one page from the platform through a free identity. Live pages that wait for the same one share
 * a request, which is sent after each of them was wanted. Undefined when the signal is aborted before
 * an identity is free.
 */
export async function readPage(
  egress: Egress,
  reading: PageReading,
  signal: AbortSignal,
): Promise<PageReadingResult | undefined> {
  const { accountId, deadlineMs, avoid, unreachable } = reading;
  const { respondByMs = Number.POSITIVE_INFINITY } = reading;
  const inventory = inventoryKeyText(reading.scope);
  const shared = deadlineMs === null ? { page: pageText(reading, inventory), respondByMs } : {};
  const request = { accountId, inventory, deadlineMs, avoid, unreachable, ...shared };
  const slot = await egress.pool.acquire(request, signal);
  if (!slot) return undefined;
  const { identityId } = slot;
  if (slot.response === undefined) {
    slot.response = requestPage(egress, reading, slot);
    return { response: await slot.response, identityId };
  }
  const timeLeftMs = Math.max(0, respondByMs - egress.monotonicNow());
  const response = await withDeadline(slot.response, timeLeftMs, 'shared page').catch(
    (error: unknown) => {
      if (error instanceof DeadlineExceeded) return timedOut;
      throw error;
    },
  );
  return { response, identityId };
}

function pageText({ language, count, startAssetId }: PageReading, inventory: string): string {
  return [inventory, language, count, startAssetId].join(' ');
}

/**
 * Requests the page, and reports the result to the egress pool and the breakers. Neither a live page nor
 * a page of a scan waits for the release of its slot; another response decides which identities are
 * used next.
 */
async function requestPage(
  egress: Egress,
  reading: PageReading,
  slot: EgressSlot,
): Promise<PlatformResponse> {
  const isLive = reading.deadlineMs === null;
  const identity = egress.identities.find(({ id }) => id === slot.identityId);
  invariant(identity !== undefined, 'slots are of configured identities');
  const startMs = egress.monotonicNow();
  const timeoutMs = egress.platform.timeoutMsFor(
    (reading.respondByMs ?? Number.POSITIVE_INFINITY) - startMs,
  );
  const report = egress.breakers.trackRequest(reading);
  const raw = await egress.platform.fetchPage(identity, reading, timeoutMs);
  const response = await classify(egress, raw).catch(async (error: unknown) => {
    await slot.release({ result: 'unknown' });
    throw error;
  });
  egress.onResponse(response, isLive ? 'live' : 'scan', egress.monotonicNow() - startMs);
  const released = slot.release(slotResultOf(response));
  if (isLive || response.kind === 'page') released.catch(egress.onReleaseFailed);
  else await released;
  if (isEvidence(raw, timeoutMs, egress.platform)) {
    await report(response);
  }
  return response;
}

/** Rejects only by a fault of this service. */
async function classify({ executor }: Egress, raw: RawPlatformResponse): Promise<PlatformResponse> {
  return isLarge(raw) ? executor.enqueue(() => classifyResponse(raw)) : classifyResponse(raw);
}

const largeBytesMin = 64 * 1024;

function isLarge(raw: RawPlatformResponse): boolean {
  return 'body' in raw && raw.body !== null && raw.body.length >= largeBytesMin;
}

/** A request that was cut short by its deadline is no evidence about the application. */
function isEvidence(
  raw: RawPlatformResponse,
  timeoutMs: number,
  platform: PlatformClient,
): boolean {
  const cutShort = timeoutMs < platform.timeoutMsFor(Number.POSITIVE_INFINITY) / 2;
  return raw.status !== 'timeout' || !cutShort;
}

/** A denial may be a refusal of the address: no evidence about it without a second response. */
function slotResultOf(response: PlatformResponse): SlotResult {
  switch (response.kind) {
    case 'page':
      return { result: 'served' };
    case 'throttled':
    case 'blocked':
      return { result: 'throttled', retryAfterMs: response.retryAfterMs };
    case 'unreachable':
      return { result: 'unreachable' };
    case 'fault':
      return { result: isDecided(response.reason) ? 'answered' : 'unknown' };
    default:
      return { result: 'answered' };
  }
}

function isDecided(reason: FaultReason): boolean {
  return reason !== 'timeout' && reason !== 'connection_failed';
}
