import type { Outcome } from '../api/wire-types.ts';
import type { Tone } from '../parts/notices.tsx';

/** What the end of a refresh means to who pays for it. */
const outcomes: Readonly<Record<Outcome, { tone: Tone; title: string; text: string }>> = {
  complete_changed: {
    tone: 'good',
    title: 'Complete, changed',
    text: 'A new revision is saved.',
  },
  complete_unchanged: {
    tone: 'good',
    title: 'Complete, unchanged',
    text: 'The saved revision is confirmed.',
  },
  private: {
    tone: 'warn',
    title: 'Private',
    text: 'Its owner shows the inventory to nobody. Nothing is saved; the diagnostic price is charged.',
  },
  not_found: {
    tone: 'warn',
    title: 'Not found',
    text: 'The platform has no such account. Nothing is saved; the diagnostic price is charged.',
  },
  incomplete: {
    tone: 'bad',
    title: 'Incomplete',
    text: 'The scan did not reach the end of the inventory. Nothing is saved, nothing is charged.',
  },
  upstream_unavailable: {
    tone: 'bad',
    title: 'Platform unavailable',
    text: 'The platform did not serve the inventory in time. Nothing is charged; try again later.',
  },
  cancelled: {
    tone: 'plain',
    title: 'Cancelled',
    text: 'Nothing is charged.',
  },
  internal_failure: {
    tone: 'bad',
    title: 'Failed',
    text: 'The service could not finish it. Nothing is charged; try again.',
  },
};

/** A later version may add outcomes. */
export const outcomeTextOf = (outcome: Outcome) =>
  outcomes[outcome] ?? { tone: 'plain', title: outcome, text: '' };
