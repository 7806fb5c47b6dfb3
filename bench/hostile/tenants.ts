/** Two organizations on one server: one that attacks it, and one that goes about its work meanwhile. */
import { Connection, requestBytes } from '../http-client.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { startBytes, startRun } from '../troupe.ts'

const owner = { email: 'owner@localhost', password: 'seventeen purple elephants' }

const warmUpRuns = 300

export interface Tenants {
  /** With the attacker's key. */
  server: Server
  /** The requests of the other organization. */
  victim: { health: Uint8Array; start: Uint8Array }
  stop(): Promise<void>
}

/** A server as its operator starts it, limits on, with two organizations. */
export async function openTenants(): Promise<Tenants> {
  const folder = freshFolder()
  const server = await startTroupe({
    folder,
    settings: {
      TROUPE_RATE_LIMIT_PER_MINUTE: '',
      TROUPE_OWNER_EMAIL: owner.email,
      TROUPE_OWNER_PASSWORD: owner.password,
    },
  })
  const start = startBytes(await keyOfAnother(server), '/say Good morning.')
  // what a server that has just started does for the first time is not the attacker's doing
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

/** Makes a second organization; a key of it that may do everything. */
async function keyOfAnother({ port }: Server): Promise<string> {
  const url = `http://127.0.0.1:${port}/api`
  const signedIn = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0]
  if (!signedIn.ok || !cookie) throw new Error(`Signing in answered ${signedIn.status}.`)
  const { csrfToken } = ((await signedIn.json()) as { data: { csrfToken: string } }).data
  const post = async <Data>(path: string, body: object, organization?: string): Promise<Data> => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: {
        cookie,
        'content-type': 'application/json',
        'x-csrf-token': csrfToken,
        ...(organization ? { 'x-troupe-organization': organization } : {}),
      },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
  const { id } = await post<{ id: string }>('organizations', { name: 'Another', slug: 'another' })
  const { secret } = await post<{ secret: string }>('api-keys', { name: 'Everything', operations: ['*'] }, id)
  return secret
}
