/** Two organizations on one server: one attacks it, and the other works meanwhile. */
import { Connection, requestBytes } from '../http-client.ts'
import { keysOfOthers, owner } from '../organizations.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { startBytes, startRun } from '../troupe.ts'

const warmUpRuns = 300

export interface Tenants {
  /** With the attacker's key. */
  server: Server
  /** The requests of the other organization. */
  victim: { health: Uint8Array; start: Uint8Array }
  stop(): Promise<void>
}

/** A server with default limits, and two organizations. */
export async function openTenants(): Promise<Tenants> {
  const folder = freshFolder()
  const server = await startTroupe({
    folder,
    settings: { ...owner.settings, TROUPE_RATE_LIMIT_PER_MINUTE: '' },
  })
  const [key = ''] = await keysOfOthers(server, 1)
  const start = startBytes(key, '/say Good morning.')
  // the first requests of a new server are slower, which is not the attacker's doing
  const connection = await Connection.open(server.port)
  for (let run = 0; run < warmUpRuns; run += 1) await startRun(connection, start)
  connection.close()
  return {
    server,
    victim: { health: requestBytes('GET', '/healthz'), start },
    async stop() {
      await server.stop()
      removeFolder(folder)
    },
  }
}
