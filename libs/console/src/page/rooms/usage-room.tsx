import { useState } from 'preact/hooks';
import type { Statement, Usage } from '../api/wire-types.ts';
import { formatDay, formatNumber, formatTime, formatWord } from '../format.ts';
import { Empty, FailureNotice, Read } from '../parts/notices.tsx';
import { Lacking, Panel, Table } from '../parts/panel.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction, useReading } from '../parts/use-reading.ts';
import { allows, useSession } from '../session.tsx';
import { statementFile } from '../usage/statement-file.ts';
import { productNames, totalsOf, usageByDay } from '../usage/usage-by-day.ts';
import { UsageChart } from '../usage/usage-chart.tsx';

const dayMs = 86_400_000;
const spans = [7, 14, 31];
const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** Credits a day by product, and every entry of the statement. */
export function UsageRoom() {
  const { account } = useSession();
  return allows(account, permission) ? (
    <Books />
  ) : (
    <Lacking title="Usage" permission={permission} />
  );
}
const permission = 'customer.account.read.v1';

function Books() {
  const { operations, environment } = useSession();
  const { nowMs } = environment;
  const [days, setDays] = useState(14);
  const to = dayOf(nowMs());
  const from = dayOf(nowMs() - (days - 1) * dayMs);
  const usage = useReading(
    async (signal) => (await operations.usage({ from, to }, signal)).data,
    [from, to],
    nowMs,
  );
  const statement = useReading(
    async (signal) =>
      (await operations.statement({ from: `${from}T00:00:00Z`, limit: 100 }, signal)).data,
    [from],
    nowMs,
  );
  return (
    <div class="stack">
      <Panel
        title="Usage a day"
        actions={
          <select
            aria-label="Days"
            value={days}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
          >
            {spans.map((span) => (
              <option key={span} value={span}>
                Last {span} days
              </option>
            ))}
          </select>
        }
      >
        <Read reading={usage} what="the usage">
          {(read) => <UsageOfDays usage={read} />}
        </Read>
      </Panel>
      <StatementPanel from={from} statement={statement} />
    </div>
  );
}

function UsageOfDays({ usage }: { usage: Usage }) {
  if (usage.items.length === 0) return <Empty>Nothing was bought in these days.</Empty>;
  const totals = totalsOf(usage);
  return (
    <>
      <UsageChart days={usageByDay(usage)} unit={unitOf(totals)} />
      <Table caption="Usage by product" columns={['Product', 'Count #', 'Charged #', 'Refunded #']}>
        {totals.map(({ product, asset, count, charged, reversed }) => (
          <tr key={`${product} ${asset}`}>
            <td>
              {productNames[product] ?? product} <span class="muted">in {asset}</span>
            </td>
            <td class="number">{formatNumber(count)}</td>
            <td class="number">{formatNumber(charged)}</td>
            <td class="number">{formatNumber(reversed)}</td>
          </tr>
        ))}
      </Table>
      <p class="small">
        UTC days from {formatDay(usage.from)} to {formatDay(usage.to)}, of all Projects of the
        account.
      </p>
    </>
  );
}

function StatementPanel({
  from,
  statement,
}: {
  from: string;
  statement: Parameters<typeof Read<Statement>>[0]['reading'];
}) {
  const { api } = useSession();
  const saving = useAction();
  return (
    <Panel
      title="Statement"
      actions={
        <button
          type="button"
          disabled={saving.isBusy}
          onClick={() =>
            void saving.run(async () =>
              saveFile(`statement-${from}.csv`, await statementFile(api, from)),
            )
          }
        >
          {saving.isBusy ? 'Reading…' : 'Save CSV'}
        </button>
      }
    >
      {saving.failure && <FailureNotice failure={saving.failure} />}
      <Read reading={statement} what="the statement">
        {({ items, pagination }) =>
          items.length === 0 ? (
            <Empty>No entry in these days.</Empty>
          ) : (
            <>
              <Table
                caption="Entries of the statement"
                columns={['At', 'Entry', 'Product', 'Available #', 'Held #', 'Available after #']}
              >
                {items.map((row) => (
                  <tr key={row.entry_id}>
                    <td class="nowrap">{formatTime(row.at)}</td>
                    <td>{row.reason ?? formatWord(row.kind)}</td>
                    <td>
                      {row.product_code && (productNames[row.product_code] ?? row.product_code)}
                    </td>
                    <td class="number">{signed(row.change_available)}</td>
                    <td class="number">{signed(row.change_held)}</td>
                    <td class="number">{formatNumber(row.available_after)}</td>
                  </tr>
                ))}
              </Table>
              {pagination.has_more && (
                <p class="small">The first {items.length} entries are shown; the CSV has all.</p>
              )}
            </>
          )
        }
      </Read>
    </Panel>
  );
}

/** An account that has changed its funding has both in one chart. */
function unitOf(totals: ReturnType<typeof totalsOf>): string {
  return [...new Set(totals.map(({ asset }) => asset))].join(' and ');
}

const signed = (change: number) =>
  change > 0 ? `+${formatNumber(change)}` : change === 0 ? '' : formatNumber(change);
