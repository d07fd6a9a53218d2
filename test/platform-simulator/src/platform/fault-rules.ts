import { setBounded } from '../bounded-map.ts';
import { hashText } from '../seeded-hash.ts';
import { type Failure, type Stage, stageOf } from './failures.ts';

/** A failure planned through the control endpoints, for all requests that match what it names. */
export type FaultRule = {
  readonly faultId: string;
  readonly failure: Failure;
  readonly platformId?: string | undefined;
  readonly appId?: number | undefined;
  readonly contextId?: number | undefined;
  readonly identity?: string | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  /** Strikes so many times for each (inventory, page), then never again there. */
  readonly times?: number | undefined;
  /** Strikes with this probability, decided by the seed and how often that page was asked. */
  readonly probability?: number | undefined;
  readonly seed: number;
  /** Matching requests so far, by inventory and page. */
  readonly seen: Map<string, number>;
};

export type FaultTarget = {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
  readonly identity: string;
  readonly pageNumber: number;
};

const seenMax = 100_000;

/** The first rule that strikes a request at this stage; counts the request for the rules it matched. */
export function takeRuleFailure(
  rules: Iterable<FaultRule>,
  stage: Stage,
  target: FaultTarget,
): Failure | undefined {
  for (const rule of rules) {
    if (stageOf(rule.failure) === stage && matches(rule, target) && strikes(rule, target)) {
      return rule.failure;
    }
  }
  return undefined;
}

function matches(rule: FaultRule, target: FaultTarget): boolean {
  const same = <T>(wanted: T | undefined, actual: T) => wanted === undefined || wanted === actual;
  return (
    same(rule.platformId, target.platformId) &&
    same(rule.appId, target.appId) &&
    same(rule.contextId, target.contextId) &&
    same(rule.identity, target.identity) &&
    same(rule.page, target.pageNumber)
  );
}

function strikes(rule: FaultRule, target: FaultTarget): boolean {
  const key = `${target.platformId}/${target.appId}/${target.contextId}/${target.pageNumber}`;
  const seen = rule.seen.get(key) ?? 0;
  setBounded(rule.seen, key, seen + 1, seenMax);
  if (rule.probability !== undefined) {
    const roll = hashText(rule.seed, `${key}/${seen}`) / 2 ** 32;
    return roll < rule.probability && (rule.times === undefined || seen < rule.times);
  }
  return rule.times === undefined || seen < rule.times;
}
