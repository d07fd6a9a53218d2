/** The look of the console: its colours by their names, dark and light by the system. */
export const statusStyle = `:root {
  color-scheme: light dark;
  --page: #f5f6f8; --surface: #ffffff; --raised: #eef1f5; --line: #dce1e8; --line-strong: #8490a1;
  --text: #18212d; --muted: #55606f; --accent: #1d5bc9; --accent-tint: #e7effc;
  --good: #14713f; --good-tint: #e2f4e9; --warn: #855400; --warn-tint: #fdf1d9; --bad: #b0241c; --bad-tint: #fdeae8;
  --chart-1: #1d5bc9; --chart-2: #0f8a72; --chart-2-tint: #9fd3c8;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --surface: #171c23; --raised: #202731; --line: #2c3541; --line-strong: #6b7889;
    --text: #e6ebf1; --muted: #a0acba; --accent: #82b1ff; --accent-tint: #1b2b45;
    --good: #67d296; --good-tint: #14301f; --warn: #e8b655; --warn-tint: #362a12; --bad: #ff938a; --bad-tint: #3d1b19;
    --chart-1: #82b1ff; --chart-2: #4fcbb0; --chart-2-tint: #235a50;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); }
main { max-width: 68rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
h1 { font-size: 1.35rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 0.95rem; margin: 0; }
p { margin: 0; }
.small { color: var(--muted); font-size: 0.86rem; }
.notice { border-left: 3px solid var(--line-strong); background: var(--raised); border-radius: 4px; padding: 0.6rem 0.9rem; font-weight: 600; }
.notice.good { border-color: var(--good); background: var(--good-tint); }
.notice.warn { border-color: var(--warn); background: var(--warn-tint); }
.notice.bad { border-color: var(--bad); background: var(--bad-tint); }
dt { color: var(--muted); font-size: 0.83rem; }
dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.1rem; display: grid; gap: 0.5rem; grid-template-columns: minmax(0, 1fr); }
.figures { display: flex; flex-wrap: wrap; gap: 0.75rem 2.5rem; margin: 0; }
.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; font-size: 0.86rem; }
.legend li { display: flex; align-items: center; gap: 0.4rem; }
.legend svg { width: 14px; height: 14px; }
.chart { touch-action: pan-y; cursor: crosshair; border-radius: 4px; }
.chart svg { display: block; width: 100%; height: 190px; }
.chart:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.value { min-height: 1.45em; font-weight: 500; font-variant-numeric: tabular-nums; }
text { fill: var(--muted); font-size: 12px; }
.note { fill: var(--text); paint-order: stroke; stroke: var(--surface); stroke-width: 6px; }
.rule { stroke: var(--line); }
.tick { stroke: var(--line-strong); }
.chosen { fill: var(--line-strong); opacity: 0.35; }
.completed { fill: var(--chart-1); }
.failed { fill: var(--bad); }
.p50 { fill: var(--chart-2); }
.p95 { fill: var(--chart-2-tint); }
.none { fill: var(--line-strong); }
.hatch { fill: var(--line-strong); opacity: 0.35; }
.stripes { stroke: var(--line-strong); }
`;
