/** Responses that continue another one, with OpenAI's own client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../world.ts'

type Input = OpenAI.Responses.ResponseInput

let world: World
let openai: OpenAI
beforeAll(async () => {
  world = await openWorld()
  openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
})
afterAll(() => world?.stop())

const respond = (input: Input | string, changes: object = {}) =>
  openai.responses.create({ model: 'agt_system_assistant', input, ...changes, stream: false })
const runOf = ({ id }: { id: string }) => `run_${id.split('_')[1]}`
const latestInput = (runId: string) => {
  const [{ body }] = world.rows('select body from run_inputs where run_id = ? order by chain desc', runId) as [
    { body: string },
  ]
  return JSON.parse(body)
}
const bindingOf = (runId: string) =>
  world.rows<{ binding: string }>('select binding from runs where id = ?', runId)[0]!.binding
const file = (text: string) => ({
  type: 'input_file' as const,
  filename: 'a.txt',
  file_data: `data:text/plain;base64,${Buffer.from(text).toString('base64')}`,
})

test('all messages since the answer are the next turn', async () => {
  const first = await respond('/say one')
  const { output_text } = await respond(
    [
      { role: 'user', content: [{ type: 'input_text', text: 'Read this.' }, file('of now')] },
      { role: 'user', content: '/say Read' },
    ],
    { previous_response_id: first.id },
  )
  expect(output_text).toBe('Read')
  expect(latestInput(runOf(first))).toMatchObject({
    query: 'Read this.\n\n/say Read',
    contents: [{ data: Buffer.from('of now').toString('base64') }],
  })
})

test('messages before the answer are not taken again, nor are their files', async () => {
  const said = [
    { role: 'user', content: [{ type: 'input_text', text: '/say one' }, file('of before')] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }] } as never,
  ] satisfies Input
  const first = await respond(said.slice(0, 1))
  const next = { role: 'user', content: '/say two' } satisfies Input[number]
  const second = await respond([...said, next], { previous_response_id: first.id })
  expect(second.output_text).toBe('two')
  expect(latestInput(runOf(first))).toEqual({ query: '/say two', contents: [] })
  // clients may name the answer by its id
  const answer = { type: 'item_reference', id: second.output[0]!.id! } satisfies Input[number]
  await respond([next, answer, { role: 'user', content: '/say three' }], { previous_response_id: second.id })
  expect(latestInput(runOf(first))).toEqual({ query: '/say three', contents: [] })
})

test('an effort replaces that of the run, also if it is none', async () => {
  const first = await respond('/say one', { reasoning: { effort: 'high' } })
  const budgetOf = () => JSON.parse(bindingOf(runOf(first))).reasoningBudget
  expect(budgetOf()).toBe('high')
  await respond('/say two', { previous_response_id: first.id, reasoning: { effort: 'none' } })
  expect(budgetOf()).toBe(0)
})

test('the metadata replaces that of the operations, and stays if it is left out', async () => {
  let last = await respond('/say one', { metadata: { customer: 'c-1', desk: '2' } })
  const contexts = () => world.rows('select body from run_contexts where run_id = ?', runOf(last))
  for (const changes of [{ metadata: { customer: 'c-2' } }, {}]) {
    last = await respond('/say next', { previous_response_id: last.id, ...changes })
    expect(contexts()).toEqual([{ body: JSON.stringify({ customer: 'c-2' }) }])
  }
})

test('a response was created when its turn began, whenever it is read', async () => {
  const first = await respond('/sleep 1100\n/say one')
  const events = await Array.fromAsync(
    await openai.responses.create({
      model: 'agt_system_assistant',
      input: '/sleep 1100\n/say two',
      previous_response_id: first.id,
      stream: true,
    }),
  )
  const seconds = (at: string) => Math.floor(Date.parse(at) / 1000)
  const run = `/api/v1/agent-runs/${runOf(first)}`
  const { createdAt } = await data<{ createdAt: string }>(world.owner.get(run))
  const { items } = await data<{ items: { event: string; at: string }[] }>(world.owner.get(`${run}/transitions`))
  const turns = [createdAt, items.find(({ event }) => event === 'continue')!.at].map(seconds)
  const told = events.flatMap((event) => ('response' in event ? event.response : []))
  expect(told.map(({ created_at }) => created_at)).toEqual(told.map(() => turns[1]!))
  expect(first.created_at).toBe(turns[0]!)
  for (const [index, { id }] of [first, told[0]!].entries()) {
    expect((await openai.responses.retrieve(id)).created_at).toBe(turns[index]!)
  }
})
