import { useEffect, useRef, useState } from 'preact/hooks';
import { CallFailed, type Failure } from '../api/call-api.ts';
import type { ProjectEvent, Refresh, Scope } from '../api/wire-types.ts';
import { useAction } from '../parts/use-reading.ts';
import { useSession } from '../session.tsx';

/** Short at first, so that its states are seen; each read counts against the rate limit. */
const waitsSeconds = [2, 2, 2, 3, 3, 5, 5, 10];
const waitLastSeconds = 20;
const retryDefaultSeconds = 2;

const isRefreshOf = (event: ProjectEvent, id: string) =>
  event.type === 'inventory.refresh.completed' && event.data.refresh_id === id;

/** One refresh at a time, followed to its end by its status, and at once by its event. */
export function useRefresh() {
  const { operations, environment, events } = useSession();
  const [record, setRecord] = useState<Refresh | null>(null);
  /** Of the last read of its status, until one succeeds. */
  const [lost, setLost] = useState<Failure | null>(null);
  /** Kept until the service has decided: a repetition is not charged twice. */
  const attempt = useRef<{ scope: Scope; key: string } | null>(null);
  const action = useAction();
  const pendingId = record !== null && record.state !== 'completed' ? record.refresh_id : null;
  const isAnnounced = pendingId !== null && events.some((event) => isRefreshOf(event, pendingId));

  useEffect(() => {
    if (pendingId === null) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const follow = async () => {
      for (let reads = 0; !signal.aborted; reads += 1) {
        const wait = isAnnounced ? 0 : (waitsSeconds[reads] ?? waitLastSeconds);
        try {
          const { data } = await operations.awaitRefresh(pendingId, wait, signal);
          setLost(null);
          setRecord(data);
          if (data.state === 'completed') return;
        } catch (error) {
          if (signal.aborted || !(error instanceof CallFailed)) return;
          const { failure } = error;
          setLost(failure);
          if (isDecided(error)) return;
          const seconds = failure.kind === 'refused' ? failure.retryAfterSeconds : null;
          await environment.pause((seconds ?? retryDefaultSeconds) * 1_000, signal);
        }
      }
    };
    void follow();
    return () => leaving.abort();
  }, [operations, environment, pendingId, isAnnounced]);

  return {
    record,
    failure: action.failure ?? lost,
    isBusy: action.isBusy,
    follow: setRecord,
    request: (scope: Scope, maxCredits: number) =>
      action.run(async () => {
        if (attempt.current?.scope !== scope)
          attempt.current = { scope, key: environment.newKey() };
        try {
          const { data } = await operations.requestRefresh(scope, maxCredits, attempt.current.key);
          attempt.current = null;
          setRecord(data);
        } catch (error) {
          // A refusal leaves the key free; without a response the refresh may have been accepted.
          if (error instanceof CallFailed && isDecided(error)) attempt.current = null;
          throw error;
        }
      }),
    cancel: () =>
      action.run(async () => {
        if (pendingId !== null) setRecord((await operations.cancelRefresh(pendingId)).data);
      }),
  };
}

const isDecided = ({ failure }: CallFailed) =>
  failure.kind === 'refused' && failure.status < 500 && failure.status !== 429;
