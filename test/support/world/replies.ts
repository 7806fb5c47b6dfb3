/** What came back, in a test's words: its data where it had to succeed, and in short what was refused. */
import { expect } from 'bun:test'
import type { Client, Reply } from '../client.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a test reads out of JSON is checked by the test and by the document
export type Loose = any

/** The data of an answer; anything but a success fails the test. */
export function dataOf(reply: Reply): Loose {
  expect({ succeeded: reply.status < 300, error: reply.body?.error }).toEqual({ succeeded: true, error: undefined })
  return reply.body?.data
}

/** The same of one that is still to come. */
export async function data<Data = { id: string; [field: string]: unknown }>(reply: Promise<Reply>): Promise<Data> {
  return dataOf(await reply)
}

/** Status and code of an answer. */
export const verdict = ({ status, body }: Pick<Reply, 'status' | 'body'>) => [status, body?.error?.code]

/** `200`, or the status with the code of the error. */
export const outcome = ({ status, body }: Reply): string | number =>
  status < 400 ? status : `${status} ${body.error.code}`

/** The places that a refusal complains of. */
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

/** How often each outcome came. */
export const tally = (replies: readonly Reply[]) => count(replies.map(outcome))

/** How often each status was answered. */
export const tallyStatuses = (replies: readonly { status: number }[]) => count(replies.map(({ status }) => status))

/** The same thing asked by so many at once. */
export const atOnce = (times: number, ask: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => ask(index)))

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
