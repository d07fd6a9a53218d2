const deepLevels = 6_000;

/** Each changes the text of a page in a way that no serialiser of JSON would. */
const rewriters = {
  deep_row: (text) => {
    const deep = `${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}`;
    return text.replace('{"appid":', `{"sim_deep":${deep},"appid":`);
  },
  assets_twice: (text) => text.replace(/}$/, ',"assets":[]}'),
  more_items_twice: (text) => text.replace(/}$/, ',"more_items":0}'),
  odd_text: (text) =>
    text
      .replace('{"appid":', '{"sim_value":12345678901234567890,"sim_size":1e400,"appid":')
      .replaceAll('"currency":0', '"currency":0,"sim_note":"\xe2\x98 \\ud83d \xff"'),
} as const satisfies Record<string, (text: string) => string>;

export type Rewriting = keyof typeof rewriters;
export const rewritings = Object.keys(rewriters) as [Rewriting, ...Rewriting[]];

/** By bytes: the result need not be UTF-8. */
export function rewrite(body: Buffer, how: Rewriting): Buffer {
  return Buffer.from(rewriters[how](body.toString('latin1')), 'latin1');
}
