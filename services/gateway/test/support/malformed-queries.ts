import { newRefreshId } from '@inventory/testkit/builders';
import { casesOf, type MalformedCase } from './malformed-case.ts';

const badCursors = [
  'a',
  'forged',
  '%00',
  '%ff',
  'AAAA',
  '....',
  '%20',
  'null',
  'x'.repeat(500),
  'eyJwb3NpdGlvbiI6MH0',
  Buffer.alloc(28).toString('base64url'),
  Buffer.alloc(29).toString('base64url'),
  Buffer.alloc(90, 7).toString('base64url'),
];
const badQueries = [
  'language=klingon',
  'language=',
  'language=EN',
  'language=en',
  'language=english%00',
  'language=%ff',
  'language=toString',
  'language=english&language=english',
  'page_size=0',
  'page_size=2001',
  'page_size=-1',
  'page_size=1.5',
  'page_size=',
  'page_size=1e3',
  'page_size=01',
  'page_size=%201',
  'page_size=1&page_size=1',
  'page_size=NaN',
  'page_size=99999999999999999999',
  'page_size=1%0a',
  'cursor=a&cursor=a',
  'page_size[]=1&page_size=x',
  'language=english;page_size=1',
];
const badListQueries = [
  'limit=0',
  'limit=101',
  'limit=',
  'limit=-1',
  'limit=1.0',
  'limit=1&limit=1',
  'limit=ten',
  'state=',
  'state=done',
  'state=QUEUED',
  'state=refused',
  'state=queued,completed',
  'refresh_id=1',
  'refresh_id=',
  `${'state=queued&'.repeat(101)}`,
  `${`refresh_id=${newRefreshId()}&`.repeat(101)}`,
];
const projects = '/v2/projects/prj_01890000-0000-7000-8000-000000000000/inventory-refreshes';

/** Of Current and of the list of refreshes. */
export function malformedQueries(current: string): MalformedCase[] {
  const ofCurrent = (query: string) => ({
    what: `Current ?${query.slice(0, 60)}`,
    path: `${current}?${query}`,
  });
  return [
    ...casesOf('invalid_request', badQueries, ofCurrent),
    ...casesOf('invalid_cursor', badCursors, (cursor) => ofCurrent(`cursor=${cursor}`)),
    ...casesOf('invalid_request', badListQueries, (query) => ({
      what: `list ?${query.slice(0, 60)}`,
      path: `${projects}?${query}`,
    })),
    ...casesOf('project_not_found', badCursors.slice(0, 5), (cursor) => ({
      what: `Project of others, cursor ${cursor}`,
      path: `${projects}?cursor=${cursor}`,
    })),
  ];
}
