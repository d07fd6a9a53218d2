import { pagePolicy } from '../reference/reference-pages.ts';
import type { PublicPages } from '../serve-pages.ts';
import { statusScript } from './status-script.ts';
import { statusStyle } from './status-style.ts';

const folder = '/status';

/** What a colour means. */
const legend = (kinds: readonly (readonly [kind: string, text: string])[]) =>
  kinds
    .map(([kind, text]) => {
      const y = kind === 'none' ? 11 : 1;
      return `<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect class="${kind}" x="1" y="${y}" width="12" height="${13 - y}"/></svg>${text}</li>`;
    })
    .concat(
      '<li><svg viewBox="0 0 14 14" aria-hidden="true"><path class="stripes" d="M1 8 8 1M1 13 13 1M6 13l7-7"/></svg>not measured</li>',
    )
    .join('\n');

const chart = (id: string, title: string, text: string, kinds: Parameters<typeof legend>[0]) =>
  `<section class="panel" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<p class="small">${text}</p>
<ul class="legend">
${legend(kinds)}
</ul>
<div id="${id}" class="chart" role="slider" tabindex="0" aria-labelledby="${id}-title" aria-valuemin="0" aria-valuenow="0">
<svg aria-hidden="true"></svg>
</div>
<p id="${id}-value" class="value"></p>
</section>`;

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
<main>
<h1>Game Item Inventory Service: status</h1>
<p id="state" class="notice" role="status">Reading the status…</p>
<dl class="panel figures">
<div><dt>New refreshes</dt><dd id="admission">–</dd></div>
<div><dt>Expected wait of a new one</dt><dd id="wait">–</dd></div>
<div><dt id="breakers-name">Applications served</dt><dd id="breakers">–</dd></div>
</dl>
${chart(
  'ends',
  'Refreshes in each quarter hour',
  'All customers together. <span id="ends-sum"></span> A refresh that failed was free.',
  [
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['none', 'no refresh ended'],
  ],
)}
${chart(
  'waits',
  'How long completed refreshes took',
  'From request to end, rounded up: seconds, or minutes (min).',
  [
    ['p50', 'half took at most so long'],
    ['p95', '95 of 100 took at most so long'],
    ['none', 'no refresh completed'],
  ],
)}
<p id="at" class="small"></p>
<noscript>This page draws /v2/status and needs a script for it.</noscript>
</main>
<script src="${folder}/status.js"></script>
</body>
</html>
`;

/** GET /status: one page that draws the status of the service, from this process only. */
export function statusPages(): PublicPages {
  const headers = { 'Content-Security-Policy': pagePolicy };
  return {
    [folder]: { type: 'html', body: Buffer.from(html), headers },
    [`${folder}/status.js`]: { type: 'js', body: Buffer.from(statusScript) },
    [`${folder}/status.css`]: { type: 'css', body: Buffer.from(statusStyle) },
  };
}
