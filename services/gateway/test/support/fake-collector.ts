import { refreshRecord } from '@inventory/contracts/http/refresh';
import type { ServiceStatus } from '@inventory/contracts/http/status';
import type { RefreshId } from '@inventory/contracts/ids';
import { type RefreshView, refreshApi } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { MessageBus, ReceivedMessageOf } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { z } from 'zod';
import { queuedRecord } from '../../src/http/openapi/examples.ts';
import { createFakeLivePages, type FakeLivePages } from './fake-live-pages.ts';
import {
  type HttpFake,
  jsonResponse,
  noRouteResponse,
  refusalResponse,
  startHttpFake,
} from './http-fake.ts';
import { createSightings } from './sightings.ts';

type Request = MessageBody<'refresh.request.v1'>;
type Cancel = MessageBody<'refresh.cancel.v1'>;
type Decision = MessageBody<'reply.refresh-decision.v1'>;
type DecisionOf<Kind> = Omit<Extract<Decision, { decision: Kind }>, 'waitingId' | 'refreshId'>;
export type FakeDecision = {
  [Kind in Decision['decision']]: DecisionOf<Kind>;
}[Decision['decision']];

/** A collector that fulfils its contract unless a test configures another behaviour. */
export interface FakeCollector {
  readonly http: HttpFake;
  readonly requests: Request[];
  /** Queries of lists. */
  readonly listed: Readonly<Record<string, string>>[];
  readonly cancels: Cancel[];
  readonly views: Map<RefreshId, RefreshView>;
  readonly live: FakeLivePages;
  /** How often each refresh was asked for. */
  readonly reads: Map<RefreshId, number>;
  /** What to decide on a request; null gives no answer at all. */
  decide: (request: Request) => FakeDecision | null | Promise<FakeDecision | null>;
  /** What the admission of an attempt that is only looked up would refuse. */
  admission: RefreshRefusal | null;
  /** Whether a saved observation answers an attempt that allows it. */
  isSaved: boolean;
  /** Whether and how to answer a cancel; null gives no answer. */
  replyToCancel: (cancel: Cancel) => MessageBody<'reply.refresh-cancel.v1'>['result'] | null;
  /** Whether it names the gateway among the callers of its status. */
  knowsGateway: boolean;
  /** How often each decision is sent. */
  repliesPerDecision: number;
  /** Back to keeping promises. */
  reset(): void;
  close(): Promise<void>;
}

export const accepted = {
  decision: 'accepted',
  priceVersion: 1,
  creditsReserved: 125,
  deadlineAtMs: systemClock.now() + 1_800_000,
  retryAfterSeconds: 7,
} as const satisfies FakeDecision;

const exampleStatus: ServiceStatus = {
  atMs: Date.UTC(2026, 0, 15, 10),
  admission: { state: 'open', reason: null },
  expectedWaitSeconds: 14,
  circuitBreakers: [],
  quarterHours: [],
};

export function refused(refusal: RefreshRefusal): FakeDecision {
  return { decision: 'refused', refusal };
}

export async function startFakeCollector(bus: MessageBus): Promise<FakeCollector> {
  const byProjectKey = new Map<string, RefreshId>();
  const views = new Map<RefreshId, RefreshView>();
  const sightings = createSightings();

  /** As the real one: who inserts the pair first wins, a refused attempt gives it back. */
  function admit(request: Request): FakeDecision {
    const key = `${request.projectId} ${request.idempotencyKey}`;
    const winner = request.idempotencyKey === null ? undefined : byProjectKey.get(key);
    if (winner !== undefined) return { decision: 'duplicate', winnerRefreshId: winner };
    byProjectKey.set(key, request.refreshId);
    views.set(request.refreshId, viewOf(request));
    return accepted;
  }

  async function onRequest(message: ReceivedMessageOf<'refresh.request.v1'>): Promise<void> {
    if (sightings.isFirst(message)) fake.requests.push(message.body);
    const decision = await fake.decide(message.body);
    if (decision === null || message.waitingId === undefined) return;
    const {
      waitingId,
      body: { refreshId },
    } = message;
    const body = { waitingId, refreshId, ...decision } as Decision;
    const reply = { type: 'reply.refresh-decision.v1', id: `reply:${message.id}`, body } as const;
    await bus.publish(Array.from({ length: fake.repliesPerDecision }, () => reply));
  }

  async function onCancel(message: ReceivedMessageOf<'refresh.cancel.v1'>): Promise<void> {
    if (sightings.isFirst(message)) fake.cancels.push(message.body);
    const result = fake.replyToCancel(message.body);
    if (result === null || message.waitingId === undefined) return;
    const { refreshId } = message.body;
    await bus.publish([
      {
        type: 'reply.refresh-cancel.v1',
        id: `reply:${message.id}`,
        body: { waitingId: message.waitingId, refreshId, result },
      },
    ]);
  }

  const http = await startHttpFake((url, request) => {
    if (url.pathname.endsWith('/live-page')) return fake.live.respond(url, request);
    const [, collection, id, part] = url.pathname.split('/');
    if (collection === 'refreshes') {
      const view = views.get(id ?? '');
      fake.reads.set(id ?? '', (fake.reads.get(id ?? '') ?? 0) + 1);
      if (!view) return refusalResponse({ code: 'refresh_not_found' });
      // An estimate that must not be in an answer.
      const isInterim = url.searchParams.has('interim') && view.retryAfterSeconds !== null;
      return encoded(refreshApi.readRefresh, isInterim ? { ...view, retryAfterSeconds: 60 } : view);
    }
    if (collection === 'projects' && part === 'refreshes') {
      fake.listed.push(Object.fromEntries(url.searchParams));
      return encoded(
        refreshApi.listRefreshes,
        listOf([...views.values()], id ?? '', url.searchParams),
      );
    }
    if (collection === 'projects' && part === 'attempt') {
      const isKnown = byProjectKey.has(`${id} ${url.searchParams.get('idempotency_key')}`);
      const isSaved = fake.isSaved && url.searchParams.has('max_age_seconds');
      return encoded(refreshApi.readAttempt, {
        isKnownKey: isKnown,
        refusal: isKnown ? null : fake.admission,
        isSaved,
      });
    }
    if (url.pathname === '/status') {
      return fake.knowsGateway
        ? encoded(refreshApi.readStatus, exampleStatus)
        : refusalResponse({ code: 'caller_not_permitted' });
    }
    return noRouteResponse;
  });

  const promises = {
    admission: null,
    isSaved: false,
    decide: admit,
    replyToCancel: ({ refreshId }: Cancel) =>
      views.has(refreshId) ? ('cancelling' as const) : ('not_found' as const),
    repliesPerDecision: 1,
    knowsGateway: true,
  };
  const fake: FakeCollector = {
    http,
    requests: [],
    listed: [],
    cancels: [],
    views,
    live: createFakeLivePages(),
    reads: new Map(),
    ...promises,
    reset: () => {
      Object.assign(fake, promises);
      fake.live.reset();
    },
    close: () => http.close(),
  };
  await bus.consume({
    group: 'fake-collector',
    topics: ['refresh.commands.v1'],
    onBatch: byKey({ 'refresh.request.v1': onRequest, 'refresh.cancel.v1': onCancel }, 50),
  });
  return fake;
}

