/** Requests to servers that may die before they answer. */
import type { Server } from '../server.ts'
import { runsPath } from '../troupe.ts'

const triesMax = 30

/** The answer's JSON. Throws unless there is one with status 200. */
export async function asked<Answer>(
  { port, key: apiKey }: Pick<Server, 'port' | 'key'>,
  path: string,
  { key, body }: { key?: string; body?: object } = {},
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** The same, repeated while the store is unavailable: a slow machine may be late with an answer without any fault. */
export async function askedPatiently<Answer>(server: Pick<Server, 'port' | 'key'>, path: string): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await asked<Answer>(server, path)
    } catch (error) {
      if (tries === triesMax || !(error as Error).message.includes('answered 503')) throw error
      await Bun.sleep(1_000)
    }
  }
}

/** Frames of a run's stream by number. */
export type Frames = Map<number, string>

export const isDelta = (frame: string) => /^event: step\.delta$/m.test(frame)
export const isEnd = (frame: string) => /^event: end$/m.test(frame)

/**
 * Reads a run's stream after that number up to its end, or to the end of the server; each frame is reported as it
 * arrives. Returns whether it has ended.
 */
export async function readStream(
  { port, key }: Pick<Server, 'port' | 'key'>,
  id: string,
  after: number,
  report: (number: number, frame: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${runsPath}/${id}/stream`, {
      headers: { authorization: `Bearer ${key}`, 'last-event-id': `${after}` },
      ...(signal && { signal }),
    })
    if (answer.status === 204) return true
    if (answer.status !== 200) return false
    let text = ''
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const number = Number(/^id: (\d+)$/m.exec(block)?.[1])
        if (!(number > 0)) continue
        report(number, block)
        if (isEnd(block)) return true
      }
    }
  } catch {
    // the server was killed: what came has come
  }
  return false
}
