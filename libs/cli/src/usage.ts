import type { CallFlags, Session } from './session.ts';
import { usageChart } from './usage-chart.ts';

export interface UsageFlags extends CallFlags {
  readonly from?: string;
  readonly to?: string;
}

const columnsDefault = 80;

/** What was charged: a chart, or with `--json` a line of each day, Project and product. */
export async function showUsage(
  { cli, client, printer, call }: Session,
  { json, from, to }: UsageFlags,
): Promise<void> {
  const usage = await client.usage({ ...call, from, to });
  if (json) {
    for (const row of usage.items) await printer.result(row, '');
  } else {
    await printer.result(usage, usageChart(usage, cli.columns() ?? columnsDefault));
  }
}
