import { closeSync } from 'node:fs';
import { type ProcessEnd, spawnOwned } from '@inventory/backends/owned-process';
import { pause } from '@inventory/runtime/wait';
import { openLog } from './log-file.ts';
import { readHealth, untilHealthy, untilListening } from './probe.ts';
import type { Environment } from './service-environment.ts';
import type { Launched } from './supervised-process.ts';

export interface ServiceLaunch {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Environment;
  readonly logFile: string;
  /** Answers 200 when the process can do its work. */
  readonly readyUrl: string;
  /** Answers 503 when only a new process helps. */
  readonly aliveUrl: string;
  /** A second address that must be listening before it counts as ready. */
  readonly listeningUrl: string | null;
}

const readyWithinMs = 90_000;
const stopWithinMs = 15_000;
const aliveEveryMs = 5_000;
const deadAnswersMax = 3;

/** Starts one Node process of the stack; it writes to its log and never outlives this process. */
export async function launchService(service: ServiceLaunch): Promise<Launched> {
  const log = openLog(service.logFile);
  const owned = await spawnOwned({
    command: process.execPath,
    args: service.args,
    spawn: { cwd: service.cwd, env: { ...service.environment }, stdio: ['ignore', log, log] },
  }).finally(() => closeSync(log));
  const over = new AbortController();
  let sickness: string | null = null;
  const ended = owned.ended.then((end) => {
    over.abort();
    return sickness ?? endInWords(end);
  });
  const answered = untilReady(service, over.signal);
  answered.then(
    () =>
      watchLiveness(service.aliveUrl, over.signal, (problem) => {
        sickness = `was no longer healthy (${problem})`;
        owned.signal('SIGKILL');
      }),
    () => {},
  );
  return {
    pid: owned.pid,
    answered,
    ended,
    signal: (signal) => owned.signal(signal),
    async end(abruptly) {
      if (!abruptly) {
        owned.signal('SIGTERM');
        // A paused process acts on SIGTERM only once it is continued.
        owned.signal('SIGCONT');
        if (await owned.untilEnd(stopWithinMs)) return;
      }
      owned.signal('SIGKILL');
      await owned.untilEnd(stopWithinMs);
    },
  };
}

async function untilReady(service: ServiceLaunch, signal: AbortSignal): Promise<void> {
  const options = { deadlineMs: readyWithinMs, signal };
  await untilHealthy(service.readyUrl, options);
  if (service.listeningUrl !== null) await untilListening(service.listeningUrl, options);
}

/** A process that does not answer at all may be paused or busy; only its own word counts. */
async function watchLiveness(
  url: string,
  signal: AbortSignal,
  onDead: (problem: string) => void,
): Promise<void> {
  let deadAnswers = 0;
  while (!signal.aborted) {
    await pause(aliveEveryMs, signal);
    if (signal.aborted) return;
    const health = await readHealth(url).catch(() => null);
    deadAnswers = health?.ok === false ? deadAnswers + 1 : 0;
    if (health !== null && deadAnswers >= deadAnswersMax) {
      onDead(health.problem);
      return;
    }
  }
}

function endInWords({ code, signal }: ProcessEnd): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
