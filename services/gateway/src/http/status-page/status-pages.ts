import { pagePolicy } from '../reference/reference-pages.ts';
import type { PublicPages } from '../serve-pages.ts';
import { statusScript } from './status-script.ts';

const folder = '/status';

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Game Item Inventory Service: status</title>
<link rel="stylesheet" href="${folder}/status.css">
<link rel="icon" href="data:,">
</head>
<body>
<h1>Game Item Inventory Service</h1>
<p id="state" role="status">Reading the status…</p>
<dl>
<dt>Refreshes</dt><dd id="admission">–</dd>
<dt>Expected wait</dt><dd id="wait">–</dd>
<dt>Applications that the platform does not serve</dt><dd id="breakers">–</dd>
</dl>
<h2>Refreshes completed and failed, by the quarter hour</h2>
<svg id="ends" viewBox="0 0 970 160" role="img" aria-label="Refreshes of the last 24 hours"></svg>
<h2>Time until completed, p50 and p95</h2>
<svg id="waits" viewBox="0 0 970 160" role="img" aria-label="Waits of the last 24 hours"></svg>
<p id="at"></p>
<noscript>This page draws /v2/status and needs a script for it.</noscript>
<script src="${folder}/status.js"></script>
</body>
</html>
`;

const css = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1rem; margin-top: 2rem; }
#state { padding: .75rem 1rem; border-left: .4rem solid gray; }
#state.good { border-color: seagreen; }
#state.poor { border-color: darkorange; }
#state.unknown { border-color: firebrick; }
dt { font-weight: 600; }
dd { margin: 0 0 .75rem; }
svg { width: 100%; height: auto; border-bottom: 1px solid gray; }
.completed, .p50 { fill: seagreen; }
.failed { fill: firebrick; }
.p95 { fill: goldenrod; }
text { fill: currentColor; font-size: 12px; }
`;

/** GET /status: one page that draws the status of the service, from this process only. */
export function statusPages(): PublicPages {
  const headers = { 'Content-Security-Policy': pagePolicy };
  return {
    [folder]: { type: 'html', body: Buffer.from(html), headers },
    [`${folder}/status.js`]: { type: 'js', body: Buffer.from(statusScript) },
    [`${folder}/status.css`]: { type: 'css', body: Buffer.from(css) },
  };
}
