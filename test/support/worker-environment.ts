import { appendFileSync, readFileSync } from 'node:fs';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * An environment without a context of its own: the test files of a worker share its global object,
 * which each leaves as it was, and so can share packages (`worker-runtime.cjs`). With
 * TEST_CPU_REPORT set to a file, appends one line of JSON per test file: `{file, cpuSeconds}`, the
 * time of this process and of the child processes that it waited for.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes an environment as default export.
export default class WorkerEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #conditions: string[];
  readonly #file: string;
  readonly #startSeconds = cpuSeconds();
  readonly #globals = Object.getOwnPropertyDescriptors(globalThis);
  readonly #variables = { ...process.env };

  constructor({ projectConfig }: JestEnvironmentConfig, { testPath }: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.#conditions = projectConfig.testEnvironmentOptions['customExportConditions'] as string[];
    this.#file = testPath;
  }

  exportConditions(): string[] {
    return this.#conditions;
  }

  /** Of Jest's own loader, which is not used. */
  getVmContext(): object {
    return globalThis;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    restore(globalThis, this.#globals);
    restore(process.env, Object.getOwnPropertyDescriptors(this.#variables));
    const report = process.env['TEST_CPU_REPORT'];
    if (report === undefined) return;
    const line = { file: this.#file, cpuSeconds: cpuSeconds() - this.#startSeconds };
    appendFileSync(report, `${JSON.stringify(line)}\n`);
  }
}

/** Without what came, with what was there; what cannot be deleted stays. */
function restore(target: object, properties: PropertyDescriptorMap): void {
  for (const key of Reflect.ownKeys(target)) {
    if (!Object.hasOwn(properties, key)) Reflect.deleteProperty(target, key);
  }
  for (const key of Reflect.ownKeys(properties)) {
    Reflect.defineProperty(target, key, Reflect.get(properties, key));
  }
}

const ticksPerSecond = 100;

/** User and system time of this process and of its ended children; 0 where /proc is missing. */
function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / ticksPerSecond;
  } catch {
    return 0;
  }
}
