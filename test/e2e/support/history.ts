import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What happened in a run whose course is decided by chance, in order. */
export interface History {
  note(what: string, details?: Readonly<Record<string, unknown>>): void;
  /** Milliseconds since it was opened. */
  nowMs(): number;
  /** A failure of `work` names the seed and the file that the history was written to. */
  keptOnFailure<Value>(work: () => Promise<Value>): Promise<Value>;
}

export function openHistory(name: string, seed: number): History {
  const startMs = performance.now();
  const notes: Readonly<Record<string, unknown>>[] = [];
  const nowMs = () => Math.round(performance.now() - startMs);
  return {
    nowMs,
    note(what, details = {}) {
      notes.push({ atMs: nowMs(), what, ...details });
    },
    async keptOnFailure(work) {
      try {
        return await work();
      } catch (error) {
        const file = join(tmpdir(), `${name}-${seed}.json`);
        const lines = notes.map((note) => JSON.stringify(note)).join(',\n');
        writeFileSync(file, `{"seed":${seed},"history":[\n${lines}\n]}\n`);
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(
          `${message}\nWhat happened is in ${file}; TEST_SEED=${seed} decides the same.`,
          { cause: error },
        );
      }
    },
  };
}
