import { assetsPath, readConsoleFiles } from '@inventory/console/console-files';
import { invariant } from '@inventory/runtime/bug';
import { policyOf } from '../reference/reference-pages.ts';
import { consolePath, type PublicPage, type PublicPages } from '../serve-pages.ts';

/** Where the page has what its gateway is configured for. */
const settingsPlace = '<meta name="console-settings" content="">';
const types: Readonly<Record<string, string>> = { js: 'js', css: 'css' };

/**
 * GET /console: a page that uses the public API alone, from this process only. `picturesUrl` is what an
 * `icon_url` is appended to; null for no pictures. The page is revalidated with each load, as it names
 * the files of its version; these have names of their content and are kept.
 */
export function consolePages(
  picturesUrl: string | null,
  eventsOrigin: string | null,
  hasReference: boolean,
): PublicPages {
  const { html, assets } = readConsoleFiles();
  invariant(html.includes(settingsPlace), 'the page has a place for its settings');
  const settings = JSON.stringify({
    pictures_url: picturesUrl,
    // No API allows other origins, so that of events cannot be read from this one.
    has_stream: eventsOrigin === null,
    has_reference: hasReference,
  });
  const content = settings.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = html.replace(settingsPlace, () => settingsPlace.replace('""', `"${content}"`));
  const headers = {
    'Content-Security-Policy': policyOf(picturesUrl === null ? [] : [new URL(picturesUrl).origin]),
    'Cache-Control': 'no-cache',
    'Referrer-Policy': 'no-referrer',
  };
  return {
    [consolePath]: { type: 'html', body: Buffer.from(page), headers },
    ...Object.fromEntries(
      [...assets].map(([name, body]) => [`${assetsPath}/${name}`, asset(name, body)]),
    ),
  };
}

function asset(name: string, body: Buffer): PublicPage {
  const type = types[name.slice(name.lastIndexOf('.') + 1)];
  invariant(type !== undefined, `the type of ${name} is known`);
  return { type, body, headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } };
}
