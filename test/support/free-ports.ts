/**
 * Ports of this machine for programs that a test starts. No two tests get the same one, also in other processes, until
 * the process of the test ends: beside each port it holds another one as a lock. All are below the ports that systems
 * give out by themselves, which any other test, or the end of any connection, could get in the meantime.
 */

const [first, count] = [20_000, 6_000]

/** Keep a reference: a lock is held until its process ends. */
const locks: { stop(): void }[] = []
let next = 0

/** Listens on a port; undefined: it is taken. */
function taken(port: number) {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } })
  } catch {
    return undefined
  }
}

/** A port that is free now, for this test alone. Throws if there is none. */
export function freePort(): number {
  for (let tries = 0; tries < count; tries += 1) {
    const port = first + next
    next = (next + 1) % count
    const lock = taken(port + count)
    if (!lock) continue
    const found = taken(port)
    if (found) {
      found.stop(true)
      lock.unref()
      locks.push(lock)
      return port
    }
    lock.stop()
  }
  throw new Error('No port is free.')
}

export const freePorts = (wanted: number): number[] => Array.from({ length: wanted }, freePort)
