/** Operations that are invoked in the console, and calls of the tools of an Agent. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { openWorld, type Served, type World } from '../../automation/workflows/world.ts'
import { type ConsoleWorld, openConsole } from '../support/console.ts'

let server: World
let world: ConsoleWorld
let served: Served
/** The Environment, in the console. */
let at: string
beforeAll(async () => {
  ;[server, world] = await Promise.all([openWorld({ environment: { TROUPE_RUNNER: 'none' } }), openConsole()])
  const loading = Promise.all([
    import('../../../src/console/pages/operations/invocations.tsx'),
    import('../../../src/console/pages/runs/playground/playground.tsx'),
  ])
  server.shop.answer = ({ path }) => (path.includes('/charge/') ? new Promise(() => {}) : Response.json({ ok: true }))
  served = await server.serving({
    ask: {
      params: { type: 'object', properties: { note: { type: 'string', examples: ['Hello'] } }, required: ['note'] },
      steps: [{ id: 'agree', operation: 'shop.approved', input: { note: '{{params.note}}' } }],
    },
    charge: { params: {}, steps: [{ id: 'pay', operation: 'shop.charge', input: { what: 'a' } }] },
  })
  at = `/o/default/p/${served.place.projectId}/e/${served.place.environmentId}`
  await loading
})
afterEach(() => world.cleanup())
afterAll(async () => {
  await world?.close()
  await server?.stop()
})

const show = (page: string, between?: (next: Fetch) => Fetch) =>
  world.show(`${at}/${page}`, { troupe: server, ...(between && { between }) })

const button = (name: string) => world.screen.findByRole('button', { name })
const type = (element: HTMLElement, value: string) => world.fireEvent.change(element, { target: { value } })
const submit = (element: HTMLElement) => world.fireEvent.submit(element.closest('form')!)

test('an operation is invoked with an input of its schema, and its output is shown', async () => {
  await show('invocations')
  world.fireEvent.click(await button('Invoke'))
  const operation = await world.screen.findByLabelText('Operation', { selector: 'select[name]' })
  await world.within(operation).findByRole('option', { name: 'shop.number', hidden: true })
  type(operation, 'shop.number')
  const input = (await world.screen.findByLabelText('Input')) as HTMLTextAreaElement
  expect(JSON.parse(input.value)).toEqual({ n: 0 })
  type(input, '{"n": 42')
  submit(input)
  await world.screen.findByRole('list', { name: 'Problems of Input' })
  type(input, '{"n": 42}')
  submit(input)
  const output = await world.screen.findByRole('region', { name: 'output of shop.number' })
  expect(output.textContent).toContain('42')
})

test('the playground shows the run as a program', async () => {
  await show('playground')
  const { screen, fireEvent } = world
  type(await screen.findByRole('textbox', { name: 'Prompt' }), "It's me")
  const summary = await screen.findByText('Copy as')
  const details = summary.closest('details') as HTMLDetailsElement
  details.open = true
  fireEvent(details, new window.Event('toggle'))
  const { agentId } = served.agent
  const curl = await screen.findByRole('region', { name: 'curl' })
  expect(curl.textContent).toContain(`"agentId":"${agentId}"`)
  expect(curl.textContent).toContain(String.raw`It'\''s me`)
  fireEvent.click(screen.getByRole('radio', { name: 'OpenAI client' }))
  const program = await screen.findByRole('region', { name: 'OpenAI client' })
  expect(program.textContent).toMatch(/model: "[a-z0-9-]+\/development\/[a-z0-9-]+"/)
})

test('a single tool of an Agent is called by a form of its schema', async () => {
  await show('playground')
  world.fireEvent.click(await button('Call number'))
  const field = (await world.screen.findByLabelText('n')) as HTMLInputElement
  expect(field.type).toBe('number')
  // as it is typed: the next key makes it 1.05, not 15
  type(field, '1.0')
  expect(field.value).toBe('1.0')
  type(field, '7')
  const input = world.screen.getByLabelText('Input') as HTMLTextAreaElement
  expect(JSON.parse(input.value)).toEqual({ n: 7 })
  const request = world.screen.getByLabelText('Request').textContent
  expect(request).toContain(`/agents/${served.agent.agentId}/operations/shop.number/invoke`)
  expect(request).toContain('"n": 7')
  submit(input)
  await world.screen.findByRole('link', { name: 'View the call', hidden: true })
})

test('a builtin tool is called, and an interactive one shows how to answer a run', async () => {
  await show('playground')
  world.fireEvent.click(await button('Call calculator'))
  const field = await world.screen.findByLabelText('expression')
  for (const [expression, shown] of Object.entries({
    '6 * 7': /"result": 42/,
    '6 *': /What the model would receive/,
  })) {
    type(field, expression)
    submit(field)
    await world.screen.findByText(shown)
  }
  world.fireEvent.click(world.screen.getByRole('button', { name: 'Close' }))
  world.fireEvent.click(await button('Call ask'))
  submit(await world.screen.findByLabelText('Input'))
  await world.screen.findByText(/agent-runs.*continue/)
})
