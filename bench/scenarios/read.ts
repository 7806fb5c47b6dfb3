/** Reads of one run, cycling through a thousand of them, against a bare route with one read by key. */
import { compare, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { each, type Operation } from '../load.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startBare, startTroupe } from '../server.ts'
import { ask, assistant, runsPath, startBytes, startRun } from '../troupe.ts'

const itemsMax = 1_000
const clients = 32

/** Sends the requests in turn. */
function roundRobin(requests: readonly Uint8Array[]): Operation {
  let next = 0
  return async (connection) => {
    next = (next + 1) % requests.length
    await ask(connection, requests[next] as Uint8Array)
  }
}

/** Creates items by this request, and builds the requests that read them. */
async function created(port: number, create: Uint8Array, read: (id: string) => Uint8Array) {
  const requests: Uint8Array[] = []
  await each(port, clients, Array(itemsMax).fill(create), async (connection, bytes: Uint8Array) => {
    requests.push(read(await startRun(connection, bytes)))
  })
  return requests
}

export async function read(plan: Plan): Promise<Row[]> {
  const folder = freshFolder()
  const troupe = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' } })
  const bare = await startBare(folder)
  const { key } = troupe
  const runs = await created(troupe.port, startBytes(key, 'How are you?'), (id) =>
    requestBytes('GET', `${runsPath}/${id}`, { key }),
  )
  const post = requestBytes('POST', '/items', { body: { agentId: assistant, query: 'How are you?' } })
  const items = await created(bare.port, post, (id) => requestBytes('GET', `/items/${id}`))
  const { ours, baseline, ratio } = await compare(
    plan,
    clients,
    { port: troupe.port, operation: roundRobin(runs) },
    { port: bare.port, operation: roundRobin(items) },
  )
  await Promise.all([troupe.stop(), bare.stop()])
  removeFolder(folder)
  return [
    loadRow(`bare GET, ${clients} clients`, baseline),
    {
      ...loadRow(`get a run, ${clients} clients`, ours),
      ratio,
      baseline: 'bare GET',
      aim: '≥ 75 %',
      met: ratio >= 0.75,
    },
  ]
}
