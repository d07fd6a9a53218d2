import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { ProjectLog } from '../log/project-log-store.ts';
import { healthy } from './endpoint-health.domain.ts';
import type { EndpointStore } from './endpoint-store.ts';
import { invalidUrl } from './invalid-url.ts';
import { type AddressRules, parseWebhookUrl } from './webhook-address.domain.ts';
import type { EventType, WebhookEndpoint } from './webhook-endpoint.domain.ts';

export interface CreateEndpointDeps {
  readonly endpoints: Pick<EndpointStore, 'insertEndpoint'>;
  readonly log: Pick<ProjectLog, 'readHead'>;
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

/**
 * A new endpoint receives what is appended from now on. Throws `invalid_request` for its URL and
 * `webhook_endpoint_limit_reached`.
 */
export async function createEndpoint(
  deps: CreateEndpointDeps,
  wanted: WantedEndpoint,
): Promise<WebhookEndpoint> {
  const checked = parseWebhookUrl(wanted.url, deps.rules);
  if (checked.result === 'invalid') throw invalidUrl(checked.reason);
  const nowMs = deps.clock.now();
  const endpoint: WebhookEndpoint = {
    ...wanted,
    id: `whe_${deps.identifiers.uuidV7()}`,
    url: checked.url,
    state: 'enabled',
    disabledReason: null,
    secrets: [{ secret: deps.newSecret(), createdAtMs: nowMs, endsAtMs: null }],
    rotations: [],
    nextPosition: (await deps.log.readHead(wanted.projectId)) + 1,
    health: healthy,
    version: 1,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  const { endpointsMax: limit } = deps;
  if (await deps.endpoints.insertEndpoint(endpoint, limit)) return endpoint;
  throw new Refused({ code: 'webhook_endpoint_limit_reached', detail: { limit } });
}
