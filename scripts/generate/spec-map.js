'use strict';

/**
 * Which test holds which rule of the specification: a title, or that of its group, has the rule's id
 * in square brackets. Rules that no test of `npm test` holds are listed first; an unknown id is an
 * error.
 */
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const parts = require('./spec-rules.js');

const path = 'docs/generated/spec-map.md';
/** Where rules of the specification are tested. */
const holdsRules =
  /^(services|test\/(e2e|contract)|libs\/(client|contracts)|libs\/runtime\/src\/identifiers)\b/;

const intro = `# Rules and their tests

Generated from the titles of the tests by \`npm run generate\`: a title, or that of its group, has the
ids of the rules that it holds in square brackets. The rules are in \`scripts/generate/spec-rules.js\`.
A rule of the platform is cited as \`upstream\` with its number in titles of
\`test/platform-simulator\` and \`services/refresh-collector\`. Files named \`*.long.test.ts\` are run by
\`npm run test:long\` alone.
`;

function specMap(root) {
  const titles = testsOf(root).flatMap((file) => titlesOf(root, file));
  const rules = Object.assign({}, ...Object.values(parts));
  const unknown = titles.flatMap(({ file, ids }) =>
    ids.filter((id) => !(id in rules)).map((id) => `${file}: there is no rule ${id}`),
  );
  if (unknown.length > 0) throw new Error(unknown.join('\n'));
  const testsWith = (id) => titles.filter(({ ids }) => ids.includes(id));
  const open = Object.keys(rules).filter((id) => testsWith(id).every(isLong));
  const none = open.length === 0 ? 'None.' : open.map((id) => `- ${id}`).join('\n');
  const sections = Object.entries(parts).map(([part, list]) => {
    const texts = Object.entries(list).map(([id, rule]) => ruleText(id, rule, testsWith(id)));
    return `## ${part}\n\n${texts.join('\n\n')}`;
  });
  const content = [
    intro,
    `## Rules that no test of \`npm test\` holds\n\n${none}`,
    ...sections,
  ].join('\n\n');
  return [{ path, content: `${content.replaceAll(/\n{3,}/g, '\n\n')}\n` }];
}

const isLong = ({ file }) => file.endsWith('.long.test.ts');

function ruleText(id, rule, tests) {
  const shortFirst = [...tests.filter((test) => !isLong(test)), ...tests.filter(isLong)];
  const lines = shortFirst.map(({ file, title }) => `- \`${file}\`: ${title}`);
  return `### ${id}\n\n${rule}\n\n${lines.join('\n')}`;
}

/** New files count too: else the map would change with the commit that adds them. */
function testsOf(root) {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'];
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .sort()
    .filter((file) => holdsRules.test(file) && existsSync(join(root, file)));
}

/** Every string of a test file that ends with ids in brackets: the titles of tests and groups. */
function titlesOf(root, file) {
  const source = readFileSync(join(root, file), 'utf8');
  const cited =
    /(['"`])((?:(?!\1)[^\\\n]|\\.)*?) \[([a-z0-9-]+(?:, [a-z0-9-]+)*)\]\1,\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>/g;
  return [...source.matchAll(cited)].map(([, , text, ids]) => ({
    file,
    title: text.replaceAll(/\s+/g, ' ').replaceAll('\\', ''),
    ids: ids.split(', '),
  }));
}

module.exports = { specMap };
