/** One attempt to stop the server: requests that are repeated while the other organization works. */
import { Connection } from '../http-client.ts'
import type { Server } from '../server.ts'

/** How the requests are sent. */
export interface Manner {
  /** The number of concurrent clients; one by default. */
  clients?: number
  /** Requests that are never completed: their connections stay open. */
  unfinished?: boolean
}

export interface Attack extends Manner {
  what: string
  /** The bytes of each request. Prerequisites are created here; undefined if the server refuses even these. */
  prepare(server: Server): Promise<readonly Uint8Array[] | undefined>
}

/** How long to wait for a connection that the server keeps open without an answer. */
const answerMsMax = 60_000

export interface Assault {
  /** The number of answers by status; 0 is a connection that the server closed. */
  statuses: Map<number, number>
}

/** Sends the requests in turn from this many clients for a while; resolves when the last one is answered. */
export async function assault(
  port: number,
  { clients = 1, unfinished = false }: Manner,
  requests: readonly Uint8Array[],
  durationMs: number,
): Promise<Assault> {
  const statuses = new Map<number, number>()
  const until = performance.now() + durationMs
  let turn = 0
  const client = async () => {
    let connection = await Connection.open(port)
    while (performance.now() < until) {
      const request = requests[turn++ % requests.length] as Uint8Array
      const answered = connection.request(request).then(
        ({ status }) => status,
        () => 0,
      )
      const patience = unfinished ? until - performance.now() : answerMsMax
      const status = await Promise.race([answered, Bun.sleep(patience).then(() => -1)])
      if (status >= 0) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status > 0) continue
      connection.close()
      connection = await Connection.open(port)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { statuses }
}
