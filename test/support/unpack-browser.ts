/** Run by Node itself: unpacks the browser of the package and prints its path. */
void import('@sparticuz/chromium').then(async ({ default: packed }) => {
  process.stdout.write(await packed.executablePath());
});
