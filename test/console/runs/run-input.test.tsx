/** What users type and click in the console while answers are under way, and what changes meanwhile. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { inState, start } from '../../support/run-records.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let troupe: Troupe
let world: ConsoleWorld
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe(), openConsole()])
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const submit = (element: HTMLElement) => world.fireEvent.submit(element.closest('form')!)
const field = async (label: string) => (await world.screen.findByLabelText(label)) as HTMLInputElement
const click = async (name: string | RegExp) =>
  world.fireEvent.click(await world.screen.findByRole('button', { name, hidden: true }))

/** Holds back the answers of these requests until `release`; `held` resolves with the first of them. */
function holding(isHeld: (url: string, init: RequestInit) => boolean) {
  const held = Promise.withResolvers<void>()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      const answer = await next(url, init)
      if (!isHeld(url, init)) return answer
      held.resolve()
      await promise
      return answer
    }
  return { between, held: held.promise, release }
}

async function aCompletedRun() {
  const run = await start(troupe.owner, '/say One.')
  await inState(troupe.owner, run.id, 'completed')
  return run
}

test('what is typed while a message is sent is the next message', async () => {
  const run = await aCompletedRun()
  const { between, held, release } = holding((url) => url.endsWith('/continue'))
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  const message = await field('Next message')
  await world.waitFor(() => expect(message.disabled).toBe(false))
  type(message, '/say Two.')
  submit(message)
  await held
  type(message, '/say Three.')
  release()
  await world.screen.findByText('/say Two.')
  expect(message.value).toBe('/say Three.')
})

test('an answer that is being written stays when another call is answered by somebody else', async () => {
  const run = await aCompletedRun()
  const call = (toolCallId: string, question: string) => ({
    kind: 'tool',
    toolName: toolCallId,
    toolCallId,
    input: { question },
  })
  let pending = [call('first', 'Which order?'), call('second', 'Which color?')]
  let sent: unknown
  const between =
    (next: Fetch): Fetch =>
    async (url, init) => {
      if (url.endsWith('/continue')) {
        sent = JSON.parse(String(init.body)).query
        return Response.json({ data: {} })
      }
      if (!url.endsWith(`/agent-runs/${run.id}`)) return next(url, init)
      const { data } = (await (await next(url, init)).json()) as { data: object }
      const awaiting = { ...pending[0], pending }
      return Response.json({ data: { ...data, state: 'awaitingToolResult', endedAt: null, awaiting } })
    }
  await world.show(`/o/default/runs/${run.id}`, { troupe, between })
  type(await field('Answer to second'), 'Blue, ')
  pending = pending.slice(1)
  await world.waitFor(() => expect(world.screen.queryByText('Which order?')).toBeNull())
  const answer = await field('Answer to second')
  expect(answer.value).toBe('Blue, ')
  type(answer, 'Blue, as always.')
  submit(answer)
  // what is sent is not sent again
  await world.waitFor(() => expect(answer.value).toBe(''))
  const toolResults = [{ toolCallId: 'second', result: 'Blue, as always.' }]
  expect(JSON.parse(String(sent))).toEqual({ toolResults })
})

test('a bulk action that has started cannot be started again before it is shown', async () => {
  await aCompletedRun()
  let started = 0
  const { between, held, release } = holding((url) => /\/bulk-actions\/blk_\w+$/.test(url))
  const counting =
    (next: Fetch): Fetch =>
    (url, init) => {
      if (url.endsWith('/bulk-actions') && JSON.parse(String(init.body)).dryRun === undefined) started += 1
      return next(url, init)
    }
  await world.show('/o/default/runs?states=completed', { troupe, between: (next) => between(counting(next)) })
  world.fireEvent.click(await world.screen.findByLabelText('Select all loaded runs'))
  await click('Select all that match')
  world.fireEvent.click(await world.screen.findByRole('radio', { name: 'Fork', hidden: true }))
  const isReady = () => world.screen.queryByRole('button', { name: /^Fork \d+ runs?$/, hidden: true })
  await world.waitFor(() => expect(isReady()).not.toBeNull())
  submit(isReady()!)
  await held
  await world.waitFor(() => expect(isReady()).toBeNull())
  release()
  await world.screen.findByText(/^Done: /)
  expect(started).toBe(1)
})

test('runs are canceled with a new key once somebody has revoked the one that the console had created', async () => {
  const runs = [await start(troupe.owner, '/sleep 60000'), await start(troupe.owner, '/sleep 60000')]
  const canceled = () => world.waitFor(() => expect(document.querySelector('[data-state="canceled"]')).not.toBeNull())
  const { navigate } = await world.show(`/o/default/runs/${runs[0]!.id}`, { troupe })
  await click('Cancel run')
  await click('Cancel the run')
  await canceled()
  const { items } = (await troupe.owner.get('/api/v1/api-keys')).body.data
  for (const { id, name } of items as { id: string; name: string }[]) {
    if (name.startsWith('Console: ')) await troupe.owner.post(`/api/v1/api-keys/${id}/revoke`)
  }
  navigate(`/o/default/runs/${runs[1]!.id}`)
  await world.waitFor(() => expect(document.querySelector('[data-state="canceled"]')).toBeNull())
  await click('Cancel run')
  await click('Cancel the run')
  await canceled()
})

test('the fields of a time stay while they are typed into, and follow the address', async () => {
  const [since, other] = ['2026-01-01T00:00:00.000Z', '2026-02-03T04:05:00.000Z']
  const { navigate } = await world.show(`/o/default/runs?since=${since}`, { troupe })
  const from = await field('From')
  // a day that is half typed has no value, and a year begins with one digit
  type(from, '')
  type(await field('From'), '0002-11-09T01:00')
  expect((await field('From')).value).toBe('0002-11-09T01:00')
  navigate(`/o/default/runs?since=${other}`)
  await world.waitFor(async () => expect(Date.parse((await field('From')).value)).toBe(Date.parse(other)))
})
