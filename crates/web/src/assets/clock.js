// Writes the time left, like the server.

export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (number) => String(number % 60).padStart(2, "0");
  if (seconds < 60) return `0:${two(seconds)}.${Math.floor((milliseconds % 1000) / 100)}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${two(seconds)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(seconds)}`;
}
