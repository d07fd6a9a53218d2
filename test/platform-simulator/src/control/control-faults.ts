import { z } from 'zod';
import { failure } from '../platform/failures.ts';
import type { World } from '../platform/world.ts';

const whole = z.int().min(1).optional();

const faultBody = z.strictObject({
  failure,
  platform_id: z
    .string()
    .regex(/^[0-9]{17}$/, 'must be 17 digits')
    .optional(),
  app_id: whole,
  page: whole,
  times: whole,
});

export function addFault(world: World, body: unknown) {
  const said = faultBody.parse(body);
  const fault_id = `fault-${world.nextFault}`;
  world.nextFault += 1;
  world.faultRules.set(fault_id, {
    failure: said.failure,
    platformId: said.platform_id,
    appId: said.app_id,
    page: said.page,
    times: said.times,
    seen: new Map(),
  });
  return { fault_id };
}
