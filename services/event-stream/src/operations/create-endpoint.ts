import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { healthy } from '../domain/endpoint-health.ts';
import { type AddressRules, checkWebhookUrl } from '../domain/webhook-address.ts';
import type { EventType, WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { ProjectLog } from '../storage/project-log.ts';
import type { Done } from './endpoint-refusal.ts';

export interface CreateEndpointDeps {
  readonly endpoints: Pick<EndpointStore, 'insert'>;
  readonly log: Pick<ProjectLog, 'head'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly newSecret: () => string;
  readonly rules: AddressRules;
  readonly endpointsMax: number;
}

export interface WantedEndpoint {
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly url: string;
  readonly types: readonly EventType[];
  readonly description: string | null;
}

/** A new endpoint is sent what is appended from now on. */
export async function createEndpoint(
  deps: CreateEndpointDeps,
  wanted: WantedEndpoint,
): Promise<Done<WebhookEndpoint>> {
  const checked = checkWebhookUrl(wanted.url, deps.rules);
  if (!checked.ok) return { ok: false, refusal: 'invalid_url', reason: checked.reason };
  const nowMs = deps.clock.now();
  const endpoint: WebhookEndpoint = {
    ...wanted,
    id: `whe_${deps.identifiers.uuidV7()}`,
    url: checked.url,
    state: 'enabled',
    disabledReason: null,
    secrets: [{ secret: deps.newSecret(), createdAtMs: nowMs, endsAtMs: null }],
    nextPosition: (await deps.log.head(wanted.projectId)) + 1,
    health: healthy,
    version: 1,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  const inserted = await deps.endpoints.insert(endpoint, deps.endpointsMax);
  return inserted
    ? { ok: true, value: endpoint }
    : { ok: false, refusal: 'endpoint_limit_reached' };
}
