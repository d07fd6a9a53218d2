import type { ReceivedSpan } from './otlp-receiver.ts';

/** More of one name under one span are drawn as their number. */
const sameMax = 2;

/**
 * A trace as text: each span below the one that caused it, with its service, when it began after
 * the first and how long it took, in milliseconds.
 */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
  const root = children.get(null)?.[0];
  if (!root) throw new Error('the trace has no beginning');
  const lines = [row('span', 'service', 'begins', 'takes')];
  const known = new Set(spans.map(({ name }) => name));

  function draw(span: ReceivedSpan, depth: number, more: number): void {
    const name = `${'  '.repeat(depth)}${span.name}${more > 0 ? `  (and ${more} more)` : ''}`;
    const begins = span.startMs - (root?.startMs ?? 0);
    lines.push(row(name, span.service, String(begins), String(span.durationMs)));
    const below = children.get(span.spanId) ?? [];
    const byName = Map.groupBy(below, (child) => `${child.service} ${child.name}`);
    const shown = [...byName.values()].flatMap((same) => {
      const first = same.toSorted(byStart).slice(0, same.length > sameMax ? 1 : sameMax);
      return first.map((child) => ({ child, left: same.length - first.length }));
    });
    for (const { child, left } of shown.toSorted((a, b) => byStart(a.child, b.child))) {
      draw(child, depth + 1, left);
    }
  }

  draw(root, 0, 0);
  lines.push('', `${spans.length} spans, ${known.size} names`);
  return lines.join('\n');
}

function byStart(left: ReceivedSpan, right: ReceivedSpan): number {
  return left.startMs - right.startMs;
}

function row(name: string, service: string, begins: string, takes: string): string {
  return `${name.padEnd(74)} ${service.padEnd(18)} ${begins.padStart(7)} ${takes.padStart(7)}`;
}
