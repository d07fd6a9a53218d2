import { elapsedSince, monotonicNow } from './clock.ts';
import { counter, gauge } from './instruments.ts';

/** Prometheus puts a label `job` on every series itself. */
const labels = { job_name: { words: 'the name of the job', pattern: /^[a-zA-Z_ ]{3,40}$/ } };

const failures = counter({
  name: 'inventory.job.failures',
  description: 'Runs of periodic jobs that failed and are retried',
  labels,
});
const runAge = gauge({
  name: 'inventory.job.run.age',
  description:
    'Time since the last successful run of a periodic job, less the pause between its runs; 0 while it pauses',
  unit: 's',
  labels,
});

export interface MeasuredJob {
  /** The next run follows after this pause. */
  succeeded(pauseMs: number): void;
  failed(): void;
  stopped(): void;
}

/** How late each job is, by name: of several with one name the latest is reported. */
const latenessMs = new Map<string, Set<() => number>>();
runAge.observe((observe) => {
  for (const [name, jobs] of latenessMs) {
    const ages = [...jobs].map((age) => age());
    if (ages.length > 0) observe(Math.max(0, ...ages) / 1_000, { job_name: name });
  }
});

/**
 * Counts the failures of a job and reports the age of its last successful run until it stops;
 * `firstPauseMs` is what its first run may take.
 */
export function measureJob(name: string, firstPauseMs: number): MeasuredJob {
  let succeededMs = monotonicNow();
  let pauseMs = firstPauseMs;
  const lateMs = () => elapsedSince(succeededMs) - pauseMs;
  const ofName = latenessMs.get(name) ?? new Set();
  latenessMs.set(name, ofName.add(lateMs));
  return {
    succeeded(nextPauseMs) {
      succeededMs = monotonicNow();
      pauseMs = nextPauseMs;
    },
    failed: () => failures.add(1, { job_name: name }),
    stopped() {
      ofName.delete(lateMs);
    },
  };
}
