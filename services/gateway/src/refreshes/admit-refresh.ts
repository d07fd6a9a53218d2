import { maxCreditsMin } from '@inventory/contracts/http/refresh';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { Refusal } from '@inventory/contracts/refusal';
import type { Permission } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { isFundsRefusal } from '../accounts/funds.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { buyerOf, mayUse } from '../tenancy/principal.domain.ts';
import type { RefreshServices } from './open-refreshes.ts';
import {
  type AttemptResult,
  fingerprintOf,
  notSent,
  type RefreshInputs,
  refused,
  sendAttempt,
  undecided,
} from './refresh-attempt.ts';
import { type AdmittedRefresh, refreshProduct, toAdmitted } from './refresh-response.ts';

const currentPermission = 'platform.inventory.current.page.v1' satisfies Permission;

/** Admits one refresh, alone or of a batch, or returns the one of its key. Throws the refusal. */
export async function admitRefresh(
  services: RefreshServices,
  { requestId, principal }: AdmittedRequest,
  inputs: RefreshInputs,
): Promise<AdmittedRefresh> {
  const prices = await services.prices.readPrices();
  const buyer = buyerOf(principal);
  const { maxAgeSeconds, ...wanted } = inputs;
  const request: RefreshRequest = {
    ...wanted,
    ...buyer,
    requestId,
    refreshId: services.identifiers.uuidV7(),
    fingerprint: fingerprintOf(inputs),
    freshness: freshnessOf(principal, maxAgeSeconds, prices),
    requestedAtMs: services.clock.now(),
    watchId: null,
  };
  const refusal = await earlyRefusal(services, request, prices.refreshReservation);
  if (refusal !== null) throw new Refused(refusal);
  const result = await requestRefresh(services, request);
  if (result.result === 'refused' && isFundsRefusal(result.refusal)) {
    services.funds.recordRefusal({ ...buyer, productCode: refreshProduct });
  }
  return toAdmitted(result, request);
}

/** What Current would sell to the Credential may complete its refresh; without that it is scanned. */
function freshnessOf(
  principal: AdmittedRequest['principal'],
  maxAgeSeconds: number | null,
  { version: priceVersion }: PriceList,
): RefreshRequest['freshness'] {
  if (maxAgeSeconds === null || !mayUse(principal.permissions, currentPermission)) return null;
  return { maxAgeSeconds, priceVersion };
}

/**
 * What is refused here, without a command. A known key gets its response whatever the price list in force
 * says, and without funds: its refresh was admitted. Admission refuses before funds. One that a saved
 * observation completes needs none.
 */
async function earlyRefusal(
  { collector, funds, sandboxPace }: RefreshServices,
  request: RefreshRequest,
  reservation: number,
): Promise<Refusal | null> {
  const { maxCredits, idempotencyKey } = request;
  const minimum = Math.max(maxCreditsMin, reservation);
  if (maxCredits < minimum) {
    const canBeKnown = idempotencyKey !== null && maxCredits >= maxCreditsMin;
    if (canBeKnown && (await collector.findAttempt(request)).isKnownKey) return null;
    return { code: 'max_credits_too_low', detail: { minimum } };
  }
  const tooMany = sandboxPace(request.accountId);
  if (tooMany !== null) {
    const isNew = idempotencyKey === null;
    const found = isNew ? null : await collector.findAttempt(request).catch(() => null);
    return found?.isKnownKey ? null : tooMany;
  }
  const withoutFunds = await funds.recheckFunds({ ...request, productCode: refreshProduct });
  if (withoutFunds === null) return null;
  // Without a response the command decides.
  const found = await collector.findAttempt(request).catch(() => null);
  if (found === null || found.isKnownKey || found.isSaved) return null;
  return found.refusal ?? withoutFunds;
}

/**
 * Every request is an attempt of its own; the collector's insert alone decides which attempt a key
 * belongs to. An attempt without a key cannot be found again: its cancel is durable before it is
 * sent, and withdrawn before the response says that it is accepted, so that a gateway that dies in
 * between leaves nothing that is charged.
 */
export async function requestRefresh(
  services: RefreshServices,
  attempt: RefreshRequest,
): Promise<AttemptResult> {
  if (attempt.idempotencyKey !== null) return await sendAttempt(services, attempt);
  const decidedByMs =
    services.clock.now() + services.decisionTimeoutMs + services.deadlines.storeMs;
  try {
    await services.pendingCancels.insertCancel(attempt, decidedByMs);
  } catch (error) {
    services.logger.warn({ err: error }, 'refresh not requested');
    return refused(notSent);
  }
  const result = await sendAttempt(services, attempt);
  const isUnknown = result.result === 'refused' && result.refusal === undecided;
  return isUnknown || !(await isWithdrawn(services, attempt, result))
    ? await cancelAttempt(services, attempt)
    : result;
}

/** Whether the cancel of a decided attempt is never sent. That of a refused one has no effect. */
async function isWithdrawn(
  services: RefreshServices,
  { refreshId }: RefreshRequest,
  { result }: AttemptResult,
): Promise<boolean> {
  try {
    return (await services.pendingCancels.withdrawCancel(refreshId)) || result === 'refused';
  } catch (error) {
    services.logger.warn({ err: error, refreshId }, 'cancel not withdrawn');
    return result === 'refused';
  }
}

/** Responds with `outcome: "unknown"`: the attempt must not start. */
async function cancelAttempt(
  services: RefreshServices,
  attempt: RefreshRequest,
): Promise<AttemptResult> {
  const { refreshId } = attempt;
  try {
    await services.pendingCancels.expediteCancel(attempt, services.clock.now());
    services.wakeCancels();
  } catch (error) {
    // It is due later, or was withdrawn: the client has the id and can cancel the refresh.
    services.logger.error({ err: error, refreshId }, 'undecided refresh not cancelled');
  }
  const detail = { ...undecided.detail, refresh_id: refreshId };
  return refused({ ...undecided, detail });
}
