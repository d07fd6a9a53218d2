import type { Account, Permission, Prices, Project, Status } from '../api/wire-types.ts';
import { formatCredits, formatDay, formatNumber, formatWord } from '../format.ts';
import { Read, Tag } from '../parts/notices.tsx';
import { Figure, Panel } from '../parts/panel.tsx';
import { useReading } from '../parts/use-reading.ts';
import { allows, useSession } from '../session.tsx';

const everyMs = 15_000;

const abilities: readonly (readonly [Permission, string])[] = [
  ['platform.inventory.refresh.v1', 'Refresh and watch inventories'],
  ['platform.inventory.current.page.v1', 'Read saved inventories and changes'],
  ['platform.inventory.page.v1', 'Read pages of the platform, live'],
  ['customer.events.read.v1', 'Receive events'],
  ['customer.webhooks.manage.v1', 'Manage webhooks'],
  ['customer.account.read.v1', 'Read statement and usage'],
  ['customer.account.manage.v1', 'Set the balance alert'],
  ['customer.credentials.manage.v1', 'Issue and revoke keys'],
];

/** Balance, month, environment, what the key may do, status of the service. */
export function OverviewRoom() {
  const { operations, environment, account: opened } = useSession();
  const mayReadUsage = allows(opened, 'customer.account.read.v1');
  const { nowMs } = environment;
  const account = useReading(
    async (signal) => {
      const [{ data, meta }, project, usage] = await Promise.all([
        operations.account(signal),
        operations.project(signal),
        // Without a span: of the month so far.
        mayReadUsage ? operations.usage({}, signal) : null,
      ]);
      const spent =
        usage?.data.items.reduce((sum, one) => sum + one.charged - one.reversed, 0) ?? null;
      return { account: data, environment: meta.environment, project: project.data, spent };
    },
    [],
    nowMs,
    everyMs,
  );
  const status = useReading(
    async (signal) => (await operations.status(signal)).data,
    [],
    nowMs,
    everyMs,
  );
  const prices = useReading(async (signal) => (await operations.prices(signal)).data, [], nowMs);
  return (
    <div class="grid">
      <Panel title="Balance">
        <Read reading={account} what="the account">
          {(read) => <Balance {...read} />}
        </Read>
      </Panel>
      <Panel title="Service">
        <Read reading={status} what="the status">
          {(one) => <ServiceState status={one} />}
        </Read>
      </Panel>
      <Panel title="This key">{account.value && <KeyFacts {...account.value} />}</Panel>
      <Panel title="Prices">
        <Read reading={prices} what="the prices">
          {(list) => <PriceList prices={list} />}
        </Read>
      </Panel>
    </div>
  );
}

interface OwnAccount {
  readonly account: Account;
  readonly environment: string | undefined;
  readonly project: Project;
  /** In this month; null where the key may not read it. */
  readonly spent: number | null;
}

function Balance({ account, project, spent }: OwnAccount) {
  const { funding, balance } = account;
  const isUnits = funding.mode === 'subscription';
  const amounts = isUnits ? funding.units : balance;
  const cap = project.credential_spend_cap ?? project.spend_cap ?? null;
  return (
    <dl class="figures">
      <Figure
        label={isUnits ? 'Units available' : 'Credits available'}
        value={formatNumber(amounts.available)}
        note={
          isUnits
            ? `of ${formatNumber(funding.units_per_month)} until ${formatDay(funding.period.ends_at)}`
            : undefined
        }
      />
      <Figure
        label="Held"
        value={formatNumber(amounts.held)}
        note="for refreshes that are under way"
      />
      <Figure
        label="This month"
        value={spent === null && cap === null ? '–' : formatNumber(spent ?? cap?.spent ?? 0)}
        note={
          cap === null
            ? 'spent, without a cap'
            : `spent; ${formatNumber(cap.spent)} of a cap of ${formatNumber(cap.cap)} until ${formatDay(cap.resets_at)}`
        }
      />
    </dl>
  );
}

function ServiceState({ status }: { status: Status }) {
  const { admission, expected_wait_seconds: wait, circuit_breakers: breakers } = status;
  const isOpen = admission.state === 'open';
  const last = status.quarter_hours.slice(-4);
  const completed = last.reduce((sum, quarter) => sum + quarter.completed, 0);
  const failed = last.reduce((sum, quarter) => sum + quarter.failed, 0);
  return (
    <>
      <dl class="figures">
        <Figure
          label="Refreshes"
          value={<Tag tone={isOpen ? 'good' : 'bad'}>{isOpen ? 'Admitted' : 'Not admitted'}</Tag>}
          note={admission.reason === null ? undefined : formatWord(admission.reason)}
        />
        <Figure
          label="Expected wait"
          value={wait === null ? '–' : `${formatNumber(wait)} s`}
          note={wait === null ? 'no estimate at the moment' : 'of a refresh requested now'}
        />
        <Figure
          label="Last hour"
          value={formatNumber(completed)}
          note={`completed, ${formatNumber(failed)} failed`}
        />
      </dl>
      {breakers.length > 0 && (
        <p>
          <Tag tone="warn">Not served</Tag> Applications{' '}
          {breakers.map(({ app_id: appId }) => appId).join(', ')}
        </p>
      )}
      <p class="small">
        <a href="/status">Status of the last 24 hours</a>
      </p>
    </>
  );
}

function KeyFacts({ account, environment = 'live', project }: OwnAccount) {
  const { credential, rate_limit: rateLimit } = account;
  return (
    <>
      <p>
        <Tag tone={environment === 'live' ? 'good' : 'warn'}>{formatWord(environment)}</Tag>{' '}
        {project.name ?? 'Project without a name'} · {formatNumber(rateLimit.limit_per_minute)}{' '}
        requests a minute ·{' '}
        {credential.expires_at === null
          ? 'does not expire'
          : `expires ${formatDay(credential.expires_at)}`}
      </p>
      <ul class="abilities">
        {abilities.map(([permission, text]) => {
          const isAllowed = allows(account, permission);
          return (
            <li key={permission} class={isAllowed ? 'yes' : 'no'}>
              <span aria-hidden="true">{isAllowed ? '✓' : '–'}</span>
              <span class="unseen">{isAllowed ? 'May:' : 'May not:'}</span> {text}
            </li>
          );
        })}
      </ul>
      <p class="small">
        Project <code class="id">{credential.project_id}</code>
      </p>
    </>
  );
}

function PriceList({ prices: { refresh, watch, current_page: page, next } }: { prices: Prices }) {
  return (
    <>
      <ul class="lines">
        <li>
          Refresh: {formatCredits(refresh.block)} for each started{' '}
          {formatNumber(refresh.block_assets)} items; {formatNumber(refresh.reservation)} held
          meanwhile
        </li>
        <li>Private or not found: {formatCredits(refresh.diagnostic)}. A failed refresh is free</li>
        <li>
          Run of a watch without a change: {formatCredits(watch.unchanged_block)} for each started{' '}
          {formatNumber(watch.unchanged_block_assets)} items
        </li>
        <li>Reading what is saved: {formatCredits(page.page)} for each page of 2,000 items</li>
      </ul>
      {next !== null && (
        <p class="small">Another price list takes effect {formatDay(next.effective_at)}.</p>
      )}
    </>
  );
}
