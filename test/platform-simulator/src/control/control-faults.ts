import { z } from 'zod';
import { failure } from '../platform/failures.ts';
import type { FaultRule } from '../platform/fault-rules.ts';
import type { World } from '../platform/world.ts';
import { type ControlAnswer, created, ok, refused, unknown, withBody } from './control-answer.ts';

const faultRulesMax = 10_000;

const faultBody = z.strictObject({
  failure,
  platform_id: z
    .string()
    .regex(/^[0-9]{17}$/, 'must be 17 digits')
    .optional(),
  app_id: z
    .int()
    .min(1)
    .max(2 ** 32 - 1)
    .optional(),
  context_id: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  identity: z.string().min(1).max(128).optional(),
  page: z.int().min(1).max(1_000_000).optional(),
  times: z.int().min(1).max(1_000_000).optional(),
  probability: z.number().min(0).max(1).optional(),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1),
});

export function addFault(world: World, body: unknown): ControlAnswer {
  return withBody(faultBody, body, (said) => {
    if (world.faultRules.size >= faultRulesMax) {
      return refused(`There are already ${faultRulesMax} fault rules.`);
    }
    const rule: FaultRule = {
      faultId: `fault-${world.nextSerial}`,
      failure: said.failure,
      platformId: said.platform_id,
      appId: said.app_id,
      contextId: said.context_id,
      identity: said.identity,
      page: said.page,
      times: said.times,
      probability: said.probability,
      seed: said.seed,
      seen: new Map(),
    };
    world.nextSerial += 1;
    world.faultRules.set(rule.faultId, rule);
    return created(wireRule(rule));
  });
}

export function readFaults(world: World): ControlAnswer {
  return ok({ faults: [...world.faultRules.values()].map(wireRule) });
}

export function removeFault(world: World, faultId: string): ControlAnswer {
  return world.faultRules.delete(faultId)
    ? ok({ removed: faultId })
    : unknown(`There is no fault rule ${faultId}.`);
}

export function removeFaults(world: World): ControlAnswer {
  world.faultRules.clear();
  return ok({ faults: [] });
}

function wireRule(rule: FaultRule) {
  return {
    fault_id: rule.faultId,
    failure: rule.failure,
    platform_id: rule.platformId,
    app_id: rule.appId,
    context_id: rule.contextId,
    identity: rule.identity,
    page: rule.page,
    times: rule.times,
    probability: rule.probability,
    seed: rule.seed,
    matched: [...rule.seen.values()].reduce((sum, seen) => sum + seen, 0),
  };
}
