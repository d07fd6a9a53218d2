import { environmentOf } from '@inventory/contracts/environment';
import {
  type webhookEndpointChange,
  webhookEndpointsMax,
  webhookPingEvent,
} from '@inventory/contracts/http/webhooks';
import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { newWebhookEndpointOfAccount } from '@inventory/contracts/internal/webhooks';
import { Refused } from '@inventory/http/refused';
import { isoTime } from '@inventory/runtime/clock';
import { z } from 'zod';
import { writeSampleEvent } from '../log/project-event.ts';
import { afterResult, healthFieldsOf, healthy } from './endpoint-health.domain.ts';
import type { Webhooks } from './open-webhooks.ts';
import { decideRotation, type WantedRotation } from './secret-rotation.domain.ts';
import { type AddressRules, parseWebhookUrl } from './webhook-address.domain.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { WebhookEndpoint } from './webhook-document.ts';
import { newWebhookSecret } from './webhook-signature.ts';

export interface WantedEndpoint extends z.output<typeof newWebhookEndpointOfAccount> {
  readonly projectId: ProjectId;
}

export interface EndpointOfProject {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

export type EndpointChange = z.output<typeof webhookEndpointChange>;

/** An endpoint may be disabled by its responses, and changed by others, concurrently. */
const triesMax = 10;

/**
 * A new endpoint receives what is appended from now on. One that has the wanted id is the wanted one, as it
 * is now. Throws `invalid_request` for its URL and `webhook_endpoint_limit_reached`.
 */
export async function createEndpoint(
  webhooks: Webhooks,
  { endpointId, secret = newWebhookSecret(), ...wanted }: WantedEndpoint,
): Promise<WebhookEndpoint> {
  const url = checkedUrl(webhooks, wanted.url);
  const nowMs = webhooks.clock.now();
  const endpoint = {
    ...wanted,
    endpointId: endpointId ?? (`whe_${webhooks.identifiers.uuidV7()}` as const),
    url,
    state: 'enabled' as const,
    disabledReason: null,
    secrets: [{ secret, createdAtMs: nowMs, endsAtMs: null }],
    rotations: [],
    nextPosition: (await webhooks.log.readHead(wanted.projectId)) + 1,
    health: healthy,
    healthVersion: 1,
    pace: 'new' as const,
    lateSinceMs: null,
    isRemoved: false,
    version: 1,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  const inserted = await webhooks.endpoints.insertEndpoint(endpoint, webhookEndpointsMax);
  if (inserted) {
    webhooks.noteDue();
    return inserted;
  }
  const { projectId } = wanted;
  const earlier = endpointId && (await webhooks.endpoints.findEndpoint(projectId, endpointId));
  if (earlier) return earlier;
  const detail = { limit: webhookEndpointsMax };
  throw new Refused({ code: 'webhook_endpoint_limit_reached', detail });
}

/** Throws `webhook_endpoint_not_found`. */
export async function findEndpoint(
  { endpoints }: Webhooks,
  { projectId, endpointId }: EndpointOfProject,
): Promise<WebhookEndpoint> {
  const endpoint = await endpoints.findEndpoint(projectId, endpointId);
  if (endpoint === null) throw notFound();
  return endpoint;
}

const notFound = () => new Refused({ code: 'webhook_endpoint_not_found' });

/**
 * Throws `webhook_endpoint_not_found`, `invalid_request` for its URL and `concurrent_change`, the
 * last when every try loses to another change.
 */
export async function changeEndpoint(
  webhooks: Webhooks,
  named: EndpointOfProject,
  { state, url: wantedUrl, ...plain }: EndpointChange,
): Promise<WebhookEndpoint> {
  const url = wantedUrl === undefined ? undefined : checkedUrl(webhooks, wantedUrl);
  const changed = await update(webhooks, named, async (endpoint) => ({
    ...given({ ...plain, url }),
    ...(url !== undefined && url !== endpoint.url && { ...newHealth(endpoint), pace: 'new' }),
    ...(state !== undefined &&
      state !== endpoint.state &&
      (await switched(webhooks, endpoint, state))),
    changedAtMs: webhooks.clock.now(),
  }));
  // Ends the deliveries of a disabled one.
  await webhooks.wake(changed.endpointId);
  return changed;
}

export interface RotatedSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
  /** The key was used before: nothing changed. */
  readonly replayed: boolean;
}

/**
 * The present secret continues to sign beside the new one until the overlap ends. Throws
 * `webhook_endpoint_not_found`, `idempotency_conflict`, `secret_rotation_in_progress` and
 * `concurrent_change`.
 */
export async function rotateEndpointSecret(
  webhooks: Webhooks,
  named: EndpointOfProject,
  wanted: WantedRotation,
): Promise<RotatedSecret> {
  const made = newWebhookSecret();
  let repeated: string | null = null;
  const endpoint = await update(webhooks, named, async (read) => {
    const nowMs = webhooks.clock.now();
    const decision = decideRotation(read, wanted, { secret: made, nowMs });
    if (decision.result === 'conflict') throw new Refused({ code: 'idempotency_conflict' });
    if (decision.result === 'in_progress') {
      const detail = { ends_at: isoTime(decision.endsAtMs) };
      throw new Refused({ code: 'secret_rotation_in_progress', detail });
    }
    if (decision.result === 'repeated') {
      repeated = decision.secret;
      return null;
    }
    const { secrets, rotations } = decision;
    return { secrets, rotations, changedAtMs: nowMs };
  });
  // It may have waited for a secret that can be decrypted.
  await webhooks.wake(endpoint.endpointId);
  return { endpoint, secret: repeated ?? made, replayed: repeated !== null };
}

/** What takes longer than a request is left to the endpoint's next delivery run. */
const removedInRequestMax = 10_000;

/**
 * Its slot is free afterwards, unless it has very many deliveries. Its next run deletes what is left, also
 * after a crash.
 * Throws `webhook_endpoint_not_found`.
 */
export async function removeEndpoint(
  { endpoints, deliveries, clock, limits, wake }: Webhooks,
  { projectId, endpointId }: EndpointOfProject,
): Promise<void> {
  const isMarked = await endpoints.markRemoved(projectId, endpointId, clock.now() + limits.claimMs);
  if (!isMarked) throw notFound();
  await wake(endpointId);
  const isEmpty = await deliveries.removeOfEndpoint(endpointId, removedInRequestMax);
  if (isEmpty) await endpoints.deleteRemoved(endpointId);
}

/** Disables it as its next failure would after it had failed for too long. Throws as {@link changeEndpoint}. */
export async function failEndpoint(
  webhooks: Webhooks,
  named: EndpointOfProject,
): Promise<WebhookEndpoint> {
  const { clock, health: limits, wake } = webhooks;
  const failed = await update(webhooks, named, async ({ health, state }) => {
    const atMs = clock.now();
    const failingSinceMs = atMs - limits.disableAfterMs;
    const failing = { ...health, failingSinceMs, lastFailureMs: atMs };
    const failure = { status: null, error: 'timeout', atMs };
    const change = afterResult({ health: failing, state }, failure, limits);
    return change?.disabledReason === undefined ? null : healthFieldsOf(change, atMs);
  });
  // Ends its deliveries.
  await wake(failed.endpointId);
  return failed;
}

/** Schedules a signed test event, which is in no log; it is sent to a disabled endpoint too. */
export async function pingEndpoint(
  { deliveries, clock, identifiers, wake }: Webhooks,
  { endpointId, accountId, projectId }: WebhookEndpoint,
): Promise<EventId> {
  const nowMs = clock.now();
  const eventId: EventId = `evt_${identifiers.uuidV7()}`;
  const event = z.encode(webhookPingEvent, {
    id: eventId,
    version: 1,
    type: pingType,
    occurredAtMs: nowMs,
    projectId,
    environment: environmentOf(accountId),
    data: { endpointId },
    links: {},
  });
  const body = JSON.stringify(event);
  const ping = { endpointId, projectId, eventId, type: pingType, body, appendedAtMs: null };
  await deliveries.insertMissing([ping], nowMs);
  await wake(endpointId);
  return eventId;
}

const sampleType = 'inventory.refresh.completed';

/**
 * Sends a sample of a run that found a change, which is in no log, to the endpoints that subscribe to
 * its type. Its ids are made up.
 */
export async function sendSample(
  { endpoints: store, deliveries, clock, identifiers, wake }: Webhooks,
  projectId: ProjectId,
): Promise<{ readonly eventId: EventId; readonly endpoints: WebhookEndpointId[] }> {
  const nowMs = clock.now();
  const wanted = (await store.listEndpoints(projectId)).filter(
    ({ state, types }) => state === 'enabled' && types.includes(sampleType),
  );
  const [first] = wanted;
  if (!first) return { eventId: `evt_${identifiers.uuidV7()}`, endpoints: [] };
  const { id: eventId, type, json: body } = writeSampleEvent(sampleType, first, identifiers, nowMs);
  const endpoints = wanted.map(({ endpointId }) => endpointId);
  const sample = { projectId, eventId, type, body, appendedAtMs: null };
  await deliveries.insertMissing(
    endpoints.map((endpointId) => ({ ...sample, endpointId })),
    nowMs,
  );
  await Promise.all(endpoints.map(wake));
  return { eventId, endpoints };
}

/**
 * An endpoint that is enabled starts with the next event that is appended. Missed events are sent
 * by redelivery only, which avoids a burst.
 */
async function switched(
  { log }: Webhooks,
  endpoint: WebhookEndpoint,
  state: 'enabled' | 'disabled',
): Promise<Partial<WebhookEndpoint>> {
  if (state === 'disabled') return { state, disabledReason: 'requested' };
  const nextPosition = (await log.readHead(endpoint.projectId)) + 1;
  return { state, disabledReason: null, ...newHealth(endpoint), nextPosition };
}

/** Of the URL, or the enabling, that the next version has. */
const newHealth = ({ version }: WebhookEndpoint) => ({
  health: healthy,
  healthVersion: version + 1,
});

/** Null fields: nothing changes. */
async function update(
  webhooks: Webhooks,
  named: EndpointOfProject,
  fieldsOf: (endpoint: WebhookEndpoint) => Promise<Partial<WebhookEndpoint> | null>,
): Promise<WebhookEndpoint> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const endpoint = await findEndpoint(webhooks, named);
    const change = await fieldsOf(endpoint);
    if (change === null) return endpoint;
    const fields = { ...change, version: endpoint.version + 1 };
    if (await webhooks.endpoints.update(endpoint, fields)) return { ...endpoint, ...fields };
  }
  throw new Refused({ code: 'concurrent_change' });
}

/** Normalised. Events are not sent to a URL that is refused. */
function checkedUrl(rules: AddressRules, text: string): string {
  const checked = parseWebhookUrl(text, rules);
  if (checked.result === 'valid') return checked.url;
  const issue = { in: 'body', field: 'url', reason: checked.reason } as const;
  throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}

function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
