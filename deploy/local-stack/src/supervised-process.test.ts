import { waitFor } from '@inventory/testkit/wait-for';
import { type Launched, SupervisedProcess } from './supervised-process.ts';

/** A run that never answers and ends when the test says how. */
function scriptedRun(pid: number) {
  const { promise: ended, resolve: die } = Promise.withResolvers<string>();
  const run: Launched = {
    pid,
    answered: new Promise(() => {}),
    ended,
    signal: (signal) => die(`was ended by ${signal}`),
    end: async () => die('ended with exit code 0'),
  };
  return { run, die };
}

test('a first start gives up after the ends it was allowed, and says how the last one went', async () => {
  const runs: ReturnType<typeof scriptedRun>[] = [];
  const process = new SupervisedProcess({
    launch: async () => {
      const launched = scriptedRun(1_000 + runs.length);
      runs.push(launched);
      return launched.run;
    },
    policy: { firstMs: 1, maxMs: 4, steadyMs: 60_000 },
  });
  const started = process.start(2);
  const refused = expect(started).rejects.toThrow('ended with exit code 7');

  for (const [run, code] of [1, 7].entries()) {
    await waitFor('it is launched', () => runs.length > run);
    runs[run]?.die(`ended with exit code ${code}`);
  }

  await refused;
  await process.stop();
});
