/** A worker of the SDK that is always busy. */
import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { type Fetch, Troupe } from '@troupe/sdk'

/** What waits for promises. */
function reactions(): number {
  Bun.gc(true)
  const counts = Object.entries(heapStats().objectTypeCounts)
  return counts.reduce((sum, [type, count]) => sum + (type.endsWith('PromiseReaction') ? count : 0), 0)
}

test('a call that takes long does not remember the calls that have come and gone beside it', async () => {
  const calls = 2_000
  const long = Promise.withResolvers<string>()
  const past = Promise.withResolvers<void>()
  let leased = 0
  const leaseOf = (n: number) => ({
    invocationId: `inv_${n}`,
    operation: n === 0 ? 'shop.long' : 'shop.short',
    input: {},
    attempt: 1,
    idempotencyKey: `inv_${n}`,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    token: `token-${n}`,
  })
  const server = async (input: string, init: { body: string; signal: AbortSignal }): Promise<Response> => {
    const body = JSON.parse(init.body)
    if (input.endsWith('/workers/complete')) {
      const items = body.answers.map((answer: object) => ({ ...answer, state: 'succeeded', error: null }))
      return Response.json({ data: { items } })
    }
    if (body.leaving) return new Response(null, { status: 204 })
    if (leased <= calls) return Response.json({ data: { lease: leaseOf(leased++), more: [] } })
    past.resolve()
    await new Promise((resolve) => init.signal.addEventListener('abort', resolve, { once: true }))
    throw init.signal.reason
  }
  const troupe = new Troupe({ baseUrl: 'http://troupe.test', apiKey: 'trp_x', fetch: server as unknown as Fetch })
  const before = reactions()
  const worker = troupe.worker({
    projectId: 'prj_1',
    environmentId: 'env_1',
    queue: 'billing',
    slots: 2,
    operations: { 'shop.long': () => long.promise, 'shop.short': () => 'done' },
  })
  await past.promise
  expect(worker.running).toBe(1)
  expect(reactions() - before).toBeLessThan(calls / 10)

  long.resolve('done')
  await worker.stop()
  expect(leased).toBe(calls + 1)
})
