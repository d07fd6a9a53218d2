import { z } from 'zod';
import { defaultSettings } from './platform/world.ts';
import type { PlatformSimulatorOptions } from './platform-simulator.ts';

const whole = (byDefault: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(byDefault);

const { limits, latency } = defaultSettings;

const environment = z.object({
  SIMULATOR_HOST: z.string().min(1).default('127.0.0.1'),
  SIMULATOR_PORT: whole(0, 0, 65_535),
  SIMULATOR_WINDOW_SECONDS: whole(limits.windowSeconds, 0, 86_400),
  SIMULATOR_SLOTS: z
    .union([
      z.literal('unlimited').transform(() => null),
      z.coerce.number().int().min(0).max(1_000_000),
    ])
    .default(limits.slots),
  SIMULATOR_BLOCK_SECONDS: whole(limits.blockSeconds, 0, 86_400),
  SIMULATOR_LATENCY_MS: whole(latency.fixedMs, 0, 600_000),
  SIMULATOR_SLOW_MS: whole(latency.slowMs, 0, 600_000),
});

/** The options that the environment sets. Throws one error that names every bad setting. */
export function readSettings(env: Record<string, string | undefined>): PlatformSimulatorOptions {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.')}: ${issue.message}`,
    );
    throw new Error(`Bad settings: ${problems.join('; ')}`);
  }
  const said = parsed.data;
  return {
    host: said.SIMULATOR_HOST,
    port: said.SIMULATOR_PORT,
    limits: {
      windowSeconds: said.SIMULATOR_WINDOW_SECONDS,
      slots: said.SIMULATOR_SLOTS,
      blockSeconds: said.SIMULATOR_BLOCK_SECONDS,
    },
    latency: { fixedMs: said.SIMULATOR_LATENCY_MS, slowMs: said.SIMULATOR_SLOW_MS },
  };
}
