import type { ComponentChildren } from 'preact';
import { adviceFor, messageOf } from '../api/advice.ts';
import type { Failure } from '../api/call-api.ts';
import { formatClock } from '../format.ts';
import type { Reading } from './use-reading.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** What happened, its code and request id, and what to do. */
export function FailureNotice({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{messageOf(failure)}</strong> {adviceFor(failure)}
      </p>
      {failure.kind === 'refused' && (
        <p class="small">
          <code>{failure.code}</code>
          {failure.requestId !== null && (
            <>
              {' '}
              · request <code class="id">{failure.requestId}</code>
            </>
          )}
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A reading: its value where there is one, since when it is known, and why there is no newer one. */
export function Read<Value>({
  reading,
  what,
  children,
}: {
  reading: Reading<Value>;
  what: string;
  children: (value: Value) => ComponentChildren;
}) {
  const { value, atMs, failure, isReading, reload } = reading;
  return (
    <>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {failure && atMs !== null && <p class="small">What is shown is from {formatClock(atMs)}.</p>}
      {value === null && isReading && <p class="muted">Reading {what}…</p>}
      {value !== null && children(value)}
    </>
  );
}

export function Tag({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
