// Waits with a limit.

/** The timeout of every wait, in milliseconds: no wait takes as long, however busy the machine is. */
export const patience = 300_000;

/** Waits until `isTrue` returns true, or a promise of it. */
export async function until(isTrue, what) {
  const end = Date.now() + patience;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
