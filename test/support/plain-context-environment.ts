import { appendFileSync, readFileSync } from 'node:fs';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's Node environment with an ordinary global object: in Jest's own, each use of a global name
 * (`Math`, `JSON`, `Buffer`) goes through an interceptor, and tests run at a half to a third of
 * the speed. With TEST_CPU_REPORT set to a file, appends one line of JSON per test file:
 * `{file, cpuSeconds}`, the time of this process and of the child processes that it waited for.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes an environment as default export.
export default class PlainContextEnvironment extends TestEnvironment {
  readonly #file: string;
  readonly #startSeconds = cpuSeconds();

  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    Object.assign(vm, { createContext: () => createContext(vm.constants.DONT_CONTEXTIFY) });
    try {
      super(...options);
    } finally {
      Object.assign(vm, { createContext });
    }
    this.#file = options[1].testPath;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    const report = process.env['TEST_CPU_REPORT'];
    if (report === undefined) return;
    const line = { file: this.#file, cpuSeconds: cpuSeconds() - this.#startSeconds };
    appendFileSync(report, `${JSON.stringify(line)}\n`);
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
