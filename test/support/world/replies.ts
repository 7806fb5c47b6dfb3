/** Short forms of replies for tests: the data of a success, and a summary of an error. */
import { expect } from 'bun:test'
import type { Client, Reply } from '../client.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test and the API document check what is read from the JSON
export type Loose = any

/** The data of a reply; anything but a success fails the test. */
export function dataOf(reply: Reply): Loose {
  expect({ succeeded: reply.status < 300, error: reply.body?.error }).toEqual({ succeeded: true, error: undefined })
  return reply.body?.data
}

/** The data of a pending reply. */
export async function data<Data = { id: string; [field: string]: unknown }>(reply: Promise<Reply>): Promise<Data> {
  return dataOf(await reply)
}

/** Status and code of a reply. */
export const verdict = ({ status, body }: Pick<Reply, 'status' | 'body'>) => [status, body?.error?.code]

/** `200`, or the status with the code of the error. */
export const outcome = ({ status, body }: Reply): string | number =>
  status < 400 ? status : `${status} ${body.error.code}`

/** The paths of a validation error. */
export const issuesOf = ({ body }: Pick<Reply, 'body'>): string[] =>
  body.error.details.issues.map(({ path }: { path: string }) => path)

export function expectError(reply: Reply, status: number, code: string) {
  expect(verdict(reply)).toEqual([status, code])
}

function count(keys: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

/** The number of replies with each outcome. */
export const tally = (replies: readonly Reply[]) => count(replies.map(outcome))

/** The number of replies with each status. */
export const tallyStatuses = (replies: readonly { status: number }[]) => count(replies.map(({ status }) => status))

/** Sends the same request that many times concurrently. */
export const atOnce = (times: number, ask: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => ask(index)))

/** Sends two requests at once, in every other round the second one first; returns their replies in the given order. */
export const bothAtOnce = async (round: number, one: () => Promise<Reply>, other: () => Promise<Reply>) =>
  (await Promise.all(round % 2 ? [one(), other()] : [other(), one()].reverse())) as [Reply, Reply]

/** Every item of a paged list, page by page. */
export async function walk(client: Pick<Client, 'get'>, path: string, limit: number) {
  const items: { id: string; [field: string]: unknown }[] = []
  const sizes: number[] = []
  for (let cursor: string | undefined; ; ) {
    const { body } = await client.get(path, { query: { limit, cursor } })
    items.push(...body.data.items)
    sizes.push(body.data.items.length)
    if (!body.pagination.hasMore) return { items, sizes }
    cursor = body.pagination.nextCursor
  }
}

/** An answer whose connection breaks off in its body: the call has come, and nobody knows what became of it. */
export const brokenOff = (): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
      // without a reason, which would be printed
      pull: (controller) => controller.error(),
    }),
  )
