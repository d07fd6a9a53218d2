import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tidy/tracked-files.ts';

/** The labels of a metric; null means values that the catalogue does not list one by one. */
export type Labels = ReadonlyMap<string, readonly string[] | null>;

/** The page of all metrics, by the name a scrape shows. */
export function metricCatalogue(): ReadonlyMap<string, Labels> {
  const page = readFileSync(join(root, 'docs/generated/metrics.md'), 'utf8');
  const catalogue = new Map<string, Labels>();
  for (const [, name = '', kind = '', labels = ''] of page.matchAll(
    /^\| `[\w.]+` \| `(\w+)` \| ([^|]+) \| [^|]+ \| (.+) \|$/gm,
  )) {
    const known = new Map(labels.split('<br>').flatMap(labelOf));
    if (!kind.startsWith('histogram')) catalogue.set(name, known);
    else for (const part of ['sum', 'count', 'bucket']) catalogue.set(`${name}_${part}`, known);
  }
  return catalogue;
}

function labelOf(text: string): [string, readonly string[] | null][] {
  const [, name = '', values = ''] = /^`(\w+)`: (.*)$/.exec(text) ?? [];
  if (name === '') return [];
  const listed = /^(`[^`]+` ?)+$/.test(values);
  return [
    [name, listed ? [...values.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value) : null],
  ];
}

export interface Selection {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** Every series that a query selects, with the values it names; patterns name none. */
export function selectionsOf(expr: string): Selection[] {
  const named = /\b((?:inventory|http|messaging|process)_\w+)(?:\{([^}]*)\})?/g;
  const withoutLabelLists = expr.replaceAll(/\b(by|on|without) \([^)]*\)/g, '');
  return [...withoutLabelLists.matchAll(named)].map(([, metric = '', selector = '']) => ({
    metric,
    matchers: [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', text = '']) => ({
        label,
        values: operator.includes('~') && /[^\w|]/.test(text) ? [] : text.split('|'),
      }),
    ),
  }));
}

/** The labels that a query groups or matches by. */
export function groupingsOf(expr: string): string[] {
  return [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list === '' ? [] : list.split(',').map((label) => label.trim()),
  );
}
