/**
 * The cost of a run above the floor: the processor time of the serving thread, against the bare route's in the same
 * rounds, which other programs disturb less than rates; the bytes that a completed run leaves and writes; and the rate
 * of a server in its first five seconds.
 */
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { load, type Operation } from '../load.ts'
import { compareProcessorTime } from '../processor-time.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startBare, startTroupe, storePath } from '../server.ts'
import { ask, assistant, runsPath, same, startBytes } from '../troupe.ts'

const clients = 32
const query = 'How are you?'
const completed = Buffer.from('"state":"completed"')

/** Starts a run and gets its end in the same response. */
const whole = ({ key }: Pick<Server, 'key'>): Operation => {
  const bytes = requestBytes('POST', `${runsPath}?waitSeconds=30`, { key, body: { agentId: assistant, query } })
  return async (connection) => {
    const body = await ask(connection, bytes)
    if (body.indexOf(completed) < 0) throw new Error(`The run did not complete: ${body.toString().slice(0, 300)}`)
  }
}

const admitted = ({ key }: Pick<Server, 'key'>): Operation => same(startBytes(key, query))

const sides: { what: string; runner: 'embedded' | 'none'; operation: (server: Server) => Operation; least: number }[] =
  [
    { what: 'admission, no runner', runner: 'none', operation: admitted, least: 0.6 },
    { what: 'admission, its runner at work', runner: 'embedded', operation: admitted, least: 0.4 },
    { what: 'start to end, one call that waits', runner: 'embedded', operation: whole, least: 0.14 },
  ]

export async function floor(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, runner, operation, least } of sides) {
    const folder = freshFolder()
    const ours = await startTroupe({ folder, settings: { TROUPE_RUNNER: runner } })
    const bare = await startBare(folder)
    const post = same(requestBytes('POST', '/items', { body: { agentId: assistant, query } }))
    const taken = await compareProcessorTime(
      plan,
      clients,
      { with: ours, without: bare },
      { with: operation(ours), without: post },
    )
    await Promise.all([ours.stop(), bare.stop()])
    removeFolder(folder)
    const ratio = 1 / taken.ratio.serving
    rows.push({
      what: `${what}, ${clients} clients: processor time of the thread that serves`,
      ratio,
      baseline: 'bare POST',
      value: `${taken.with.serving.toFixed(0)} µs, bare ${taken.without.serving.toFixed(0)} µs`,
      aim: `≥ ${Math.round(least * 100)} %`,
      met: ratio >= least,
    })
  }
  return [...rows, await bytesOfRun(plan), ...(await cold(plan))]
}

/** Linux counts the bytes that a process has written to the disk. */
const writtenBy = async (pid: number) =>
  Number(/^write_bytes: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])

async function bytesOfRun({ roundMs, quick }: Plan): Promise<Row> {
  const folder = freshFolder()
  const first = await startTroupe({ folder })
  await first.stop()
  const empty = statSync(storePath(folder)).size
  const server = await startTroupe({ folder, key: first.key })
  const before = await writtenBy(server.pid)
  const { count } = await load({ port: server.port, clients, durationMs: quick ? roundMs : 5 * roundMs }, whole(server))
  const written = (await writtenBy(server.pid)) - before
  await server.stop()
  const stored = (statSync(storePath(folder)).size - empty) / count
  removeFolder(folder)
  const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KB`
  return {
    what: 'a completed run: what it takes of the store; written for it to the log and the store',
    value: `${kilobytes(stored)}; ${kilobytes(written / count)}`,
    aim: '≤ 2 KB of the store',
    met: stored <= 2_048,
  }
}

async function cold({ roundMs, quick }: Plan): Promise<Row[]> {
  const folder = freshFolder()
  const server = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' } })
  const durationMs = quick ? roundMs : 5_000
  const measure = () => load({ port: server.port, clients, durationMs }, admitted(server))
  const early = await measure()
  await measure()
  const warm = await measure()
  await server.stop()
  removeFolder(folder)
  const ratio = early.perSecond / warm.perSecond
  return [
    loadRow(`admission, no runner, ${clients} clients, warm`, warm),
    {
      ...loadRow(`the same in the first ${durationMs / 1_000} s of a server`, early),
      ratio,
      baseline: 'warm',
      aim: '≥ 85 %',
      met: ratio >= 0.85,
    },
  ]
}
