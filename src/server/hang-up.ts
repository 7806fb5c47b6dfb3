/** SIGHUP: a terminal was closed. */
import { readFileSync } from 'node:fs'

/**
 * Whether this process may handle the signal: not if its parent had it ignored, as `nohup` does, and not where that is
 * unknown, since a handler would replace it.
 */
export function mayHandleHangUp(): boolean {
  try {
    const [, ignored = ''] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    // the mask begins with signal 1
    return ignored !== '' && (BigInt(`0x${ignored}`) & 1n) === 0n
  } catch {
    return false
  }
}
