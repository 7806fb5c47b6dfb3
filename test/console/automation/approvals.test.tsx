/** Approvals in the console that are decided together. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  await import('../../../src/console/pages/operations/approvals/page.tsx')
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

test.each([
  [1, 'Approve 1 approval?'],
  [2, 'Approve 2 approvals?'],
])('%d selected: the question has their number', async (count, question) => {
  const createdAt = new Date().toISOString()
  const of = { agentId: 'agt_1', agentRunId: 'run_1', workflowRunId: null, stepId: null, requestedBy: null }
  const approval = {
    ...of,
    operation: 'payments.refund',
    input: {},
    status: 'pending',
    createdAt,
    expiresAt: createdAt,
  }
  const items = Array.from({ length: count }, (_, place) => ({ ...approval, id: `apr_${place}` }))
  const between =
    (next: Fetch): Fetch =>
    (url, init) =>
      new URL(url).pathname.endsWith('/operation-approvals')
        ? Promise.resolve(Response.json({ data: { items }, pagination: { hasMore: false } }))
        : next(url, init)
  await world.show('/o/default/p/prj_1/e/env_1/approvals', { troupe, between })
  for (const box of await world.screen.findAllByRole('checkbox', { name: /^Select payments/ })) {
    world.fireEvent.click(box)
  }
  world.fireEvent.click(await world.screen.findByRole('button', { name: `Approve ${count}` }))
  expect((await world.screen.findByRole('dialog', { hidden: true })).textContent).toStartWith(question)
})
