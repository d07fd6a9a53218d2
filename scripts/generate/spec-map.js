'use strict';

/**
 * Which test holds which rule of the specification, by the titles of the tests. Rules that no test
 * of `npm test` holds are listed first.
 */
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const path = 'docs/generated/spec-map.md';
const parts = [
  ['Interface', require('./spec-rules/interface.js')],
  ['Access, transport, errors', require('./spec-rules/decisions-access.js')],
  ['Refreshes', require('./spec-rules/decisions-refresh.js')],
  ['Reads, money, events, operating', require('./spec-rules/decisions-reads.js')],
];
/** Where rules of the specification are tested. */
const holdsRules =
  /^(services|test\/(e2e|contract)|libs\/(client|contracts)|libs\/runtime\/src\/identifiers)\b/;
const shownMax = 12;

const intro = `# Rules and their tests

Generated from the titles of the tests by \`npm run generate\`; the rules and the pattern of their
titles are in \`scripts/generate/spec-rules\`. A rule of the platform is cited as \`upstream\` with its
number in titles of \`test/platform-simulator\` and \`services/refresh-collector\`. Files named
\`*.long.test.ts\` are run by \`npm run test:long\` alone.
`;

function specMap(root) {
  const titles = testsOf(root).flatMap((file) => titlesOf(root, file));
  const found = parts.map(([part, rules]) => [
    part,
    rules.map(([rule, meaning, pattern]) => ({
      rule,
      meaning,
      tests: titles.filter((test) => pattern.test(`${test.file} ${test.title}`)),
    })),
  ]);
  const open = found.flatMap(([, rules]) => rules.filter(({ tests }) => tests.every(isLong)));
  const none = open.length === 0 ? 'None.' : open.map(({ rule }) => `- ${rule}`).join('\n');
  const sections = found.map(
    ([part, rules]) => `## ${part}\n\n${rules.map(ruleText).join('\n\n')}`,
  );
  const content = [
    intro,
    `## Rules that no test of \`npm test\` holds\n\n${none}`,
    ...sections,
  ].join('\n\n');
  return [{ path, content: `${content.replaceAll(/\n{3,}/g, '\n\n')}\n` }];
}

const isLong = ({ file }) => file.endsWith('.long.test.ts');

function ruleText({ rule, meaning, tests }) {
  const shortFirst = [...tests.filter((test) => !isLong(test)), ...tests.filter(isLong)];
  const shown = shortFirst.slice(0, shownMax).map(({ file, title }) => `- \`${file}\`: ${title}`);
  const more = tests.length - shown.length;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [`### ${rule}`, ...(meaning ? ['', meaning] : []), '', ...shown, ...rest].join('\n');
}

/** New files count too: else the map would change with the commit that adds them. */
function testsOf(root) {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'];
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .sort()
    .filter((file) => holdsRules.test(file) && existsSync(join(root, file)));
}

/** The title of each test, with that of its group. */
function titlesOf(root, file) {
  const source = readFileSync(join(root, file), 'utf8');
  const named = /(['"`])((?:(?!\1)[^\\]|\\.)*)\1,\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>/g;
  let group = '';
  const titles = [];
  for (const { index, 2: text } of source.matchAll(named)) {
    const before = source.slice(Math.max(0, index - 40), index);
    if (!text.includes(' ') || /(waitFor|until\w*)\(\s*$/.test(before)) continue;
    const line = source.slice(source.lastIndexOf('\n', index) + 1, index);
    const title = text.replaceAll(/\s+/g, ' ').replaceAll('\\', '');
    if (/describe(\.each.*)?\($/.test(before)) group = title;
    else titles.push({ file, title: /^\s/.test(line) && group ? `${group}: ${title}` : title });
  }
  return titles;
}

module.exports = { specMap };
