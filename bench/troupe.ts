/** The product's API for load: requests as bytes, answers checked just enough. */
import { type Connection, requestBytes } from './http-client.ts'
import { type Operation, until } from './load.ts'
import type { Server } from './server.ts'

export const runsPath = '/api/v1/agent-runs'
export const assistant = 'agt_system_assistant'

const dataId = /"id":"(run_[0-9a-z]{26})"/

/** Throws unless the answer is 200. */
export async function ask(connection: Connection, bytes: Uint8Array): Promise<Buffer> {
  const { status, body } = await connection.request(bytes)
  if (status !== 200) throw new Error(`Answered ${status}: ${body.toString().slice(0, 300)}`)
  return body
}

/** Repeats the same request. */
export const same =
  (bytes: Uint8Array): Operation =>
  async (connection) => {
    await ask(connection, bytes)
  }

/** The request that starts a run; `more`: further fields of its body. */
export const startBytes = (key: string, query: string, agentId = assistant, more: object = {}) =>
  requestBytes('POST', runsPath, { key, body: { agentId, query, ...more } })

/** Starts a run; returns its id. */
export async function startRun(connection: Connection, bytes: Uint8Array): Promise<string> {
  const body = await ask(connection, bytes)
  // the id is the first field of the answer
  const id = dataId.exec(body.toString('latin1', 0, 80))?.[1]
  if (!id) throw new Error(`The answer has no run: ${body.toString().slice(0, 300)}`)
  return id
}

const completed = Buffer.from('"state":"completed"')
const endEvent = Buffer.from('event: end\n')
const snapshotEvent = Buffer.from('event: run.snapshot\n')

/**
 * A whole run as its client sees it: the start, then the stream until it ends. Without a cursor the stream begins with
 * a snapshot, which may already be that of an ended run.
 */
export function lifecycle({ key }: Pick<Server, 'key'>, query = 'How are you?', more: object = {}): Operation {
  const start = startBytes(key, query, assistant, more)
  return async (connection) => {
    const id = await startRun(connection, start)
    const stream = await ask(connection, requestBytes('GET', `${runsPath}/${id}/stream`, { key }))
    const last = Math.max(stream.lastIndexOf(endEvent), stream.lastIndexOf(snapshotEvent))
    if (last < 0 || stream.indexOf(completed, last) < 0) throw new Error(`The run ${id} did not complete.`)
  }
}

/** The JSON of an answer, from the API or from an operator's page. */
export async function getJson<Answer>({ port, key }: Server, path: string): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}.`)
  return (await answer.json()) as Answer
}

/** A value of the server's own metrics, such as `troupe_runs{state="running"}`. */
export async function metric({ port }: Server, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  if (line === undefined) throw new Error(`There is no metric ${name}.`)
  return Number(line.slice(name.length + 1))
}

/** Waits until this many runs are in a state. */
export const untilRuns = (server: Server, state: string, count: number, ms: number) =>
  until(`${count} ${state} runs`, ms, async () => (await metric(server, `troupe_runs{state="${state}"}`)) === count, 10)
