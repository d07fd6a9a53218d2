import { useState } from 'preact/hooks';
import type { Scope, Watch, WatchRun } from '../api/wire-types.ts';
import { formatCredits, formatDuration, formatTime, formatWord } from '../format.ts';
import { outcomeTextOf } from '../inventory/outcomes.ts';
import { ScopeForm } from '../inventory/scope-form.tsx';
import { SelectField, TextField } from '../parts/fields.tsx';
import { Empty, FailureNotice, Read, Tag } from '../parts/notices.tsx';
import { ConfirmButton, Figure, Panel } from '../parts/panel.tsx';
import { ScopeText } from '../parts/scope-text.tsx';
import { useAction, useReading } from '../parts/use-reading.ts';
import { useSession } from '../session.tsx';

const everyMs = 60_000;
const periods = [300, 900, 3_600, 6 * 3_600, 86_400, 7 * 86_400];

/** Watches, each with its runs; the cost of a new one is told before it is put. */
export function WatchesRoom() {
  const { operations, environment, events } = useSession();
  const { nowMs } = environment;
  const watches = useReading(
    async (signal) => {
      const items: Watch[] = [];
      let cursor: string | undefined;
      do {
        const { data } = await operations.watches(cursor, signal);
        items.push(...data.items);
        cursor = data.pagination.next_cursor ?? undefined;
      } while (cursor !== undefined && items.length < shownMax);
      return { items, hasMore: cursor !== undefined };
    },
    [events[0]?.id],
    nowMs,
    everyMs,
  );
  return (
    <div class="stack">
      <NewWatch onPut={watches.reload} />
      <Panel title="Watches">
        <Read reading={watches} what="the watches">
          {({ items, hasMore }) =>
            items.length === 0 ? (
              <Empty>No inventory is watched.</Empty>
            ) : (
              <>
                <ul class="cards">
                  {items.map((watch) => (
                    <WatchCard key={watch.watch_id} watch={watch} onChange={watches.reload} />
                  ))}
                </ul>
                <p class="small">
                  Runs, oldest first: filled where something changed, outlined where nothing did,
                  red where the run failed.
                </p>
                {hasMore && <p class="small">The first {items.length} are shown.</p>}
              </>
            )
          }
        </Read>
      </Panel>
    </div>
  );
}

/** Each has its runs read: more would exceed the limit of requests. */
const shownMax = 20;

function NewWatch({ onPut }: { onPut: () => void }) {
  const { operations } = useSession();
  const [period, setPeriod] = useState(86_400);
  const [perDay, setPerDay] = useState('');
  const [quote, setQuote] = useState<{ scope: Scope; watch: Watch } | null>(null);
  const { failure, isBusy, run } = useAction();
  const put = (scope: Scope, isDryRun: boolean) =>
    run(async () => {
      const { data } = await operations.putWatch(scope, {
        every_seconds: period,
        max_credits_per_day: perDay === '' ? null : Number(perDay),
        dry_run: isDryRun,
      });
      setQuote(isDryRun ? { scope, watch: data } : null);
      if (!isDryRun) onPut();
    });
  return (
    <Panel title="Watch an inventory">
      <ScopeForm label="Show the cost" isBusy={isBusy} onScope={(scope) => void put(scope, true)}>
        <SelectField
          label="Refresh it every"
          value={period}
          options={periods.map((seconds) => [seconds, formatDuration(seconds)] as const)}
          onValue={(seconds) => {
            setPeriod(seconds);
            setQuote(null);
          }}
        />
        <TextField
          label="At most a day"
          hint="credits, from 125; empty for no limit"
          type="number"
          min={125}
          value={perDay}
          onValue={(value) => {
            setPerDay(value);
            setQuote(null);
          }}
        />
      </ScopeForm>
      {failure && <FailureNotice failure={failure} />}
      {quote && (
        <div class="notice good" role="status">
          <p>
            <ScopeText scope={quote.scope} />, every {formatDuration(quote.watch.every_seconds)}:
            about <strong>{formatCredits(quote.watch.expected_credits_per_month)}</strong> a month,
            and never more than {formatCredits(quote.watch.maximum_credits_per_month)}.
          </p>
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => void put(quote.scope, false)}
          >
            Watch it
          </button>
        </div>
      )}
    </Panel>
  );
}

const pauses: Readonly<Record<string, string>> = {
  insufficient_funds: 'Not enough credits are available. It resumes by itself after a top-up.',
  spend_cap_reached: 'The spend cap of the month is reached.',
  daily_limit_reached: 'Its own limit a day is reached. It resumes at midnight, UTC.',
  permission_removed: 'The key that put it lost the permission.',
  owner_suspended: 'The account is suspended: ask your operator.',
  operator_paused: 'Your operator has paused it.',
};

function WatchCard({ watch, onChange }: { watch: Watch; onChange: () => void }) {
  const { operations, environment } = useSession();
  const { scope } = watch;
  const remove = useAction();
  const runs = useReading(
    async (signal) => (await operations.runs(scope, signal)).data.items,
    [watch.last_refresh_id, watch.last_outcome],
    environment.nowMs,
  );
  return (
    <li class="card">
      <div class="panel-head">
        <h3>
          <ScopeText scope={scope} />
        </h3>
        <Tag tone={watch.state === 'active' ? 'good' : 'warn'}>{formatWord(watch.state)}</Tag>
        <ConfirmButton
          label="Stop watching"
          confirm="Stop and forget it"
          isBusy={remove.isBusy}
          onConfirm={() =>
            void remove.run(async () => {
              await operations.deleteWatch(scope);
              onChange();
            })
          }
        />
      </div>
      {remove.failure && <FailureNotice failure={remove.failure} />}
      {watch.paused_reason !== null && (
        <p class="notice warn">{pauses[watch.paused_reason] ?? formatWord(watch.paused_reason)}</p>
      )}
      <dl class="figures small-figures">
        <Figure label="Every" value={formatDuration(watch.every_seconds)} />
        <Figure
          label={watch.state === 'paused' ? 'Looked at again' : 'Next run'}
          value={watch.next_refresh_at === null ? '–' : formatTime(watch.next_refresh_at)}
        />
        <Figure
          label="A month, about"
          value={formatCredits(watch.expected_credits_per_month)}
          note={`at most ${formatCredits(watch.maximum_credits_per_month)}`}
        />
        <Figure
          label="Limit a day"
          value={
            watch.max_credits_per_day === null ? 'None' : formatCredits(watch.max_credits_per_day)
          }
        />
      </dl>
      <Read reading={runs} what="the runs">
        {(items) => <RunStrip runs={items} />}
      </Read>
    </li>
  );
}

/** The last runs, oldest first: a box each, with its outcome for those who point at it or read it. */
function RunStrip({ runs }: { runs: readonly WatchRun[] }) {
  if (runs.length === 0) return <p class="small">No run yet.</p>;
  return (
    <ol class="runs" aria-label="Runs, oldest first">
      {runs.toReversed().map((run) => {
        const { tone, title } = run.outcome === null ? open : outcomeTextOf(run.outcome);
        const price = run.credits_charged === null ? '' : `, ${formatCredits(run.credits_charged)}`;
        const text = `${title}, ${formatTime(run.at)}${price}`;
        return (
          <li key={run.refresh_id} class={`run ${tone} ${run.outcome ?? 'open'}`} title={text}>
            <span class="unseen">{text}</span>
          </li>
        );
      })}
    </ol>
  );
}
const open = { tone: 'plain', title: 'Under way' } as const;
