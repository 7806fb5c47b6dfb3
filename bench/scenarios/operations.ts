/**
 * Calls of HTTP operations by requests, each held until its end: a read, a write that may be repeated, and one that must
 * not be, which is stored as sent before it is. The target answers at once. All take turns with an operation that calls
 * nothing. The server has no runner, so that nothing else is measured.
 */
import { compare, type Plan } from '../compare.ts'
import { deployAgent } from '../environments.ts'
import { requestBytes } from '../http-client.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startTroupe } from '../server.ts'
import { same } from '../troupe.ts'

const clients = 64

const common = { description: 'Is called.', inputSchema: { type: 'object' }, approval: 'never' }
const http = { type: 'http', connection: 'shop', method: 'POST', path: '/' }
const kinds = {
  echo: { effect: 'write', idempotent: false, handler: { type: 'echo' } },
  read: { effect: 'read', idempotent: true, handler: http },
  repeatable: { effect: 'write', idempotent: true, handler: http },
  once: { effect: 'write', idempotent: false, handler: http },
}
type Kind = keyof typeof kinds

export async function operations(plan: Plan): Promise<Row[]> {
  const target = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ done: true }) })
  const folder = freshFolder()
  const settings = { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' }
  const server = await startTroupe({ folder, settings })
  const offered = Object.entries(kinds).map(([name, kind]) => ({ name, ...common, ...kind }))
  const shop = { shop: { operations: offered } }
  const { path, agentId } = await deployAgent(server, 'shop', shop, { shop: `http://127.0.0.1:${target.port}` })
  const calling = (kind: Kind) => {
    const invoke = `${path}/agents/${agentId}/operations/shop.${kind}/invoke`
    return {
      port: server.port,
      operation: same(requestBytes('POST', invoke, { key: server.key, body: { input: {} } })),
    }
  }
  const rows: Row[] = []
  const measure = async (what: string, kind: Kind, baseline: Kind) => {
    const { ours, ratio } = await compare(plan, clients, calling(kind), calling(baseline))
    rows.push({ ...loadRow(`operations, ${clients} clients: ${what}`, ours), ratio, baseline })
  }
  await measure('an HTTP read', 'read', 'echo')
  await measure('an HTTP write that may be repeated', 'repeatable', 'echo')
  await measure('an HTTP write that must not be repeated', 'once', 'repeatable')
  await server.stop()
  target.stop(true)
  removeFolder(folder)
  return rows
}
