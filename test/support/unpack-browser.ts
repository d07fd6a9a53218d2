/** Run by Node itself: unpacks the browser that comes as a package and prints where it is. */
void import('@sparticuz/chromium').then(async ({ default: packed }) => {
  process.stdout.write(await packed.executablePath());
});
