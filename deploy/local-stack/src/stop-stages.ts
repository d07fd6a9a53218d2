export type Stop = (abruptly: boolean) => Promise<void>;

/**
 * How to end what was started, in stages: what was added last ends first, all of one stage at the
 * same time.
 */
export class StopStages {
  readonly #stages: Stop[][] = [[]];
  #stopping: Promise<void> | undefined;

  /** What is added from now on ends before everything added until now. */
  nextStage(): void {
    this.#stages.push([]);
  }

  /** Throws once stopping has begun: nothing may be started any more. */
  add(stop: Stop): void {
    if (this.#stopping !== undefined) throw new Error('the stack is being stopped');
    this.#stages.at(-1)?.push(stop);
  }

  /** One failure keeps nothing else running. A second call that is abrupt hurries the first. */
  stop(abruptly: boolean): Promise<void> {
    if (this.#stopping !== undefined && abruptly) {
      for (const stop of this.#stages.flat()) stop(true).catch(() => {});
    }
    this.#stopping ??= this.#stopInOrder(abruptly);
    return this.#stopping;
  }

  async #stopInOrder(abruptly: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const stage of this.#stages.toReversed()) {
      const results = await Promise.allSettled(stage.map((stop) => stop(abruptly)));
      failures.push(...results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    }
    if (failures.length > 0) throw failures[0];
  }
}
