/**
 * A server is killed (SIGKILL) with thousands of active runs, each of which has called a tool and is in its next model
 * step. The time is from the start of the next process until every one of them runs again. Then they continue to their
 * ends, and it is checked that nothing was lost and that no completed tool call was repeated.
 */
import type { Plan } from '../compare.ts'
import { type Connection, requestBytes } from '../http-client.ts'
import { each, until } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { ask, metric, runsPath, startBytes, startRun, untilRuns } from '../troupe.ts'

const aimMs = 3_000

interface Step {
  kind: string
  status: string
}
interface Move {
  sequence: number
  event: string
}

export async function recovery(plan: Plan): Promise<Row[]> {
  const runs = plan.quick ? 100 : 2_000
  const workMs = plan.quick ? 5_000 : 20_000
  const folder = freshFolder()
  const settings = { TROUPE_RUNNER_SLOTS: String(runs) }
  const killed = await startTroupe({ folder, settings })
  const { key } = killed
  const query = `/call calculator {"expression":"6*7"}\n/sleep ${workMs}\n/say done`
  const ids: string[] = []
  await each(killed.port, 32, Array(runs).fill(startBytes(key, query)), async (connection, bytes: Uint8Array) => {
    ids.push(await startRun(connection, bytes))
  })
  await untilRuns(killed, 'running', runs, workMs)
  await each(killed.port, 32, ids, (connection, id) =>
    until(`the tool call of ${id}`, workMs, async () => {
      const { items } = await dataOf<{ items: Step[] }>(connection, key, `${id}/steps?limit=100`)
      return items.some(({ kind, status }) => kind === 'tool' && status === 'completed')
    }),
  )
  if ((await metric(killed, 'troupe_runs{state="running"}')) !== runs)
    throw new Error('Some runs ended before the kill.')
  await killed.stop('SIGKILL')

  const startedAt = performance.now()
  const server = await startTroupe({ folder, key, settings })
  const firstAnswerMs = performance.now() - startedAt
  await untilRuns(server, 'running', runs, 60_000)
  const recoveredMs = performance.now() - startedAt

  await untilRuns(server, 'completed', runs, workMs + 30_000)
  await forEachRun(server, ids, 'steps?limit=100', ({ items }: { items: Step[] }) => {
    const calls = items.filter(({ kind }) => kind === 'tool')
    if (calls.length !== 1) throw new Error('A tool call that had finished was made again.')
  })
  await forEachRun(server, ids, 'transitions?limit=100', ({ items }: { items: Move[] }) => {
    if (items.some(({ sequence }, index) => sequence !== index + 1)) throw new Error('A journal has a gap.')
    if (items.filter(({ event }) => event === 'attemptLost').length !== 1)
      throw new Error('A run did not lose its attempt.')
  })
  await server.stop()
  removeFolder(folder)
  return [
    {
      what: `kill -9 with ${runs.toLocaleString('en-US')} runs at work: until all of them run again`,
      value: `${Math.round(recoveredMs)} ms (first answer after ${Math.round(firstAnswerMs)} ms); all completed, no call repeated`,
      aim: `≤ ${aimMs / 1_000} s`,
      met: recoveredMs <= aimMs,
    },
  ]
}

const dataOf = async <Data>(connection: Connection, key: string, path: string): Promise<Data> => {
  const body = await ask(connection, requestBytes('GET', `${runsPath}/${path}`, { key }))
  return (JSON.parse(body.toString()) as { data: Data }).data
}

/** Reads something of every run. */
const forEachRun = <Data>({ port, key }: Server, ids: readonly string[], what: string, check: (data: Data) => void) =>
  each(port, 32, ids, async (connection, id) => check(await dataOf<Data>(connection, key, `${id}/${what}`)))
