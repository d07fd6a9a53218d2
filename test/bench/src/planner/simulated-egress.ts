import {
  acquireIdentity,
  freshIdentity,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
  pausedUntilMs,
  releaseIdentity,
  type SlotResult,
  spareUntilMs,
} from '@inventory/refresh-collector/egress/egress-identity.domain';
import type { PageTries } from '@inventory/refresh-collector/egress/page-verdicts.domain';
import type {
  SlotOrder,
  SlotRules,
  WaitingRequest,
} from '@inventory/refresh-collector/egress/slot-order.domain';
import type { Mix } from './mix.ts';
import type { SimulatedScan } from './simulated-scan.ts';
import type { VirtualTime } from './virtual-time.ts';

export const limits: IdentityLimits = {
  requestsPerMinute: 3,
  burst: 2,
  cooldownFirstMs: 90_000,
  cooldownMaxMs: 1_800_000,
  unreachableFirstMs: 10_000,
  unreachableMaxMs: 300_000,
};
export const pageMs = 1_000;
const yieldMs = 1_000;
export const connectTimeoutMs = 5_000;
const requestMaxMs = 40_000;
/** After these failures in a row an identity is expected to read no more than a page an hour. */
const failuresKnown = 7;

/** Why a page request had no response of the platform. */
export type Failure = Extract<SlotResult, { result: 'throttled' | 'unreachable' }>;

/** A request for a slot; without a scan it is a live page. */
export interface SimulatedRequest extends Omit<WaitingRequest, 'order'> {
  readonly scan: SimulatedScan | null;
  readonly tries: PageTries;
  readonly replica: number;
}

type Waiting = SimulatedRequest & WaitingRequest;

interface EgressDependencies {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly createSlotOrder: () => SlotOrder;
  /** A page request ended; without a failure the platform responded. */
  readonly onResponse: (
    request: SimulatedRequest,
    identityId: string,
    failure: Failure | null,
  ) => void;
  /** An identity failed that the plan counted on for a page or more. */
  readonly onLoss: () => void;
}

/** The identities and the requests that wait for them, by the real identity and slot rules. */
export class SimulatedEgress {
  readonly identities: IdentityState[];
  private readonly mix: Mix;
  private readonly dependencies: EgressDependencies;
  private readonly orders: readonly SlotOrder[];
  private waiting: Waiting[] = [];
  private rules: SlotRules = { urgentUntilMs: null, liveShare: 0.05 };
  private order = 0;

  constructor(mix: Mix, dependencies: EgressDependencies) {
    this.mix = mix;
    this.dependencies = dependencies;
    this.orders = Array.from({ length: mix.replicas }, dependencies.createSlotOrder);
    this.identities = Array.from({ length: mix.identities }, (_, index) =>
      freshIdentity(`identity-${index}`),
    );
  }

  request(request: SimulatedRequest): void {
    this.order += 1;
    this.waiting.push({ ...request, order: this.order });
    this.serve();
  }

  withdrawScan(scan: SimulatedScan): void {
    this.waiting = this.waiting.filter((request) => request.scan !== scan);
  }

  /** Live pages that were requested before this position in the order wait no longer. */
  withdrawLive(beforeOrder: number): void {
    this.waiting = this.waiting.filter(({ scan, order }) => scan !== null || order > beforeOrder);
  }

  /** The order of the last request. */
  get lastOrder(): number {
    return this.order;
  }

  follow(rules: SlotRules): void {
    this.rules = rules;
    this.serve();
  }

  /** Each replica serves its own requests through any free identity. */
  private serve(): void {
    const { replicas } = this.mix;
    const { time, random } = this.dependencies;
    for (const [index, identity] of this.identities.entries()) {
      if (nextRequestMs(identity, limits) > time.nowMs) continue;
      const first = Math.floor(random() * replicas);
      for (let step = 0; step < replicas; step += 1) {
        if (this.serveBy((first + step) % replicas, index, identity)) break;
      }
    }
  }

  private serveBy(replica: number, index: number, identity: IdentityState): boolean {
    const { time } = this.dependencies;
    const order = this.orders[replica];
    const own = this.waiting.filter((request) => request.replica === replica);
    const spareMs = spareUntilMs(identity, limits) - yieldMs;
    const canWait = spareMs > time.nowMs;
    const { id: identityId, liveCredit } = identity;
    const active = this.identities.filter((other) => pausedUntilMs(other) <= time.nowMs);
    const slot = {
      ...{ identityId, active: active.map(({ id }) => id), reads: [], liveCredit, canWait },
      ...{ claims: [], wasOwn: false },
    };
    const next = order?.next(own, this.rules, slot);
    if (!order || !next) {
      if (canWait && own.length > 0) time.at(spareMs, () => this.serve());
      return false;
    }
    const { request } = next;
    order.served(request);
    this.waiting = this.waiting.filter((other) => other !== request);
    this.read(request, index, { ...identity, liveCredit: next.liveCredit });
    return true;
  }

  private read(request: SimulatedRequest, index: number, identity: IdentityState): void {
    const { time, random, onResponse, onLoss } = this.dependencies;
    const failure = this.failureOf(index);
    const untilMs = time.nowMs + requestMaxMs;
    const taken = acquireIdentity(identity, limits, {
      ...{ token: 'held', nowMs: time.nowMs, untilMs, holder: String(request.replica) },
    });
    this.identities[index] = taken;
    const responseMs = pageMs * (0.5 + random());
    time.after(failure?.result === 'unreachable' ? connectTimeoutMs : responseMs, () => {
      const free = releaseIdentity(taken, limits, failure ?? { result: 'served' }, time.nowMs);
      this.identities[index] = free;
      if (failure && (failuresOf(taken) < failuresKnown || !this.servesAny())) onLoss();
      time.at(nextRequestMs(free, limits), () => this.serve());
      onResponse(request, identity.id, failure);
      this.serve();
    });
  }

  private servesAny(): boolean {
    return this.identities.some((_, index) => this.failureOf(index) === null);
  }

  private failureOf(index: number): Failure | null {
    const { deadIdentities, losses = [] } = this.mix;
    if (index < deadIdentities) return { result: 'unreachable' };
    const { nowMs } = this.dependencies.time;
    const loss = losses.find(
      ({ identity, fromMs, untilMs }) => identity === index && fromMs <= nowMs && nowMs < untilMs,
    );
    if (!loss) return null;
    return loss.result === 'throttled'
      ? { result: 'throttled', retryAfterMs: null }
      : { result: 'unreachable' };
  }
}

const failuresOf = ({ refusals, connectFailures }: IdentityState) => refusals + connectFailures;
