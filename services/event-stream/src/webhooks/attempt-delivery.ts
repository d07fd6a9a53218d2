import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { readRetryAfter } from '@inventory/http/retry-after';
import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { AttemptReport } from '../storage/delivery-claims.ts';
import { answerText } from './answer-text.ts';
import {
  afterFailure,
  type EndpointHealth,
  type HealthLimits,
  hasFailedTooLong,
  healthy,
} from './endpoint-health.domain.ts';
import type { EndpointStore } from './endpoint-store.ts';
import {
  type Attempt,
  type AttemptError,
  afterAttempt,
  pingType,
  type RetryRules,
  type WebhookDelivery,
} from './webhook-delivery.domain.ts';
import {
  type DisabledReason,
  signingSecrets,
  type WebhookEndpoint,
} from './webhook-endpoint.domain.ts';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.ts';
import { signatureHeaders } from './webhook-signature.ts';

export interface AttemptDeps {
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly recordAttempt: (report: AttemptReport) => Promise<unknown>;
  readonly endpoints: Pick<EndpointStore, 'findEndpoint' | 'updateEndpoint'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** In [0, 1). */
  readonly random: () => number;
  readonly retries: RetryRules;
  readonly health: HealthLimits;
  readonly onAttempt: (attempt: Attempt, delivery: WebhookDelivery) => void;
  readonly onDisabled: (reason: DisabledReason, endpointId: WebhookEndpointId) => void;
}

export interface RecordedAttempt {
  readonly attempt: Attempt;
  /** Ends when the result is stored; another request may start before. */
  readonly recorded: Promise<unknown>;
}

const goneStatus = 410;
const triesMax = 5;

/**
 * Sends a delivery and records the result: 1 send, 2 update the endpoint's health, 3 record the
 * attempt, after the return. After a crash following 1 or 2 it is sent again, with the same id, once the claim
 * expires. Health is written first: step 3 allows the next attempt, which must read it.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  endpoint: WebhookEndpoint,
  claimed: WebhookDelivery,
  signal: AbortSignal,
): Promise<RecordedAttempt> {
  const begunMs = monotonicNow();
  const answer = await deps.sender.send({ ...requestOf(deps, endpoint, claimed), signal });
  const atMs = deps.clock.now();
  const durationMs = Math.round(elapsedSince(begunMs));
  const attempt = attemptOf(answer, endpoint, { atMs, durationMs });
  const progress = afterAttempt(
    claimed,
    {
      isSuccess: attempt.error === null,
      atMs,
      retryAfterMs: answer.status === null ? null : readRetryAfter(answer.retryAfter, atMs),
      random: deps.random(),
    },
    deps.retries,
  );
  deps.onAttempt(attempt, claimed);
  const retryMs = progress.state === 'pending' ? progress.nextAttemptAtMs : null;
  if (claimed.type !== pingType) await recordHealth(deps, endpoint, attempt, retryMs);
  return { attempt, recorded: deps.recordAttempt({ claimed, attempt, progress }) };
}

function requestOf({ clock }: AttemptDeps, endpoint: WebhookEndpoint, delivery: WebhookDelivery) {
  const nowMs = clock.now();
  const { eventId: id, body } = delivery;
  const content = { id, timestamp: Math.floor(nowMs / 1_000), body };
  return {
    url: endpoint.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'game-item-inventory-webhooks/1',
      ...signatureHeaders(content, signingSecrets(endpoint, nowMs)),
    },
  };
}

function attemptOf(
  answer: WebhookAnswer,
  { secrets }: Pick<WebhookEndpoint, 'secrets'>,
  times: Pick<Attempt, 'atMs' | 'durationMs'>,
): Attempt {
  const { status } = answer;
  if (status === null) return { ...times, status, error: answer.error, responseBody: null };
  const responseBody = answerText(
    answer.start,
    secrets.map(({ secret }) => secret),
  );
  return { ...times, status, error: errorOf(status), responseBody };
}

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

async function recordHealth(
  deps: AttemptDeps,
  endpoint: WebhookEndpoint,
  attempt: Attempt,
  retryMs: number | null,
): Promise<void> {
  const { endpoints, logger } = deps;
  let read: WebhookEndpoint | null = endpoint;
  for (let tries = 0; tries < triesMax && read !== null; tries += 1) {
    const fields = healthFields(deps, read, attempt);
    if (fields === null) return;
    if (await endpoints.updateEndpoint(read, fields, retryMs)) {
      if (fields.disabledReason === undefined) return;
      const { id: endpoint_id, projectId: project_id } = endpoint;
      const reason = fields.disabledReason;
      logger.warn({ endpoint_id, project_id, reason }, 'webhook endpoint disabled');
      deps.onDisabled(reason, endpoint.id);
      return;
    }
    read = await endpoints.findEndpoint(endpoint.projectId, endpoint.id);
  }
}

interface HealthFields {
  readonly health: EndpointHealth;
  readonly state?: 'disabled';
  readonly disabledReason?: DisabledReason;
  readonly changedAtMs?: number;
}

/** Null when nothing changes. */
function healthFields(
  deps: AttemptDeps,
  { health, state }: WebhookEndpoint,
  attempt: Attempt,
): HealthFields | null {
  if (attempt.error === null) return health.failures === 0 ? null : { health: healthy };
  const next = afterFailure(health, attempt.atMs, deps.health);
  const reason = reasonToDisable(attempt, hasFailedTooLong(next, deps.health));
  if (reason === null || state === 'disabled') return { health: next };
  const disabled = {
    state: 'disabled',
    disabledReason: reason,
    changedAtMs: attempt.atMs,
  } as const;
  return { health: next, ...disabled };
}

function reasonToDisable(attempt: Attempt, failsTooLong: boolean): 'gone' | 'failing' | null {
  if (attempt.status === goneStatus) return 'gone';
  return failsTooLong ? 'failing' : null;
}
