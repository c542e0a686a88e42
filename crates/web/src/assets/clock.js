// The clocks on a page. The time left is written like the server does it.

export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (number) => String(number % 60).padStart(2, "0");
  if (seconds < 60) return `0:${two(seconds)}.${Math.floor((milliseconds % 1000) / 100)}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${two(seconds)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(seconds)}`;
}

/** Whether the viewer asks for less motion. */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");
let running = [];
let ticking = 0;

const tick = () => running.forEach((clock) => (clock.textContent = clockText(Math.max(0, clock.until - performance.now()))));

/** Counts the running clocks down from the server's last message, by local time. */
export function startClocks() {
  const now = performance.now();
  running = [...document.querySelectorAll(".clock[data-runs]")].map((clock) => {
    clock.until ??= now + Number(clock.dataset.left);
    return clock;
  });
  clearInterval(ticking);
  if (running.length) ticking = setInterval(tick, calm.matches ? 1000 : 100);
}

/** Stops the clocks on the page: a take that has not arrived may have stopped them. */
export const stopClocks = () => clearInterval(ticking);
