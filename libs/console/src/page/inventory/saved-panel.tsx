import type { Prices, Summary } from '../api/wire-types.ts';
import { formatCredits, formatDuration, formatNumber, formatTime, pagesOf } from '../format.ts';
import { Empty } from '../parts/notices.tsx';
import { Figure, Panel } from '../parts/panel.tsx';

/** What is saved, and what the next step costs: told before its click. */
export function SavedPanel({
  summary,
  prices,
  isRefreshing,
  isLoading,
  onRefresh,
  onOpen,
}: {
  /** Null: nothing is saved. */
  summary: Summary | null;
  prices: Prices;
  isRefreshing: boolean;
  isLoading: boolean;
  onRefresh: () => void;
  onOpen: () => void;
}) {
  const { refresh, current_page: page } = prices;
  const expected =
    summary === null ? null : refresh.block * Math.ceil(summary.total_count / refresh.block_assets);
  return (
    <Panel
      title="What is saved"
      actions={
        <>
          <button
            type="button"
            class={summary ? '' : 'primary'}
            disabled={isRefreshing}
            onClick={onRefresh}
          >
            {expected === null
              ? `Refresh · at most ${formatCredits(refresh.reservation)}`
              : `Refresh · about ${formatCredits(expected)}`}
          </button>
          {summary !== null && (
            <button type="button" class="primary" disabled={isLoading} onClick={onOpen}>
              Open the items · {formatCredits(page.page * pagesOf(summary.total_count))}
            </button>
          )}
        </>
      }
    >
      {summary === null ? (
        <Empty>Nothing is saved of this inventory yet. A refresh reads it from the platform.</Empty>
      ) : (
        <dl class="figures">
          <Figure
            label="Items"
            value={formatNumber(summary.total_count)}
            note={
              summary.hidden_count > 0
                ? `and ${formatNumber(summary.hidden_count)} that only its owner sees`
                : undefined
            }
          />
          {summary.description_count !== null && (
            <Figure label="Different items" value={formatNumber(summary.description_count)} />
          )}
          <Figure
            label="Verified"
            value={`${formatDuration(summary.age_seconds)} ago`}
            note={formatTime(summary.verified_at)}
          />
        </dl>
      )}
      <p class="small">
        A refresh holds {formatCredits(refresh.reservation)} until it ends, and costs{' '}
        {formatCredits(refresh.block)} for each started {formatNumber(refresh.block_assets)} items,{' '}
        {refresh.diagnostic} if the inventory is private or not found, nothing if it fails.
      </p>
    </Panel>
  );
}
