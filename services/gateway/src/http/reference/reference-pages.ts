import { readFileSync } from 'node:fs';
import {
  consolePath,
  llmsPath,
  type PublicPage,
  type PublicPages,
  referencePath,
} from '../serve-pages.ts';
import { referenceScript } from './reference-script.ts';

const folder = referencePath;

/**
 * Content security policy: this origin only. Inline styles are those that the script of the page
 * sets on elements; inline scripts are refused.
 */
export const pagePolicy = policyOf([]);

/** The same, with images of other origins. */
export function policyOf(imageOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const htmlWith = (hasConsole: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Game Item Inventory Service: API reference</title>
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="icon" type="image/png" href="${folder}/favicon-32x32.png">
</head>
<body>
<div class="swagger-ui"><div class="wrapper">
<p>Quick start: POST a refresh of an inventory, read its status with <code>?wait=30</code> until it is completed, then
read Current. The main routes with their prices are <a href="${llmsPath}">on one page</a>.${
  hasConsole
    ? ` To look at inventories with a key, open the <a href="${consolePath}">console</a>.`
    : ''
}</p>
</div></div>
<div id="reference"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="${folder}/reference.js"></script>
</body>
</html>
`;

/** GET /docs: the interactive reference, served from this process only. */
export function referencePages(
  /** Whether operations can be called from the page, with a key that is typed in. */
  canTry: boolean,
  hasConsole: boolean,
): PublicPages {
  const headers = { 'Content-Security-Policy': pagePolicy };
  return {
    [folder]: { type: 'html', body: Buffer.from(htmlWith(hasConsole)), headers },
    [`${folder}/reference.js`]: { type: 'js', body: Buffer.from(referenceScript(canTry)) },
    [`${folder}/swagger-ui.css`]: packaged(
      'css',
      require.resolve('swagger-ui-dist/swagger-ui.css'),
    ),
    [`${folder}/swagger-ui-bundle.js`]: packaged(
      'js',
      require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    ),
    [`${folder}/favicon-32x32.png`]: packaged(
      'png',
      require.resolve('swagger-ui-dist/favicon-32x32.png'),
    ),
  };
}

function packaged(type: string, file: string): PublicPage {
  return { type, body: readFileSync(file) };
}
