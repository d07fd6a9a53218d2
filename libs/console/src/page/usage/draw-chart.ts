import uPlot from 'uplot';
import { formatNumber } from '../format.ts';
import { productNames, stacked, type UsageDays } from './usage-by-day.ts';

export const height = 240;
const daySeconds = 86_400;
const utc = (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC');
const dayText = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function drawChart(element: HTMLDivElement, days: UsageDays, unit: string): uPlot {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const layers = stacked(days);

  const bars = uPlot.paths.bars?.({ size: [0.7, 48] });
  const axis = {
    stroke: colour('--muted'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      tzDate: utc,
      cursor: { points: { show: false }, drag: { x: false, y: false } },
      scales: {
        // Half a day on both sides, for the first and the last bar.
        x: { range: (_plot, min, max) => [min - daySeconds / 2, max + daySeconds / 2] },
        y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 70,
          incrs: [1, 2, 7].map((days) => days * daySeconds),
          values: (_plot, at) => at.map((one) => dayText.format(one * 1_000)),
        },
        {
          ...axis,
          size: 56,
          label: unit,
          labelSize: 20,
          labelFont: `12px ${style.fontFamily}`,
          values: (_plot, at) => at.map((one) => (Number.isInteger(one) ? formatNumber(one) : '')),
        },
      ],
      series: [
        { label: 'Day', value: (_plot, at) => (at === null ? '–' : dayText.format(at * 1_000)) },
        ...layers.map(({ product, paid }) => {
          const fill = colour(`--chart-${1 + Object.keys(productNames).indexOf(product)}`);
          return {
            label: productNames[product] ?? product,
            fill,
            stroke: fill,
            width: 0,
            points: { show: false },
            ...(bars && { paths: bars }),
            value: (_plot: uPlot, _value: number, _series: number, index: number | null) =>
              index === null ? '–' : formatNumber(paid[index] ?? 0),
          };
        }),
      ],
    },
    [[...days.starts], ...layers.map(({ upTo }) => upTo)],
    element,
  );
}
