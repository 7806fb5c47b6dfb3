/** The browser of the person at the terminal. */

/** Opens a page if there is a browser; callers print its address in any case. */
export function openPage(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  if (Bun.which(program)) Bun.spawn([program, address], { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
}
