import { type Failure, type Stage, stageOf } from './failures.ts';
import { type InventoryRequest, inventoryKey } from './inventory-request.ts';

/** A failure planned through the control endpoints, for all requests that match what it names. */
export type FaultRule = {
  readonly failure: Failure;
  readonly platformId: string | undefined;
  readonly appId: number | undefined;
  /** From 1. */
  readonly page: number | undefined;
  /** Strikes so many times for each (inventory, page), then never again there. */
  readonly times: number | undefined;
  /** Matching requests so far, by inventory and page. */
  readonly seen: Map<string, number>;
};

type Target = { readonly request: InventoryRequest; readonly pageNumber: number };

/** The first rule that strikes a request at this stage; counts the request for the rules it matched. */
export function takeRuleFailure(
  rules: Iterable<FaultRule>,
  stage: Stage,
  target: Target,
): Failure | undefined {
  for (const rule of rules) {
    if (stageOf(rule.failure) === stage && matches(rule, target) && strikes(rule, target)) {
      return rule.failure;
    }
  }
  return undefined;
}

function matches(rule: FaultRule, { request, pageNumber }: Target): boolean {
  const same = <T>(wanted: T | undefined, actual: T) => wanted === undefined || wanted === actual;
  return (
    same(rule.platformId, request.platformId) &&
    same(rule.appId, request.appId) &&
    same(rule.page, pageNumber)
  );
}

function strikes({ times, seen }: FaultRule, { request, pageNumber }: Target): boolean {
  if (times === undefined) return true;
  const key = `${inventoryKey(request)}/${pageNumber}`;
  const before = seen.get(key) ?? 0;
  seen.set(key, before + 1);
  return before < times;
}
