import { isPortFree } from '@inventory/backends/free-port';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

/** A port that something of the stack is going to listen on. */
export interface WantedPort {
  readonly port: number;
  /** The setting that chooses it. */
  readonly setting: string;
  /** Who needs it, for example `the gateway`. */
  readonly user: string;
}

const pollMs = 200;

/** What stands in the way, one sentence for each port; empty when all are free. */
export async function portConflicts(wanted: readonly WantedPort[]): Promise<string[]> {
  const fixed = wanted.filter(({ port }) => port !== 0);
  const shared = sharedSentences(fixed);
  if (shared.length > 0) return shared;
  const free = await Promise.all(fixed.map(({ port }) => isPortFree(port)));
  return fixed.filter((_wanted, index) => !free[index]).map(takenSentence);
}

/**
 * The same, giving the processes of a start that was killed the time in which their watchdogs end
 * them.
 */
export async function portConflictsAfterCrash(
  wanted: readonly WantedPort[],
  waitMaxMs: number,
): Promise<string[]> {
  const begunMs = monotonicNow();
  for (;;) {
    const conflicts = await portConflicts(wanted);
    if (conflicts.length === 0 || monotonicNow() - begunMs > waitMaxMs) return conflicts;
    await pause(pollMs);
  }
}

function takenSentence({ port, setting, user }: WantedPort): string {
  return `Port ${port}, which ${user} needs, is taken by another program: stop that program, or choose another port: ${setting}=<port> npm start`;
}

function sharedSentences(wanted: readonly WantedPort[]): string[] {
  return wanted.flatMap((one, index) => {
    const other = wanted.slice(0, index).find(({ port }) => port === one.port);
    if (other === undefined) return [];
    return [`${other.setting} and ${one.setting} are both ${one.port}: choose two ports.`];
  });
}
