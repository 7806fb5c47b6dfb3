/** The Inbox in the console: what its dialogs offer, and what they show of changes elsewhere. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../src/console/api/transport.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { type ConsoleWorld, openConsole } from './support/console.ts'
import { type Sent, watchingInto } from './support/watching.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  await import('../../src/console/pages/inbox/inbox.tsx')
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const press = async (name: string) =>
  world.fireEvent.click(await world.screen.findByRole('button', { name, hidden: true }))

const base = {
  reason: 'outcome_unknown',
  message: 'Something.',
  since: new Date().toISOString(),
  dueAt: null,
  project: { id: 'prj_1', name: 'Shop' },
  environment: { id: 'env_1', name: 'Development' },
}

/** Answers the list of the Inbox with this item, and what else the page reads of it. */
const withItem =
  (item: object, answer: (path: string) => unknown = () => undefined) =>
  (next: Fetch): Fetch =>
  async (url, init) => {
    const { pathname } = new URL(url)
    if (pathname === '/api/v1/inbox') {
      return Response.json({ data: { items: [item], total: 1, counts: [] }, pagination: { hasMore: false } })
    }
    const data = answer(pathname)
    return data === undefined ? next(url, init) : Response.json({ data })
  }

test('the outcome of a call whose answer was lost is not chosen before the user does', async () => {
  const sent: Sent[] = []
  const item = { ...base, kind: 'unknownOutcome', id: 'opi_1', invocationId: 'opi_1', title: 'payments/refund' }
  const answering = watchingInto(sent, ({ method }) => (method === 'POST' ? Response.json({ data: {} }) : undefined))
  await world.show('/o/default/inbox', { troupe, between: (next) => withItem(item)(answering(next)) })
  await press('Resolve')
  const outcome = (await world.screen.findByLabelText('Outcome')) as HTMLSelectElement
  expect([outcome.value, outcome.required]).toEqual(['', true])
  world.fireEvent.change(outcome, { target: { value: 'failed' } })
  world.fireEvent.submit(outcome.closest('form')!)
  await world.screen.findByText('Outcome set')
  const [{ path, body } = {}] = sent
  expect(path).toEndWith('/environments/env_1/operation-invocations/opi_1/resolve')
  expect(body).toEqual({ outcome: 'failed' })
})

test('the dialog of a waiting run shows that it was answered elsewhere', async () => {
  const pending = { kind: 'tool', toolCallId: 'call_1', toolName: 'ask-the-customer', input: { question: 'Which?' } }
  let run: object = { id: 'run_1', state: 'awaitingToolResult', awaiting: { pending: [pending] } }
  const item = { ...base, kind: 'waitingRun', id: 'run_1', reason: 'tool_result', title: 'Clerk', invocationId: null }
  const between = withItem(item, (path) => (path.endsWith('/agent-runs/run_1') ? run : undefined))
  await world.show('/o/default/inbox', { troupe, between })
  await press('Answer')
  await world.screen.findByLabelText('Answer to ask-the-customer')
  run = { id: 'run_1', state: 'running', awaiting: null }
  await world.screen.findByText(/not waiting for an answer/)
})
