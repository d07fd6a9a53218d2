import { useEffect, useRef } from 'preact/hooks';
import type { UsageDays } from './usage-by-day.ts';

/** What was paid on each day, stacked by product. The numbers are in the table beside it, without the drawing too. */
export function UsageChart({ days, unit }: { days: UsageDays; unit: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leaving = new AbortController();
    if (frame.current !== null) {
      // What draws is loaded by this room alone; without it the table remains.
      void show(frame.current, { days, unit }, leaving.signal).catch(() => {});
    }
    return () => leaving.abort();
  }, [days, unit]);
  return <div class="chart" ref={frame} role="img" aria-label={`${unit} a day by product`} />;
}

async function show(
  element: HTMLDivElement,
  { days, unit }: { days: UsageDays; unit: string },
  leaving: AbortSignal,
): Promise<void> {
  const { drawChart, height } = await import('./draw-chart.ts');
  if (leaving.aborted) return;
  let plot = drawChart(element, days, unit);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => {
    plot.destroy();
    plot = drawChart(element, days, unit);
  };
  scheme.addEventListener('change', redraw);
  leaving.addEventListener('abort', () => {
    observer.disconnect();
    scheme.removeEventListener('change', redraw);
    plot.destroy();
  });
}
