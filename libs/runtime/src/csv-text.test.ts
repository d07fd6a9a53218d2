import { csvCells, csvLine } from './csv-text.ts';

const leads = [
  '',
  ' ',
  '   ',
  '\u00a0',
  '\t',
  '\r',
  '\n',
  '\u0000',
  '\u001f \u007f',
  '\ufeff',
  '\u200b',
];
const signs = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
const formulas = leads.flatMap((lead) => signs.map((sign) => `${lead}${sign}SUM(A1)`));

test.each([...formulas, '\tname', '\rname', '\nname', '-', '-5 as agreed', '+1+1', '-1e'])(
  'text that a spreadsheet may take for a formula has an apostrophe before it: %j (Export: CSV) [export]',
  (text) => {
    const quoted = /[",\r\n]/.test(text) ? `"'${text}"` : `'${text}`;
    expect(csvCells([text])).toBe(quoted);
  },
);

test.each([
  ...['0', '-5.00', '+7', '-0', '1.50', '-1e400', '6.02E+23', '18446744073709551616'],
  ...[
    '',
    'name',
    'a-b',
    '5=5',
    "'=1",
    'AK-47 | Redline',
    '\u2605 Karambit',
    '\uff21=1',
    '\u2605 \uff1d',
  ],
])(
  'numbers keep their digits, and other texts what they are: %j (Export: CSV) [export]',
  (text) => {
    expect(csvCells([text])).toBe(text);
  },
);

test('a line is one of RFC 4180: quotes are doubled, what is absent is empty (Export: CSV) [export]', () => {
  expect(csvLine(['a "b", c\nd', -5, null, '', 'e;f'])).toBe('"a ""b"", c\nd",-5,,,e;f\r\n');
});
