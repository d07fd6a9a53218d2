import { EventEmitter } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import type { Environment } from './environment.ts';
import { logTail } from './log-file.ts';
import { type OwnedProcess, type ProcessEnd, spawnOwned } from './owned-process.ts';
import type { OnProgress } from './progress.ts';
import { messageOf, SetupError } from './setup-error.ts';

export interface ManagedProcessOptions {
  /** As shown on the screen: `Kafka`, `gateway-2`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Environment;
  /** Takes both output streams; appended to. */
  readonly logFile: string;
  /** Holds the process id while the process runs. */
  readonly pidFile?: string;
  /** Probes whether the process is ready; rejects while it is not. */
  readonly probe: () => Promise<void>;
  /** Resolves with a problem that only a new process solves; without one, after the abort. */
  readonly watch?: (signal: AbortSignal) => Promise<string | null>;
  /** Data that are thrown away: the process is stopped by SIGKILL and the watchdog removes them. */
  readonly temporaryDirectory?: string | undefined;
  readonly onProgress: OnProgress;
  /** Called when a new process has replaced one that ended unexpectedly. */
  readonly onRestarted?: () => void;
}

const readyTimeoutMs = 90_000;
const stopTimeoutMs = 20_000;
const killTimeoutMs = 10_000;
const probePauseMs = 100;
const restartPauseMs = 1_000;
const logLinesShown = 12;

/**
 * A process that is started, probed until it is ready, and started again a second after it ended
 * unexpectedly. A process that ends before it was ever ready is not started again.
 */
export class ManagedProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #options: ManagedProcessOptions;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #process: OwnedProcess | null = null;
  #isReady = false;
  #wasReady = false;
  #stopping = new AbortController();
  /** The loop that starts the process again; null while it is stopped. */
  #running: Promise<void> | null = null;
  #failure: Error | null = null;

  constructor(options: ManagedProcessOptions) {
    this.#options = options;
    this.name = options.name;
    this.logFile = options.logFile;
  }

  /** Null while there is no process. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when it is ready. Rejects with a {@link SetupError} when it cannot be started. */
  async start(): Promise<void> {
    if (this.#stopping.signal.aborted) await this.#running;
    if (this.#running === null) {
      this.#stopping = new AbortController();
      this.#failure = null;
      this.#running = this.#run(this.#stopping.signal).finally(() => {
        this.#running = null;
        this.#changes.emit('change');
      });
    }
    await this.untilReady();
  }

  /** Ends the process, which stays down until `start`. Without a signal it stops gracefully. */
  async stop(signal?: 'SIGKILL'): Promise<void> {
    this.#stopping.abort();
    if (this.#process !== null) await end(this.#process, signal ?? this.#stopSignal());
    await this.#running;
  }

  /** Stops it gracefully and starts it; resolves when it is ready. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Sends the signal to the process group. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.signal(signal);
  }

  /** Ends the process; resolves when it is gone. It is started again. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const killed = this.#process;
    killed?.signal(signal);
    await this.#until(() => this.#process === null || this.#process !== killed);
  }

  /** Resolves when it is ready. Rejects when it is stopped. */
  async untilReady(): Promise<void> {
    await this.#until(() => this.#isReady || this.#running === null);
    if (!this.#isReady) throw this.#failure ?? new Error(`${this.name} was stopped`);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { name, logFile, onProgress } = this.#options;
    while (!signal.aborted) {
      const reason = await this.#runOnce(signal);
      if (signal.aborted) break;
      if (!this.#wasReady) {
        this.#failure = startFailure(name, reason, logFile);
        return;
      }
      const seconds = restartPauseMs / 1_000;
      onProgress(
        `${name} ${reason}; it is started again in ${seconds} s. Its log: ${logFile}`,
        'trouble',
      );
      await pause(restartPauseMs, signal);
    }
    onProgress(`${name} stopped.`, 'step');
  }

  /** One process from its start to its end. Resolves with how it ended, in words. */
  async #runOnce(signal: AbortSignal): Promise<string> {
    const startedMs = monotonicNow();
    let process: OwnedProcess;
    try {
      process = await this.#spawn();
    } catch (error) {
      return `cannot be run: ${messageOf(error)}`;
    }
    this.#process = process;
    // Stopped while it was being started.
    if (signal.aborted) void end(process, 'SIGKILL');
    const over = new AbortController();
    let problem: string | null = null;
    const fail = (found: string): void => {
      problem = found;
      process.signal('SIGKILL');
    };
    void this.#watch(startedMs, over.signal).then((found) => {
      if (found !== null) fail(found);
    });
    const ending = await process.ended;
    over.abort();
    this.#process = null;
    this.#isReady = false;
    if (this.#options.pidFile) rmSync(this.#options.pidFile, { force: true });
    this.#changes.emit('change');
    return problem ?? describeEnd(ending);
  }

  async #spawn(): Promise<OwnedProcess> {
    const { args, command, cwd, environment, logFile, pidFile, temporaryDirectory } = this.#options;
    mkdirSync(dirname(logFile), { recursive: true });
    const log = openSync(logFile, 'a', 0o600);
    const process = await spawnOwned({
      command,
      args,
      spawn: { cwd, env: { ...environment }, stdio: ['ignore', log, log] },
      removeAfterDeath: temporaryDirectory,
    }).finally(() => closeSync(log));
    try {
      if (pidFile) writeFileSync(pidFile, `${process.pid}\n`);
    } catch (error) {
      // Its successor would find the port taken.
      await end(process, 'SIGKILL');
      throw error;
    }
    return process;
  }

  /** Resolves with the problem for which the process must be ended; null when it has ended. */
  async #watch(startedMs: number, over: AbortSignal): Promise<string | null> {
    const { name, onProgress, onRestarted, probe, watch } = this.#options;
    for (;;) {
      const failure = await probe().then(
        () => null,
        (error: unknown) => messageOf(error),
      );
      if (over.aborted) return null;
      if (failure === null) break;
      if (monotonicNow() - startedMs > readyTimeoutMs) {
        return `was not ready after ${readyTimeoutMs / 1_000} s (${failure})`;
      }
      await pause(probePauseMs, over);
      if (over.aborted) return null;
    }
    const isRestart = this.#wasReady;
    this.#isReady = true;
    this.#wasReady = true;
    this.#changes.emit('change');
    const seconds = ((monotonicNow() - startedMs) / 1_000).toFixed(1);
    onProgress(`${name} is ready${isRestart ? ' again' : ''} after ${seconds} s.`, 'good');
    if (isRestart) onRestarted?.();
    return (await watch?.(over)) ?? null;
  }

  #stopSignal(): NodeJS.Signals {
    return this.#options.temporaryDirectory === undefined ? 'SIGTERM' : 'SIGKILL';
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await new Promise((resolve) => this.#changes.once('change', resolve));
  }
}

/** A process under SIGSTOP acts on SIGTERM only after SIGCONT. */
async function end(process: OwnedProcess, signal: NodeJS.Signals): Promise<void> {
  process.signal(signal);
  process.signal('SIGCONT');
  if (await process.untilEnd(stopTimeoutMs)) return;
  process.signal('SIGKILL');
  await process.untilEnd(killTimeoutMs);
}

function describeEnd({ code, signal }: ProcessEnd): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function startFailure(name: string, reason: string, logFile: string): SetupError {
  const tail = logTail(logFile, logLinesShown);
  return new SetupError(`${name} cannot be started: it ${reason}. ${logFile} ends with:\n${tail}`);
}
