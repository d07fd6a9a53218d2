import type { StackService } from '@inventory/local-stack/stack';
import { type DescribedInstrument, describedInstruments } from '@inventory/runtime/instruments';
import '@inventory/http/measure-requests';
import '@inventory/runtime/process-metrics';
import '@inventory/runtime/readiness-metrics';
import '@inventory/work/outbox';
import '../../../libs/messaging/src/messaging-metrics.ts';
import '../../../services/billing-ledger/src/metrics.ts';
import '../../../services/event-stream/src/log/log-metrics.ts';
import '../../../services/event-stream/src/webhooks/webhook-metrics.ts';
import '../../../services/gateway/src/metrics.ts';
import '../../../services/gateway/src/streams/stream-metrics.ts';
import '../../../services/refresh-collector/src/egress/egress-metrics.ts';
import '../../../services/refresh-collector/src/live-pages/live-page-metrics.ts';
import '../../../services/refresh-collector/src/survey/survey-metrics.ts';
import '../../../services/refresh-collector/src/planning/plan-metrics.ts';
import '../../../services/refresh-collector/src/saga/refresh-metrics.ts';
import '../../../services/revision-store/src/metrics.ts';

/** One line of a scrape. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?/g;

/** Everything that one service shows, without its values. */
export async function readSeries({ url }: Pick<StackService, 'url'>): Promise<Series[]> {
  const response = await fetch(`${url}/metrics`);
  const lines = (await response.text()).split('\n').filter((text) => text && !text.startsWith('#'));
  return lines.map((text) => {
    const [, name, labels = ''] = line.exec(text) ?? [];
    if (name === undefined) throw new Error(`no series: ${text}`);
    const pairs = [...labels.matchAll(label)].map(([, key = '', value = '']) => [key, value]);
    return { name, labels: Object.fromEntries(pairs) };
  });
}

/** Labels that identify one customer or object: their values are unbounded. */
const anId = /[0-9a-f]{8}-[0-9a-f]{4}|\d{6}|[a-z]+_[0-9a-f]{12}|https?:|@/i;

/** Series that the reference of metrics does not know, or not with such a value, each with why. */
export function undescribed(series: readonly Series[]): string[] {
  const known = new Map(describedInstruments().map((each) => [scrapedName(each), each]));
  return series.flatMap(({ name, labels }) => {
    const instrument = known.get(name) ?? known.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (!instrument) return [`${name} is not described`];
    const wrong = Object.entries(labels).filter(([key, value]) => {
      if (anId.test(value)) return key !== 'le';
      if (key === 'le') return !name.endsWith('_bucket');
      return !mayHave(instrument, key, value);
    });
    return wrong.map(([key, value]) => `${name} has ${key}="${value}"`);
  });
}

function scrapedName({ name, kind }: DescribedInstrument): string {
  const scraped = name.replaceAll('.', '_');
  return kind === 'counter' ? `${scraped}_total` : scraped;
}

function mayHave(instrument: DescribedInstrument, key: string, value: string): boolean {
  for (const [name, values] of Object.entries(instrument.labels ?? {})) {
    if (name.replaceAll('.', '_') !== key) continue;
    return 'pattern' in values ? values.pattern.test(value) : values.includes(value);
  }
  return false;
}
