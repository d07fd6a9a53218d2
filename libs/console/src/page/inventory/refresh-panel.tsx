import { useEffect, useState } from 'preact/hooks';
import type { Refresh } from '../api/wire-types.ts';
import { formatCredits, formatDuration, formatTime, formatWord } from '../format.ts';
import { Tag } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { outcomeTextOf } from './outcomes.ts';

const everyMs = 1_000;

function useNow(nowMs: () => number, isTicking: boolean): number {
  const [now, setNow] = useState(nowMs);
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(nowMs()), everyMs);
    return () => clearInterval(timer);
  }, [nowMs, isTicking]);
  return now;
}

const phases: Readonly<Record<string, string>> = {
  accepted: 'Reserving credits',
  queued: 'Waiting for its turn',
  collecting: 'Reading the platform',
  settling: 'Saving and settling',
};

/** A refresh on its way: its state, its expected end, and at last its outcome and price. */
export function RefreshPanel({
  record,
  nowMs,
  onCancel,
}: {
  record: Refresh;
  nowMs: () => number;
  onCancel: () => void;
}) {
  const isPending = record.state !== 'completed';
  const now = useNow(nowMs, isPending);
  return (
    <Panel
      title="Refresh"
      actions={
        isPending && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )
      }
    >
      <div role="status">
        {isPending ? <Pending record={record} now={now} /> : <Ended record={record} />}
      </div>
      <p class="small">
        <code class="id">{record.refresh_id}</code>
      </p>
    </Panel>
  );
}

function Pending({ record, now }: { record: Refresh; now: number }) {
  const startMs = Date.parse(record.requested_at);
  const endMs = record.expected_completed_at ? Date.parse(record.expected_completed_at) : null;
  const share = endMs === null ? null : Math.min(0.97, (now - startMs) / (endMs - startMs));
  const left = endMs === null ? null : (endMs - now) / 1_000;
  return (
    <>
      <p>
        <Tag tone="plain">{formatWord(record.state)}</Tag> {phases[record.state] ?? ''}{' '}
        <span class="muted" aria-live="off">
          for {formatDuration((now - startMs) / 1_000)}
        </span>
      </p>
      <div class="bar" aria-hidden="true">
        <span style={{ width: `${Math.max(3, (share ?? 0.05) * 100)}%` }} />
      </div>
      <p class="small" aria-live="off">
        {left === null
          ? 'No estimate of its end yet.'
          : left > 0
            ? `Expected to end in ${formatDuration(left)}.`
            : 'It takes longer than expected.'}{' '}
        {record.deadline_at && `This phase ends ${formatTime(record.deadline_at)} at the latest.`}{' '}
        {formatCredits(record.billing.credits_reserved)} are held.
      </p>
    </>
  );
}

function Ended({ record: { outcome, billing, completed_at: completedAt } }: { record: Refresh }) {
  if (outcome === null) return null;
  const { tone, title, text } = outcomeTextOf(outcome);
  const isUnits = billing.funding === 'subscription';
  const charged = (isUnits ? billing.units_charged : billing.credits_charged) ?? 0;
  const released = (isUnits ? billing.units_released : billing.credits_released) ?? 0;
  const price = isUnits ? `${charged} units` : formatCredits(charged);
  return (
    <div class={`notice ${tone}`}>
      <p>
        <strong>{title}.</strong> {text}
      </p>
      <p>
        {price} charged, {released} released
        {completedAt !== null && ` · ${formatTime(completedAt)}`}
      </p>
    </div>
  );
}
