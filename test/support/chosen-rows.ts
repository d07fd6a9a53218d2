/** The rows of a table that a run wants: a pattern of their titles in `TEST_ROWS`; null by default. */
export function chosenRows(): RegExp | null {
  const pattern = process.env['TEST_ROWS'];
  return pattern ? new RegExp(pattern) : null;
}
