import { type DescriptionTexts, newDescriptionTexts } from '../catalogue/description-texts.ts';
import type { InventoryChanges } from '../inventory/inventory-changes.ts';
import type { ScenarioProgress } from '../scenario/scenario-progress.ts';
import { type Counters, newCounters } from './counters.ts';
import type { FaultRule } from './fault-rules.ts';
import type { LimiterState } from './limiter.ts';

/** The platform's limits; the defaults are what is known of the real ones. */
type Limits = {
  readonly windowSeconds: number;
  /** Requests of one egress identity per window; null switches the limiter off. */
  readonly slots: number | null;
  readonly blockSeconds: number;
  /** The largest `count` that is served. */
  readonly countMax: number;
};

type Latency = {
  /** Added to every inventory response. */
  readonly fixedMs: number;
  /** Added to the responses of `slow` failures. */
  readonly slowMs: number;
};

/** `normal`, or a poor address: `bad_request` gets 400 null, `block_page` 403 null,
 * `firewall_html` 403 with a page, for everything. */
type IdentityMode = 'normal' | 'bad_request' | 'block_page' | 'firewall_html';

/** An account whose responses are held back, with those that wait. */
export type HeldAccount = { readonly laterPagesOnly: boolean; readonly waiting: Set<() => void> };

/** All state of the platform. `answer` and `control` change it and read nothing else. */
export type World = {
  limits: Limits;
  latency: Latency;
  readonly identityModes: Map<string, IdentityMode>;
  readonly limiters: Map<string, LimiterState>;
  readonly faultRules: Map<string, FaultRule>;
  /** Made private through the control endpoints. */
  readonly privateAccounts: Set<string>;
  readonly changes: Map<string, InventoryChanges>;
  readonly progress: Map<string, ScenarioProgress>;
  readonly counters: Counters;
  readonly held: Map<string, HeldAccount>;
  readonly descriptions: DescriptionTexts;
  nextFault: number;
};

export type WorldSettings = {
  readonly limits: Limits;
  readonly latency: Latency;
};

export const defaultSettings: WorldSettings = {
  limits: { windowSeconds: 60, slots: 6, blockSeconds: 60, countMax: 2_000 },
  latency: { fixedMs: 0, slowMs: 120_000 },
};

/** How many entries a map of the world keeps before it forgets the oldest. */
export const rememberedMax = 100_000;

export function newWorld(settings: WorldSettings): World {
  return {
    limits: settings.limits,
    latency: settings.latency,
    identityModes: new Map(),
    limiters: new Map(),
    faultRules: new Map(),
    privateAccounts: new Set(),
    changes: new Map(),
    progress: new Map(),
    counters: newCounters(),
    held: new Map(),
    descriptions: newDescriptionTexts(),
    nextFault: 1,
  };
}
