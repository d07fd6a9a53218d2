import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import type { Controllable } from './controllable.ts';
import type { Environment } from './environment.ts';
import { isPortFree } from './free-port.ts';
import { logTail } from './log-tail.ts';
import { type OwnedProcess, signalGroup, spawnOwned } from './owned-process.ts';
import { identifyProcess, isRunning, parseProcessIdentity } from './process-identity.ts';
import { ProvisionError, sentenceOf } from './provision-error.ts';

export interface NativeServerOptions {
  /** With its version, as shown to people. */
  readonly name: string;
  /** Where it runs; holds its log, its data and the file that names its process. */
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly port: number;
  /** The setting that chooses the port, named when it is taken. */
  readonly portSetting: string;
  /** Talks to the server in its own protocol; rejects as long as it does not answer. */
  readonly ready: () => Promise<void>;
  /** The data are thrown away: no clean stop is needed, and the watchdog removes the folder. */
  readonly temporary: boolean;
  readonly onProgress: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
}

export class PortTaken extends ProvisionError {
  override name = 'PortTaken';
}

const readyWithinMs = 90_000;
const stopWithinMs = 20_000;
const goneWithinMs = 10_000;
const probePauseMs = 40;
const logBytesMax = 16 * 1024 * 1024;
const logLinesShown = 12;
const survivableSignals: readonly NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT'];

/** A server run as a child process: started, watched until it answers, killed, started again. */
export class NativeServer implements Controllable {
  readonly #options: NativeServerOptions;
  readonly #logFile: string;
  readonly #pidFile: string;
  #process: OwnedProcess | null = null;

  constructor(options: NativeServerOptions) {
    this.#options = options;
    this.#logFile = join(options.folder, 'server.log');
    this.#pidFile = join(options.folder, 'server.pid');
  }

  get pid(): number | null {
    return this.#process === null || this.#process.hasEnded() ? null : this.#process.pid;
  }

  async start(): Promise<void> {
    const { name, folder, port, portSetting, onProgress } = this.#options;
    if (this.pid !== null) throw new ProvisionError(`${name} runs already (process ${this.pid}).`);
    mkdirSync(folder, { recursive: true });
    await endOrphan(this.#pidFile, port);
    if (!(await isPortFree(port))) throw portTaken(name, port, portSetting);
    const begunMs = monotonicNow();
    onProgress(`${name} is starting.`);
    const running = await this.#spawn();
    try {
      await this.#untilReady(running);
    } catch (error) {
      await end(running, 'SIGKILL', goneWithinMs);
      throw error;
    }
    const seconds = ((monotonicNow() - begunMs) / 1000).toFixed(1);
    onProgress(`${name} answers on 127.0.0.1:${port} after ${seconds} s.`);
  }

  async stop(): Promise<void> {
    if (this.#process === null) return;
    const clean = !this.#options.temporary;
    if (clean) await end(this.#process, 'SIGTERM', stopWithinMs);
    await end(this.#process, 'SIGKILL', goneWithinMs);
    rmSync(this.#pidFile, { force: true });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.#process === null) return;
    this.#process.signal(signal);
    if (survivableSignals.includes(signal)) return;
    if (await this.#process.untilEnd(stopWithinMs)) return;
    throw new ProvisionError(`${this.#options.name} outlived ${signal} by ${stopWithinMs} ms.`);
  }

  async #spawn(): Promise<OwnedProcess> {
    const { command, args, environment, folder, name, temporary } = this.#options;
    setLargeLogAside(this.#logFile);
    const log = openSync(this.#logFile, 'a');
    try {
      this.#process = await spawnOwned({
        command,
        args,
        spawn: { cwd: folder, env: { ...environment }, stdio: ['ignore', log, log] },
        removeAfterDeath: temporary ? folder : undefined,
      });
    } catch (error) {
      throw new ProvisionError(`${name} cannot be run (${command}): ${sentenceOf(error)}`);
    } finally {
      closeSync(log);
    }
    writeFileSync(this.#pidFile, JSON.stringify(identifyProcess(this.#process.pid)));
    return this.#process;
  }

  async #untilReady(running: OwnedProcess): Promise<void> {
    const { name, port, portSetting, ready, signal } = this.#options;
    const begunMs = monotonicNow();
    for (;;) {
      signal?.throwIfAborted();
      if (running.hasEnded()) {
        const tail = logTail(this.#logFile, logLinesShown);
        if (/Address already in use/i.test(tail)) throw portTaken(name, port, portSetting);
        throw new ProvisionError(
          `${name} stopped while it was starting. ${this.#logFile} ends with:\n${tail}`,
        );
      }
      try {
        await ready();
        // Somebody else may have answered, on the port that this process failed to get.
        if (!running.hasEnded()) return;
      } catch (error) {
        if (monotonicNow() - begunMs > readyWithinMs) {
          throw new ProvisionError(
            `${name} did not answer within ${readyWithinMs / 1000} s (${sentenceOf(error)}). ${this.#logFile} ends with:\n${logTail(this.#logFile, logLinesShown)}`,
          );
        }
      }
      await pause(probePauseMs, signal);
    }
  }
}

/** What a process that died left running here would keep the port and the data. */
async function endOrphan(pidFile: string, port: number): Promise<void> {
  let text: string;
  try {
    text = readFileSync(pidFile, 'utf8');
  } catch {
    return;
  }
  const orphan = parseProcessIdentity(text);
  if (orphan !== null && isRunning(orphan)) {
    signalGroup(orphan.pid, 'SIGKILL');
    const begunMs = monotonicNow();
    // The last of its threads to die gives the port back, a little after the process counts as dead.
    while (isRunning(orphan) || !(await isPortFree(port))) {
      if (monotonicNow() - begunMs > goneWithinMs) break;
      await pause(probePauseMs);
    }
  }
  rmSync(pidFile, { force: true });
}

/** A stopped process (SIGSTOP) acts on SIGTERM only once it is continued. */
async function end(
  running: OwnedProcess,
  signal: NodeJS.Signals,
  deadlineMs: number,
): Promise<void> {
  if (running.hasEnded()) return;
  running.signal(signal);
  running.signal('SIGCONT');
  await running.untilEnd(deadlineMs);
}

function setLargeLogAside(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logBytesMax) renameSync(logFile, `${logFile}.previous`);
}

function portTaken(name: string, port: number, setting: string): PortTaken {
  return new PortTaken(
    `${name} cannot listen on 127.0.0.1:${port}: the port is taken. Stop the program that uses it, or set ${setting} to a free port.`,
  );
}
