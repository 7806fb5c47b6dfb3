/** Closed-loop load: clients with one connection each, which send the next request after the previous response. */
import { Connection } from './http-client.ts'

/** One operation of one client, with its number from 0. Throws for an unexpected answer. */
export type Operation = (connection: Connection, client: number) => Promise<void>

export interface LoadOptions {
  /** Of one or more servers: the clients use them in turn. */
  port: number | readonly number[]
  /** The number of concurrent clients. */
  clients: number
  durationMs: number
}

export interface Load {
  /** Operations, including those that ended after the time. */
  count: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** The generator's use of one core; 1 is all of it. */
  generator: number
}

/** How long a load may take beyond its time for the last answers. */
const graceMs = 30_000

/** Repeats an operation for a time. Throws with the first operation that fails or hangs. */
export async function load({ port, clients, durationMs }: LoadOptions, operation: Operation): Promise<Load> {
  const ports = [port].flat()
  const connections = await Promise.all(
    Array.from({ length: clients }, (_, client) => Connection.open(ports[client % ports.length] as number)),
  )
  const latencies: number[] = []
  let inTime = 0
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const until = startedAt + durationMs

  const client = async (connection: Connection, number: number) => {
    let now = performance.now()
    while (now < until) {
      const sentAt = now
      await operation(connection, number)
      now = performance.now()
      latencies.push(now - sentAt)
      if (now <= until) inTime += 1
    }
  }
  try {
    await within(durationMs + graceMs, 'a load', Promise.all(connections.map(client)))
  } finally {
    for (const connection of connections) connection.close()
  }
  const { user, system } = process.cpuUsage(cpu)
  const [p50Ms, p99Ms] = percentiles(latencies, [0.5, 0.99])
  return {
    count: latencies.length,
    perSecond: inTime / (durationMs / 1_000),
    p50Ms: p50Ms as number,
    p99Ms: p99Ms as number,
    generator: (user + system) / 1_000 / (performance.now() - startedAt),
  }
}

/** Processes the items with this many concurrent clients. */
export async function each<Item>(
  port: number,
  clients: number,
  items: readonly Item[],
  work: (connection: Connection, item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const client = async () => {
    const connection = await Connection.open(port)
    try {
      for (const item of queue) await work(connection, item)
    } finally {
      connection.close()
    }
  }
  await within(120_000, 'a series of requests', Promise.all(Array.from({ length: clients }, client)))
}

/** The value at each fraction of the sorted values; NaN without values. */
export function percentiles(values: readonly number[], fractions: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort()
  return fractions.map(
    (fraction) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN,
  )
}

export const median = (values: readonly number[]): number => percentiles(values, [0.5])[0] as number

/** The promise, or an error after the timeout. */
export async function within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms / 1_000} s.`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Polls until the condition holds. Throws after the timeout. */
export async function until(what: string, ms: number, isSo: () => Promise<boolean>, everyMs = 20): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} took more than ${ms / 1_000} s.`)
    await Bun.sleep(everyMs)
  }
}
