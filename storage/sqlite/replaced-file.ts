/**
 * Notices that the file at the store's path is no longer the open one, as after a backup was copied into its place without
 * stopping the server. What is committed then is lost when the server ends.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreUnavailable } from '../errors.ts'

/** Returns a check for the file that is at the path now; it throws `StoreUnavailable` while another or none is there. */
export function replacementGuard(path: string): () => void {
  const { dev, ino } = statSync(path)
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.ino === ino && found.dev === dev) return
    throw new StoreUnavailable(
      `The file ${resolve(path)} was ${found ? 'replaced' : 'removed'} while the server had it open. Restart the server to use what is there now.`,
    )
  }
}
