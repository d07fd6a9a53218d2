import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import type { ProjectLog } from '../log/project-log-store.ts';
import { healthy } from './endpoint-health.domain.ts';
import type { EndpointFields } from './endpoint-mapping.ts';
import type { EndpointStore } from './endpoint-store.ts';
import { invalidUrl } from './invalid-url.ts';
import { decideRotation, type WantedRotation } from './secret-rotation.domain.ts';
import { type AddressRules, parseWebhookUrl } from './webhook-address.domain.ts';
import type { EventType, WebhookEndpoint } from './webhook-endpoint.domain.ts';

export interface ChangeEndpointDeps {
  readonly endpoints: Pick<EndpointStore, 'findEndpoint' | 'updateEndpoint'>;
  readonly log: Pick<ProjectLog, 'readHead'>;
  readonly clock: Clock;
  readonly newSecret: () => string;
  readonly rules: AddressRules;
}

interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

/** Absent fields do not change. */
export interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly state?: 'enabled' | 'disabled' | undefined;
}

/** Deliveries update the health of an endpoint concurrently with its changes. */
const triesMax = 10;

/**
 * Throws `webhook_endpoint_not_found`, `invalid_request` for its URL and `concurrent_change`, the
 * last when every try loses to another change.
 */
export async function changeEndpoint(
  deps: ChangeEndpointDeps,
  named: NamedEndpoint,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const { state, url, ...plain } = change;
  const checked = url === undefined ? undefined : parseWebhookUrl(url, deps.rules);
  if (checked?.result === 'invalid') throw invalidUrl(checked.reason);
  return update(deps, named, async (endpoint) => ({
    ...given(plain),
    ...(checked && { url: checked.url }),
    ...(state !== undefined && state !== endpoint.state && (await switched(deps, endpoint, state))),
    changedAtMs: deps.clock.now(),
  }));
}

export interface RotatedSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
  /** The key was used before: nothing changed. */
  readonly isRepeated: boolean;
}

/**
 * The present secret continues to sign beside the new one until the overlap ends. Throws
 * `webhook_endpoint_not_found`, `idempotency_conflict`, `secret_rotation_in_progress` and
 * `concurrent_change`.
 */
export async function rotateSecret(
  deps: ChangeEndpointDeps,
  named: NamedEndpoint,
  wanted: WantedRotation,
): Promise<RotatedSecret> {
  const made = deps.newSecret();
  let repeated: string | null = null;
  const endpoint = await update(deps, named, async (read) => {
    const nowMs = deps.clock.now();
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
  return { endpoint, secret: repeated ?? made, isRepeated: repeated !== null };
}

/**
 * An endpoint that is enabled starts with the next event that is appended. Missed events are sent
 * by redelivery only, which avoids a burst.
 */
async function switched(
  { log }: Pick<ChangeEndpointDeps, 'log'>,
  { projectId }: WebhookEndpoint,
  state: 'enabled' | 'disabled',
): Promise<Partial<EndpointFields>> {
  if (state === 'disabled') return { state, disabledReason: 'requested' };
  const nextPosition = (await log.readHead(projectId)) + 1;
  return { state, disabledReason: null, health: healthy, nextPosition };
}

/** Null fields: nothing changes. */
async function update(
  { endpoints }: Pick<ChangeEndpointDeps, 'endpoints'>,
  { projectId, endpointId }: NamedEndpoint,
  fieldsOf: (endpoint: WebhookEndpoint) => Promise<Partial<EndpointFields> | null>,
): Promise<WebhookEndpoint> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const endpoint = await endpoints.findEndpoint(projectId, endpointId);
    if (endpoint === null) throw new Refused({ code: 'webhook_endpoint_not_found' });
    const fields = await fieldsOf(endpoint);
    if (fields === null) return endpoint;
    if (await endpoints.updateEndpoint(endpoint, fields)) {
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
