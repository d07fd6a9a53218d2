import type { RefreshRecord } from '@inventory/client/records';

const barCharsMax = 30;

/** A bar of a share from 0 to 1, and a text after it where the line has space. */
export function progressBar(share: number, text: string, columns: number): string {
  const chars = Math.max(0, Math.min(barCharsMax, columns - text.length - 4));
  const done = Math.round(chars * clamped(share));
  return `[${'#'.repeat(done)}${'-'.repeat(chars - done)}] ${text}`;
}

/** How far refreshes are, by the time at which the service expects the end of each. */
export function refreshProgress(records: readonly RefreshRecord[], nowMs: number) {
  const open = records.filter((record) => !isEnded(record));
  const ends = open.flatMap(({ expected_completed_at }) => timeIn(expected_completed_at) ?? []);
  const shares = records.map((record) => (isEnded(record) ? 1 : shareOf(record, nowMs)));
  const ended = records.length - open.length;
  const states = [...new Set(open.map(({ state }) => state))].join(', ');
  const step = `${ended} of ${records.length} ended${states && `; ${states}`}`;
  const endMs = ends.length === 0 ? null : Math.max(...ends);
  return {
    share: shares.reduce((sum, share) => sum + share, 0) / Math.max(1, records.length),
    step,
    text: endMs === null ? step : `${step}; expected ${endText(endMs, nowMs)}`,
  };
}

/** An estimate never says that it is done. */
const shareOpenMax = 0.99;

function shareOf({ requested_at, expected_completed_at }: RefreshRecord, nowMs: number): number {
  const [startMs, endMs] = [timeIn(requested_at), timeIn(expected_completed_at)];
  if (startMs === null || endMs === null || endMs <= startMs) return 0;
  return Math.min(shareOpenMax, clamped((nowMs - startMs) / (endMs - startMs)));
}

function endText(endMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((endMs - nowMs) / 1_000));
  return `${new Date(endMs).toISOString().slice(11, 19)} UTC, in ${seconds} s`;
}

function isEnded({ state, billing }: RefreshRecord): boolean {
  return state === 'completed' && billing.state === 'finalized';
}

/** Null for what is no time that a date has. */
function timeIn(text: string | null | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms;
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
