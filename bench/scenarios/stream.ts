/**
 * One run with many readers: the events that reach them in a second, and their lag. The run streams a few words every
 * 20 ms for some seconds; an event's lag is from its timestamp, before its commit, to its arrival at a reader.
 */
import type { Plan } from '../compare.ts'
import { Connection, requestBytes } from '../http-client.ts'
import { percentiles, until, within } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { runsPath, startBytes, startRun } from '../troupe.ts'

/** Long enough for all readers to connect before the first word. */
const silenceMs = 2_000
const timeStamp = /^data: \{"sequence":(\d+),"at":"([^"]+)"/

interface Reading {
  events: number
  lagsMs: number[]
  firstAt: number
  lastAt: number
}

export async function stream(plan: Plan): Promise<Row[]> {
  const readers = plan.quick ? 50 : 500
  const turns = plan.quick ? 30 : 200
  const folder = freshFolder()
  const server = await startTroupe({ folder })
  const speech = Array(turns).fill('/tokens 5\n/sleep 20').join('\n')
  const starter = await Connection.open(server.port)
  const id = await startRun(starter, startBytes(server.key, `/sleep ${silenceMs}\n${speech}`))
  await untilRunning(server, id)

  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const connections = await Promise.all(Array.from({ length: readers }, () => Connection.open(server.port)))
  const readings = await within(
    60_000,
    'the stream',
    Promise.all(connections.map((connection) => readToEnd(connection, server, id))),
  )
  const { user, system } = process.cpuUsage(cpu)
  const elapsedMs = performance.now() - startedAt
  for (const connection of [starter, ...connections]) connection.close()
  await server.stop()
  removeFolder(folder)

  const events = readings.reduce((sum, reading) => sum + reading.events, 0)
  const firstAt = Math.min(...readings.map((reading) => reading.firstAt))
  const lastAt = Math.max(...readings.map((reading) => reading.lastAt))
  const [p50Ms, p99Ms] = percentiles(
    readings.flatMap(({ lagsMs }) => lagsMs),
    [0.5, 0.99],
  )
  return [
    {
      what: `stream of one run, ${readers} readers: events delivered, and their lag`,
      perSecond: events / ((lastAt - firstAt) / 1_000),
      p50Ms: p50Ms as number,
      p99Ms: p99Ms as number,
      generator: (user + system) / 1_000 / elapsedMs,
      value: `${events.toLocaleString('en-US')} events, none missed`,
    },
  ]
}

export const untilRunning = (server: Server, id: string) =>
  until('the start of the run', 5_000, async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${runsPath}/${id}`, {
      headers: { authorization: `Bearer ${server.key}` },
    })
    return (await answer.text()).includes('"state":"running"')
  })

/** Reads a stream from its beginning to its end. Throws when a number is missing, repeated or out of order. */
export async function readToEnd(connection: Connection, { key }: Server, id: string): Promise<Reading> {
  const reading: Reading = { events: 0, lagsMs: [], firstAt: 0, lastAt: 0 }
  const openedAt = Date.now()
  const decoder = new TextDecoder()
  let text = ''
  let sequence = 0
  let ended = false
  const take = (line: string, now: number) => {
    if (line === 'event: end') ended = true
    const match = timeStamp.exec(line)
    if (!match) return
    if (Number(match[1]) !== sequence + 1) throw new Error(`After event ${sequence} came ${match[1]}.`)
    sequence += 1
    const at = Date.parse(match[2] as string)
    // events from before the reader are not late
    if (at < openedAt) return
    reading.events += 1
    reading.lagsMs.push(Math.max(0, now - at))
    reading.firstAt ||= now
    reading.lastAt = now
  }
  const onBody = (piece: Buffer) => {
    const now = Date.now()
    const lines = (text + decoder.decode(piece, { stream: true })).split('\n')
    text = lines.pop() as string
    for (const line of lines) take(line, now)
  }
  const { status } = await connection.request(requestBytes('GET', `${runsPath}/${id}/stream?after=0`, { key }), onBody)
  if (status !== 200 || !ended) throw new Error(`A stream answered ${status} and ${ended ? 'ended' : 'broke off'}.`)
  return reading
}
