import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { CallFailed, type Failure } from '../api/call-api.ts';

/** A value that is read again; a failure keeps the last one, and says since when it stands. */
export interface Reading<Value> {
  readonly value: Value | null;
  /** When the value was read. */
  readonly atMs: number | null;
  readonly failure: Failure | null;
  readonly isReading: boolean;
  readonly reload: () => void;
}

/** Reads when `dependencies` change, when asked, and every so often while the page is visible. */
export function useReading<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  nowMs: () => number,
  everyMs?: number,
): Reading<Value> {
  const [known, setKnown] = useState<Omit<Reading<Value>, 'reload'>>({
    value: null,
    atMs: null,
    failure: null,
    isReading: true,
  });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((one) => one + 1), []);
  const latest = useRef(read);
  latest.current = read;
  const given = JSON.stringify(dependencies);
  // By its dependencies: a round or another dependency reads again.
  useEffect(() => {
    const leaving = new AbortController();
    setKnown((before) => ({ ...before, isReading: true }));
    latest.current(leaving.signal).then(
      (value) => setKnown({ value, atMs: nowMs(), failure: null, isReading: false }),
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        setKnown((before) => ({ ...before, failure: failureOf(error), isReading: false }));
      },
    );
    return () => leaving.abort();
  }, [given, round, nowMs]);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { ...known, reload };
}

/** An action that is done once, however often it is tried: its Idempotency-Key is new after that. */
export function useKeyedAction(newKey: () => string) {
  const { failure, isBusy, run } = useAction();
  const [key, setKey] = useState(newKey);
  const runKeyed = (action: (key: string) => Promise<void>) =>
    run(async () => {
      await action(key);
      setKey(newKey());
    });
  return { failure, isBusy, run: runKeyed };
}

/** What is not a failure of a call is a bug, which must not look like one. */
function failureOf(error: unknown): Failure {
  if (error instanceof CallFailed) return error.failure;
  throw error;
}

/** An action of a button: one at a time, with its failure. */
export function useAction() {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const run = useCallback(async (action: () => Promise<void>) => {
    setIsBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (error) {
      if (!(error instanceof DOMException)) setFailure(failureOf(error));
    } finally {
      setIsBusy(false);
    }
  }, []);
  return { failure, isBusy, run };
}
