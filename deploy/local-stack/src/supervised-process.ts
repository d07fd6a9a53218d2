import { sentenceOf } from '@inventory/backends/provision-error';
import { monotonicNow } from '@inventory/runtime/clock';
import {
  advance,
  type Effect,
  type Fact,
  type RestartPolicy,
  restartPolicy,
  type Supervision,
  unsupervised,
} from './supervision.ts';

/** One run of a process, from its launch to its end. */
export interface Launched {
  readonly pid: number;
  /** Rejects when it does not answer in time, or ended. */
  readonly answered: Promise<void>;
  /** How it ended, in words that follow its name: for example `was ended by SIGKILL`. */
  readonly ended: Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Asks it to end and sees to it that it does; `abruptly` ends it at once. */
  end(abruptly: boolean): Promise<void>;
}

/** What people should know about a process. */
export type SupervisionNews =
  | { readonly kind: 'up'; readonly pid: number; readonly again: boolean; readonly tookMs: number }
  | { readonly kind: 'ended'; readonly how: string; readonly delayMs: number };

export interface SupervisedProcessOptions {
  readonly launch: () => Promise<Launched>;
  readonly onNews?: (news: SupervisionNews) => void;
  readonly policy?: RestartPolicy;
}

const survivableSignals: readonly NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT'];

/** Whoever waits for the end of such a process goes on waiting: nothing else can be done. */
function outlived(): void {}

/** A process that is launched again, after a growing pause, whenever it ends unasked. */
export class SupervisedProcess {
  readonly #options: SupervisedProcessOptions;
  readonly #policy: RestartPolicy;
  readonly #watchers = new Set<() => void>();
  #state: Supervision = unsupervised;
  #current: Launched | null = null;
  #pause: NodeJS.Timeout | undefined;
  #launchedMs = 0;
  #answeredBefore = false;
  #lastEnd = 'ended';

  constructor(options: SupervisedProcessOptions) {
    this.#options = options;
    this.#policy = options.policy ?? restartPolicy;
  }

  /** Null while there is no process. */
  get pid(): number | null {
    return this.#current?.pid ?? null;
  }

  get phase(): Supervision['phase'] {
    return this.#state.phase;
  }

  /** Resolves when it answers; rejects after `failuresMax` ends in a row before that. */
  start(failuresMax = Number.POSITIVE_INFINITY): Promise<void> {
    this.#apply({ kind: 'start-wanted' });
    return this.untilUp(failuresMax);
  }

  /** Resolves when it has ended; it stays down. */
  stop(abruptly = false): Promise<void> {
    this.#apply({ kind: 'stop-wanted', abruptly });
    return this.#until(() => (this.#state.phase === 'stopping' ? 'wait' : 'reached'));
  }

  /** Resolves when another run of it answers. */
  restart(): Promise<void> {
    this.#apply({ kind: 'restart-wanted' });
    return this.untilUp();
  }

  /** Sends the signal; resolves when the process is gone, at once for SIGSTOP and SIGCONT. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const run = this.#current;
    run?.signal(signal);
    if (survivableSignals.includes(signal)) return;
    await this.#until(() => (this.#current === null || this.#current !== run ? 'reached' : 'wait'));
  }

  untilUp(failuresMax = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#until(() => {
      const state = this.#state;
      if (state.phase === 'up') return 'reached';
      if (state.phase === 'down') return new Error('was stopped');
      const failures = 'failures' in state ? state.failures : 0;
      return failures >= failuresMax ? new Error(this.#lastEnd) : 'wait';
    });
  }

  #apply(fact: Fact): void {
    const { next, effects } = advance(this.#state, fact, this.#policy);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
    for (const watcher of [...this.#watchers]) watcher();
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'launch':
        void this.#launch();
        return;
      case 'end':
        this.#current?.end(effect.abruptly).catch(outlived);
        return;
      case 'pause':
        this.#pause = setTimeout(() => this.#apply({ kind: 'pause-over' }), effect.delayMs);
        this.#tell({ kind: 'ended', how: this.#lastEnd, delayMs: effect.delayMs });
        return;
      case 'cancel-pause':
        clearTimeout(this.#pause);
        return;
    }
  }

  async #launch(): Promise<void> {
    this.#launchedMs = monotonicNow();
    let run: Launched;
    try {
      run = await this.#options.launch();
    } catch (error) {
      this.#over(`could not be started: ${sentenceOf(error)}`);
      return;
    }
    this.#current = run;
    let unanswered: string | null = null;
    void run.ended.then((how) => {
      this.#current = null;
      this.#over(unanswered ?? how);
    });
    run.answered.then(
      () => this.#answered(run),
      (error: unknown) => {
        unanswered = sentenceOf(error);
        run.end(true).catch(outlived);
      },
    );
    // Told to stop while it was being launched: nobody has told the process yet.
    if (this.#state.phase === 'stopping') run.end(false).catch(outlived);
  }

  #over(how: string): void {
    this.#lastEnd = how;
    this.#apply({ kind: 'ended', atMs: monotonicNow() });
  }

  /** An answer that is read after the end of its run says nothing about the next one. */
  #answered(run: Launched): void {
    if (this.#current !== run || this.#state.phase !== 'starting') return;
    const atMs = monotonicNow();
    const again = this.#answeredBefore;
    this.#answeredBefore = true;
    this.#apply({ kind: 'answered', atMs });
    this.#tell({ kind: 'up', pid: run.pid, again, tookMs: atMs - this.#launchedMs });
  }

  #tell(news: SupervisionNews): void {
    this.#options.onNews?.(news);
  }

  #until(judge: () => 'reached' | 'wait' | Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const verdict = judge();
        if (verdict === 'wait') return;
        this.#watchers.delete(look);
        if (verdict === 'reached') resolve();
        else reject(verdict);
      };
      this.#watchers.add(look);
      look();
    });
  }
}
