import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import type { EndpointHealth } from './endpoint-health.domain.ts';
import type { EndpointSecret, SecretRotation } from './secret-rotation.domain.ts';
import { type EndpointDocument, webhookDocuments } from './webhook-document.ts';
import type { WebhookEndpoint } from './webhook-endpoint.domain.ts';

/** The fields of an endpoint that can change. */
export type EndpointFields = Pick<
  WebhookEndpoint,
  | 'url'
  | 'description'
  | 'types'
  | 'state'
  | 'disabledReason'
  | 'secrets'
  | 'rotations'
  | 'nextPosition'
  | 'health'
  | 'changedAtMs'
>;

export function toDocEndpoint(
  endpoint: WebhookEndpoint,
  slot: string,
  sealer: TextSealer,
): EndpointDocument {
  const { id: endpointId, projectId, accountId, createdAtMs, version } = endpoint;
  const createdAt = dateOf(createdAtMs);
  const identity = { _id: slot, endpointId, projectId, accountId, createdAt, version };
  const fields = toDocFields(endpoint, endpointId, sealer) as Omit<
    EndpointDocument,
    keyof typeof identity | 'pace'
  >;
  return { ...identity, ...fields, pace: endpoint.pace };
}

/** The defined fields only. */
export function toDocFields(
  { secrets, rotations, health, changedAtMs, ...same }: Partial<EndpointFields>,
  endpointId: string,
  sealer: TextSealer,
): Partial<EndpointDocument> {
  const { url, description, types, state, disabledReason, nextPosition } = same;
  const fields = {
    url,
    description,
    types,
    state,
    disabledReason,
    nextPosition,
    secrets: secrets?.map(({ secret, createdAtMs, endsAtMs }) => ({
      sealed: sealer.seal(secret, endpointId),
      createdAt: dateOf(createdAtMs),
      endsAt: dateOrNull(endsAtMs),
    })),
    rotations: rotations?.map(({ secret, atMs, ...inputs }) => ({
      ...inputs,
      sealed: sealer.seal(secret, endpointId),
      at: dateOf(atMs),
    })),
    changedAt: changedAtMs === undefined ? undefined : dateOf(changedAtMs),
    ...(health && toDocHealth(health)),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function fromDocEndpoint(stored: EndpointDocument, sealer: TextSealer): WebhookEndpoint {
  const doc = parseDocument(webhookDocuments.endpoint, stored);
  const { endpointId: id, projectId, accountId, url, description, types, state } = doc;
  const { disabledReason, nextPosition, version } = doc;
  return {
    ...{ id, projectId, accountId, url, description, types, state, disabledReason },
    nextPosition,
    version,
    pace: doc.pace,
    isRemoved: doc.removedAt !== undefined,
    // A secret that cannot be decrypted does not hide the endpoint, nor any other.
    secrets: doc.secrets.flatMap(({ sealed, createdAt, endsAt }): EndpointSecret[] => {
      const secret = sealer.open(sealed, id);
      const endsAtMs = endsAt?.getTime() ?? null;
      return secret === null ? [] : [{ secret, createdAtMs: createdAt.getTime(), endsAtMs }];
    }),
    rotations: (doc.rotations ?? []).flatMap(({ sealed, at, ...inputs }): SecretRotation[] => {
      const secret = sealer.open(sealed, id);
      return secret === null ? [] : [{ ...inputs, secret, atMs: at.getTime() }];
    }),
    health: fromDocHealth(doc),
    createdAtMs: doc.createdAt.getTime(),
    changedAtMs: doc.changedAt.getTime(),
  };
}

export function toDocHealth(health: EndpointHealth) {
  const { failures, failingSinceMs, lastFailureMs, pausedUntilMs } = health;
  return {
    failures,
    failingSince: dateOrNull(failingSinceMs),
    lastFailureAt: dateOrNull(lastFailureMs),
    pausedUntil: pausedUntilMs === 0 ? null : dateOf(pausedUntilMs),
  };
}

function fromDocHealth(doc: EndpointDocument): EndpointHealth {
  return {
    failures: doc.failures,
    failingSinceMs: doc.failingSince?.getTime() ?? null,
    lastFailureMs: doc.lastFailureAt?.getTime() ?? null,
    pausedUntilMs: doc.pausedUntil?.getTime() ?? 0,
  };
}
