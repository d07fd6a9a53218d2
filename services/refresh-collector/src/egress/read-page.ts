import type { AccountId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { invariant } from '@inventory/runtime/bug';
import {
  classifyResponse,
  type FaultReason,
  type PlatformResponse,
  type RawPlatformResponse,
} from '../platform/platform-response.domain.ts';
import type { SlotResult } from './egress-identity.domain.ts';
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

/**
 * Requests one page from the platform through a free identity, and reports the result to the egress
 * pool and the breakers. Neither a live page nor a page of a scan waits for the release of its slot;
 * another response decides which identities are used next. Undefined when the signal is aborted before a
 * identity is free.
 */
export async function readPage(
  egress: Egress,
  reading: PageReading,
  signal: AbortSignal,
): Promise<PageReadingResult | undefined> {
  const { accountId, deadlineMs, avoid, unreachable } = reading;
  const isLive = deadlineMs === null;
  const inventory = inventoryKeyText(reading.scope);
  const request = { accountId, inventory, deadlineMs, avoid, unreachable };
  const slot = await egress.pool.acquire(request, signal);
  if (!slot) return undefined;
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
  return { response, identityId: slot.identityId };
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
