import { pathOf } from './path-of.ts';

test('a path has each parameter of its template as one segment', () => {
  const template = '/scans/{scan_id}/epochs/{epoch}/pages';

  expect(pathOf(template, { scan_id: 'a/b?', epoch: 3 })).toBe('/scans/a%2Fb%3F/epochs/3/pages');
  expect(pathOf('/prices', {})).toBe('/prices');
});
