/** Manifests that are pasted into the console, against a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type ConsoleWorld, openConsole, type ShowOptions } from '../support/console.ts'
import { type Sent, watchingInto } from '../support/watching.ts'
import { projectOf } from './project.ts'

let troupe: Troupe
let world: ConsoleWorld
let page: string
beforeAll(async () => {
  ;[troupe, world] = await Promise.all([openTroupe({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  await import('../../../src/console/pages/delivery/environment.tsx')
  const project = await projectOf(troupe)
  await project.deployed(project.first.id)
  page = `${project.page}?tab=applies&open=manifest`
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await troupe?.stop()
})

/** Opens the form; writes texts into it, and sends them. */
async function opened(between: ShowOptions['between'] = (next) => next) {
  await world.show(page, { troupe, between })
  const text = await world.screen.findByLabelText('Or paste its text')
  return {
    write: (value: string) => world.fireEvent.change(text, { target: { value } }),
    send: () => world.fireEvent.submit(text.closest('form')!),
  }
}
const shownPlan = { name: 'Plan', hidden: true }

test('the plan of a manifest goes once its text is changed', async () => {
  const { write, send } = await opened()
  write('version: 1\nproject: { slug: one }\n')
  send()
  await world.screen.findByRole('region', shownPlan)
  write('version: 1\nproject: { slug: other }\n')
  await world.waitFor(() => expect(world.screen.queryByRole('region', shownPlan)).toBeNull())
})

test('a text that changes while it is planned gets no plan of what it was', async () => {
  const [asked, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { write, send } = await opened((next) => async (url, init) => {
    const answer = await next(url, init)
    if (new URL(url).pathname !== '/api/v1/applies/plan') return answer
    asked.resolve()
    await answering.promise
    return answer
  })
  write('version: 1\nproject: { slug: one }\n')
  send()
  await asked.promise
  const submit = await world.screen.findByRole('button', shownPlan)
  await world.waitFor(() => expect(submit.getAttribute('aria-busy')).toBe('true'))
  write('version: 1\nproject: { slug: other }\n')
  answering.resolve()
  await world.waitFor(() => expect(submit.getAttribute('aria-busy')).toBeNull())
  expect(world.screen.queryByRole('region', shownPlan)).toBeNull()
})

test.each([
  ['version: 1\nversion: 1\n', 'The text has the key "version" twice in one object, again in line 2: remove one.'],
  ['{"version": 1, "version": 1}', 'The text has the key "version" twice in one object, again in line 1'],
  ['version: !secret 1\n', 'The text is neither valid JSON nor valid YAML: Unresolved tag'],
])('a manifest that would become another one is refused: %j', async (value, fault) => {
  const { write, send } = await opened()
  write(value)
  send()
  await world.screen.findByText((shown) => shown.startsWith(fault))
})

test('keys of a manifest stay as they are written', async () => {
  const sent: Sent[] = []
  const { write, send } = await opened(watchingInto(sent))
  write('version: 1\nproject: { slug: one }\nagents: { 007: {} }\n')
  send()
  await world.waitFor(() => expect(sent.map(({ path }) => path)).toContain('/api/v1/applies/plan'))
  expect(sent.at(-1)?.body).toMatchObject({ manifest: { agents: { '007': {} } } })
})
