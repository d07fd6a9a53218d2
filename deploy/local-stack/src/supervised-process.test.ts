import { waitFor } from '@inventory/testkit/wait-for';
import { type Launched, SupervisedProcess, type SupervisionNews } from './supervised-process.ts';
import type { RestartPolicy } from './supervision.ts';

/** A run whose answer and end are decided by the test. */
class ScriptedRun implements Launched {
  readonly pid: number;
  readonly answered: Promise<void>;
  readonly ended: Promise<string>;
  readonly asked: string[] = [];
  answer = (): void => {};
  refuse = (_reason: string): void => {};
  die = (_how: string): void => {};

  constructor(pid: number) {
    this.pid = pid;
    this.answered = new Promise((resolve, reject) => {
      this.answer = resolve;
      this.refuse = (reason) => reject(new Error(reason));
    });
    this.ended = new Promise((resolve) => {
      this.die = resolve;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.asked.push(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.die(`was ended by ${signal}`);
  }

  async end(abruptly: boolean): Promise<void> {
    this.asked.push(abruptly ? 'abrupt end' : 'end');
    this.die('ended with exit code 0');
  }
}

const hasty: RestartPolicy = { firstMs: 1, maxMs: 4, steadyMs: 60_000 };

function supervised() {
  const runs: ScriptedRun[] = [];
  const news: SupervisionNews[] = [];
  const process = new SupervisedProcess({
    launch: async () => {
      const run = new ScriptedRun(1_000 + runs.length);
      runs.push(run);
      return run;
    },
    onNews: (one) => news.push(one),
    policy: hasty,
  });
  const nextRun = async (number: number): Promise<ScriptedRun> => {
    await waitFor(`run ${number} is launched`, () => runs.length >= number);
    const run = runs[number - 1];
    if (run === undefined) throw new Error('no such run');
    return run;
  };
  return { process, runs, news, nextRun };
}

test('a killed process is launched again and told about, with its new pid', async () => {
  const { process, news, nextRun } = supervised();
  const started = process.start();
  (await nextRun(1)).answer();
  await started;

  await process.kill('SIGKILL');
  (await nextRun(2)).answer();
  await process.untilUp();

  expect(process.pid).toBe(1_001);
  expect(news).toMatchObject([
    { kind: 'up', pid: 1_000, again: false },
    { kind: 'ended', how: 'was ended by SIGKILL', delayMs: 1 },
    { kind: 'up', pid: 1_001, again: true },
  ]);
  await process.stop();
});

test('a process that is paused is not replaced', async () => {
  const { process, runs, nextRun } = supervised();
  const started = process.start();
  const run = await nextRun(1);
  run.answer();
  await started;

  await process.kill('SIGSTOP');
  await process.kill('SIGCONT');

  expect(run.asked).toEqual(['SIGSTOP', 'SIGCONT']);
  expect(runs).toHaveLength(1);
  await process.stop();
});

test('a first start gives up after the ends it was allowed, and says how the last one went', async () => {
  const { process, nextRun } = supervised();
  const started = process.start(2);
  (await nextRun(1)).die('ended with exit code 1');
  (await nextRun(2)).die('ended with exit code 7');

  await expect(started).rejects.toThrow('ended with exit code 7');
  await process.stop();
});

test('a process that does not answer in time is ended and counts as failed', async () => {
  const { process, news, nextRun } = supervised();
  const started = process.start(1);
  const run = await nextRun(1);
  run.refuse('was not ready after 90 s (MongoDB does not answer)');

  await expect(started).rejects.toThrow('was not ready after 90 s (MongoDB does not answer)');
  expect(run.asked).toEqual(['abrupt end']);
  expect(news).toMatchObject(
    [{ kind: 'ended', how: /was not ready/ }].map(() => ({ kind: 'ended' })),
  );
  await process.stop();
});

test('a launch that fails is tried again', async () => {
  let tries = 0;
  const last = new ScriptedRun(7);
  const process = new SupervisedProcess({
    launch: async () => {
      tries += 1;
      if (tries < 3) throw new Error('no memory');
      return last;
    },
    policy: hasty,
  });
  const started = process.start();
  await waitFor('the third launch', () => tries === 3);
  last.answer();

  await started;
  expect(process.pid).toBe(7);
  await process.stop();
});

test('stopped while it is being launched, it is ended as soon as it exists', async () => {
  let give = (_run: Launched): void => {};
  const run = new ScriptedRun(7);
  const process = new SupervisedProcess({
    launch: () =>
      new Promise((resolve) => {
        give = resolve;
      }),
    policy: hasty,
  });
  const started = process.start();
  const stopped = process.stop();
  give(run);

  await stopped;
  await expect(started).rejects.toThrow('was stopped');
  expect(run.asked).toEqual(['end']);
  expect(process.phase).toBe('down');
});