/** As an internal route answers. */
const encoded = <Result extends z.ZodType>(
  { response }: { readonly response: Result },
  value: z.output<Result>,
) => jsonResponse(z.encode(response, value));

export function viewOf(request: Request, overrides: Partial<RefreshView> = {}): RefreshView {
  return {
    accountId: request.accountId,
    projectId: request.projectId,
    fingerprint: request.fingerprint,
    decision: 'accepted',
    refusal: null,
    acceptance: { priceVersion: 1, creditsReserved: 125 },
    record: {
      ...z.decode(refreshRecord, queuedRecord),
      refreshId: request.refreshId,
      scope: request.scope,
      requestedAtMs: request.requestedAtMs,
      deadlineAtMs: systemClock.now() + 1_800_000,
    },
    retryAfterSeconds: 3,
    expectedCompletedAtMs: systemClock.now() + 3_000,
    ...overrides,
  };
}

/** The same refresh, finished. */
export function completedView(view: RefreshView): RefreshView {
  const billing = { ...view.record.billing, creditsCharged: 1, creditsReleased: 124 };
  return {
    ...view,
    retryAfterSeconds: null,
    expectedCompletedAtMs: null,
    record: {
      ...view.record,
      state: 'completed',
      completedAtMs: systemClock.now(),
      deadlineAtMs: null,
      outcome: 'complete_changed',
      billingState: 'finalized',
      billingDisposition: 'finalize_complete',
      billing: { ...billing, state: 'finalized', disposition: 'finalize_complete' },
    },
  };
}

function isOfCharge({ billing }: RefreshView['record'], wanted: string | null): boolean {
  const charged = billing.unitsCharged ?? billing.creditsCharged;
  return wanted === null || (charged !== null && String(charged > 0) === wanted);
}

function listOf(views: readonly RefreshView[], ofProject: string, query: URLSearchParams) {
  const states = query.getAll('state');
  const ids = query.getAll('refresh_id');
  const outcomes = query.getAll('outcome');
  const place = query.get('platform_id');
  const before = `${query.get('before_requested_at') ?? '~'} ${query.get('before_refresh_id')}`;
  const position = ({ record }: RefreshView) =>
    `${isoTime(record.requestedAtMs)} ${record.refreshId}`;
  const found = views
    .filter(({ projectId }) => projectId === ofProject)
    .filter(({ record }) => states.length === 0 || states.includes(record.state))
    .filter(({ record }) => ids.length === 0 || ids.includes(record.refreshId))
    .filter(({ record }) => outcomes.length === 0 || outcomes.includes(record.outcome ?? ''))
    .filter(({ record }) => place === null || place === record.scope.platform_id)
    .filter(({ record }) => isoTime(record.requestedAtMs) >= (query.get('from') ?? ''))
    .filter(({ record }) => isoTime(record.requestedAtMs) < (query.get('to') ?? '~'))
    .filter(({ record }) => (query.get('watch_id') ?? record.watchId) === record.watchId)
    .filter(({ record }) => isOfCharge(record, query.get('charged')))
    .filter((view) => position(view) < before)
    .sort((left, right) => (position(left) < position(right) ? 1 : -1));
  const limit = Number(query.get('limit'));
  return {
    items: found.slice(0, limit).map(({ record }) => record),
    hasMore: found.length > limit,
  };
}
