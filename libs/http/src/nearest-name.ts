const differencesMax = 2;

/** The name that a misspelt one most likely means; undefined where none is close. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const close = names
    .map((name) => ({ name, differences: differencesOf(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ differences }) => differences < Math.min(given.length, differencesMax + 1));
  return close.sort((a, b) => a.differences - b.differences)[0]?.name;
}

/** Levenshtein distance; more than it can matter for texts of very different length. */
function differencesOf(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > differencesMax) return differencesMax + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    let diagonal = row[0] ?? 0;
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = letter === other[column - 1];
      const above = row[column] ?? 0;
      next.push(Math.min(above + 1, (next[column - 1] ?? 0) + 1, diagonal + (isSame ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
