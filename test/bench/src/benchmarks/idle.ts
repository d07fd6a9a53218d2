import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { newInventory, openCustomer } from '../customer.ts';
import { cpuMs, proportionalMb, residentMb } from '../process-usage.ts';
import { lessIsBetter, type Row, reported } from '../row.ts';

/** A minute after their last use services poll rarely, and have returned their garbage. */
const quietMs = 100_000;
const refreshes = 20;
const goals = { cpuPercent: 3, memoryMb: 450 };

const leftAtMs = new WeakMap<Stack, number>();

/** Uses the services once; when they were left. */
async function useOnce(stack: Stack): Promise<number> {
  const left = leftAtMs.get(stack);
  if (left !== undefined) return left;
  const customer = await openCustomer(stack);
  const served = Array.from({ length: refreshes }, async () =>
    customer.completed(await customer.refresh(newInventory(1))),
  );
  await Promise.all(served);
  await customer.close();
  const nowMs = performance.now();
  leftAtMs.set(stack, nowMs);
  return nowMs;
}

/** Leaves the services idle while what uses none of them is measured. */
export const leaveIdle: Benchmark = {
  name: 'idle',
  run: ({ withStack }) =>
    withStack({}, async (stack) => {
      await useOnce(stack);
      return [];
    }),
};

/** (u) What five services use that were busy once and have nothing to do. */
export const idle: Benchmark = {
  name: 'idle',
  run: ({ withStack, quick }) =>
    withStack({}, async (stack) => {
      await pause(Math.max(0, (await useOnce(stack)) + quietMs - performance.now()));
      return measure(stack, quick ? 20_000 : 60_000);
    }),
};

async function measure(stack: Stack, lengthMs: number): Promise<Row[]> {
  const running = stack.services.flatMap(({ name, pid }) => (pid === null ? [] : { name, pid }));
  const before = running.map(({ pid }) => cpuMs(pid));
  await pause(lengthMs);
  const cpu = running.map(({ pid }, at) => ((cpuMs(pid) - (before[at] ?? 0)) / lengthMs) * 100);
  const sumOf = (each: (pid: number) => number) =>
    running.reduce((sum, { pid }) => sum + each(pid), 0);
  return [
    ...running.map(({ name }, at) => reported(`idle CPU, ${name}`, cpu[at] ?? Number.NaN, '%')),
    lessIsBetter({
      name: 'five idle services, share of a core',
      value: cpu.reduce((sum, one) => sum + one, 0),
      unit: '%',
      yardstick: goals.cpuPercent,
      floor: 0.4,
    }),
    ...running.map(({ name, pid }) => reported(`idle memory, ${name}`, residentMb(pid), 'MB')),
    lessIsBetter({
      name: 'five idle services, memory, shared pages once for each',
      value: sumOf(residentMb),
      unit: 'MB',
      yardstick: goals.memoryMb,
      floor: 0.6,
    }),
    lessIsBetter({
      name: 'five idle services, memory, shared pages once',
      value: sumOf(proportionalMb),
      unit: 'MB',
      yardstick: goals.memoryMb,
      floor: 0.9,
    }),
  ];
}
