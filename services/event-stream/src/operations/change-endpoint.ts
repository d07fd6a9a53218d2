import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import { healthy } from '../domain/endpoint-health.ts';
import { type AddressRules, checkWebhookUrl } from '../domain/webhook-address.ts';
import { type EventType, rotated, type WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { EndpointFields } from '../storage/endpoint-mapping.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { ProjectLog } from '../storage/project-log.ts';
import { invalidUrl } from './invalid-url.ts';

export interface ChangeEndpointDeps {
  readonly endpoints: Pick<EndpointStore, 'find' | 'save'>;
  readonly log: Pick<ProjectLog, 'head'>;
  readonly clock: Clock;
  readonly newSecret: () => string;
  readonly rules: AddressRules;
}

interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

/** What is absent stays as it is. */
export interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly state?: 'enabled' | 'disabled' | undefined;
}

/** Deliveries change an endpoint's health beside whoever changes the endpoint. */
const triesMax = 10;

/**
 * Throws `webhook_endpoint_not_found`, `invalid_request` for its URL and `concurrent_change`, the
 * last while other changes come first each time.
 */
export async function changeEndpoint(
  deps: ChangeEndpointDeps,
  named: NamedEndpoint,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const { state, url, ...plain } = change;
  const checked = url === undefined ? undefined : checkWebhookUrl(url, deps.rules);
  if (checked?.result === 'invalid') throw invalidUrl(checked.reason);
  return update(deps, named, async (endpoint) => ({
    ...given(plain),
    ...(checked && { url: checked.url }),
    ...(state !== undefined && state !== endpoint.state && (await switched(deps, endpoint, state))),
    changedAtMs: deps.clock.now(),
  }));
}

/** The present secret signs on beside the new one until the overlap is over. */
export function rotateSecret(
  deps: ChangeEndpointDeps,
  named: NamedEndpoint,
  overlapMs: number,
): Promise<WebhookEndpoint> {
  const secret = deps.newSecret();
  return update(deps, named, async ({ secrets }) => {
    const nowMs = deps.clock.now();
    return { secrets: rotated(secrets, { secret, overlapMs, nowMs }), changedAtMs: nowMs };
  });
}

/**
 * Switched on, an endpoint starts from what is appended next: what it missed is sent when somebody
 * asks for it, and not all at once.
 */
async function switched(
  { log }: Pick<ChangeEndpointDeps, 'log'>,
  { projectId }: WebhookEndpoint,
  state: 'enabled' | 'disabled',
): Promise<Partial<EndpointFields>> {
  if (state === 'disabled') return { state, disabledReason: 'requested' };
  const nextPosition = (await log.head(projectId)) + 1;
  return { state, disabledReason: null, health: healthy, nextPosition };
}

async function update(
  { endpoints }: Pick<ChangeEndpointDeps, 'endpoints'>,
  { projectId, endpointId }: NamedEndpoint,
  fieldsOf: (endpoint: WebhookEndpoint) => Promise<Partial<EndpointFields>>,
): Promise<WebhookEndpoint> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const endpoint = await endpoints.find(projectId, endpointId);
    if (endpoint === null) throw new Refused({ code: 'webhook_endpoint_not_found' });
    const fields = await fieldsOf(endpoint);
    if (await endpoints.save(endpoint, fields)) {
      return { ...endpoint, ...fields, version: endpoint.version + 1 };
    }
  }
  throw new Refused({ code: 'concurrent_change' });
}

function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
