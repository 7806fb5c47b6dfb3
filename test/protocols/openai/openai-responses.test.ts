/** Responses with OpenAI's own client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from '../world.ts'
import { failure } from './openai-failure.ts'

type Event = OpenAI.Responses.ResponseStreamEvent
type Response = OpenAI.Responses.Response

const assistant = 'agt_system_assistant'
let world: World
let openai: OpenAI
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
beforeAll(async () => {
  world = await openWorld()
  openai = clientOf(world.key)
})
afterAll(() => world?.stop())

const respond = (input: OpenAI.Responses.ResponseInput | string, changes: object = {}): Promise<Response> =>
  openai.responses.create({ model: assistant, input, ...changes }) as Promise<Response>
const streamed = async (input: string, changes: object = {}): Promise<Event[]> =>
  Array.fromAsync(await openai.responses.create({ model: assistant, input, ...changes, stream: true }))
const settled = (id: string) =>
  eventually('the end of a response', async () => {
    const response = await openai.responses.retrieve(id)
    return !['queued', 'in_progress'].includes(response.status ?? '') && response
  })

test('fifty concurrent responses are each answered', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `answer ${index}`)
  const answers = await Promise.all(texts.map((text) => respond(`/say ${text}`)))
  expect(answers.map(({ output_text }) => output_text)).toEqual(texts)
})

describe('a response', () => {
  test('is the turn of a run, and the next one continues it', async () => {
    const first = await respond('/say one')
    expect(first).toMatchObject({ object: 'response', status: 'completed', output_text: 'one', error: null })
    expect(first.usage).toMatchObject({ output_tokens: 1 })
    const second = await respond('/say two', { previous_response_id: first.id })
    expect(second).toMatchObject({ status: 'completed', output_text: 'two', previous_response_id: first.id })
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0)
    // one run, two turns
    const [run, turn] = second.id.slice('resp_'.length).split('_')
    expect((await world.owner.get(`/api/v1/agent-runs/run_${run}`)).body.data.turn).toBe(Number(turn))
  })

  test('streams the events that the client accumulates', async () => {
    const stream = openai.responses.stream({
      model: assistant,
      input: '/say one two\n/call calculator {"expression":"2+3"}\n/say three',
    })
    const final = await stream.finalResponse()
    expect(final.output_text).toBe('one twothree')
    expect(final.output).toMatchObject([
      { type: 'message', status: 'completed', content: [{ text: 'one two' }] },
      { type: 'message', status: 'completed', content: [{ text: 'three' }] },
    ])
    const events = await streamed('/say one')
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  })

  test('can be read again unchanged, also an earlier one', async () => {
    const first = await respond('/say one')
    const second = await respond('/say two', { previous_response_id: first.id })
    for (const response of [first, second]) {
      const { metadata, ...again } = await openai.responses.retrieve(response.id)
      expect(response).toMatchObject(again)
    }
  })

  test("resumes after an interruption at the client's position", async () => {
    const events = await streamed('/say one two three\n/call calculator {"expression":"2+3"}\n/say four')
    const [created] = events as [Extract<Event, { type: 'response.created' }>]
    for (const after of [0, 4, events.length - 2, events.length + 5]) {
      const rest = await Array.fromAsync(
        await openai.responses.retrieve(created.response.id, { stream: true, starting_after: after }),
      )
      expect(rest.map(({ sequence_number }) => sequence_number)).toEqual(
        events.map(({ sequence_number }) => sequence_number).filter((number) => number > after),
      )
      expect(rest.filter(({ type }) => type.endsWith('.delta'))).toEqual(
        events.filter(({ type, sequence_number }) => type.endsWith('.delta') && sequence_number > after),
      )
    }
  })

  test('accepts a conversation that the client keeps', async () => {
    const { output_text, id } = await respond([
      { role: 'user', content: 'My name is Ada.' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] } as never,
      { role: 'user', content: [{ type: 'input_text', text: '/say Ada' }] },
    ])
    expect(output_text).toBe('Ada')
    const runId = `run_${id.split('_')[1]}`
    const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', runId)
    expect(JSON.parse(stored!.body).history).toEqual([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello.' },
    ])
  })

  test('fails with its run, with the reason', async () => {
    const failed = await respond('/say so far\n/fail of no use')
    // the AI SDK rejects an error without a type
    const error = { code: 'provider_error', message: 'of no use', type: 'server_error' }
    expect(failed).toMatchObject({ status: 'failed', error })
    const events = await streamed('/fail of no use')
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
    // the conversation continues
    const next = await respond('/say better', { previous_response_id: failed.id })
    expect(next.output_text).toBe('better')
  })
})

describe('in the background', () => {
  test('it answers at once, and can be polled until it ends', async () => {
    const begun = await respond('/sleep 300\n/say late', { background: true })
    expect(begun).toMatchObject({ background: true, output: [] })
    expect(['queued', 'in_progress']).toContain(begun.status as string)
    expect(await settled(begun.id)).toMatchObject({ status: 'completed', output_text: 'late', background: true })
  })

  test('it is canceled once', async () => {
    const { id } = await respond('/say begun\n/sleep 60000', { background: true })
    await eventually('the first word', async () => (await openai.responses.retrieve(id)).status === 'in_progress')
    const { response } = await openai.responses.cancel(id).withResponse()
    expect(response.headers.get('x-troupe-run')).toBe(`run_${id.split('_')[1]}`)
    expect(await settled(id)).toMatchObject({ status: 'cancelled' })
    expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' })
  })

  test('only there it can be canceled: other responses are not affected', async () => {
    const { id } = await respond('/say one')
    expect(await failure(openai.responses.cancel(id))).toMatchObject({ status: 400, code: 'unsupported_parameter' })
    const keyless = clientOf(await world.newKey(['agent-runs:create', 'agent-runs:stream']))
    expect(await failure(keyless.responses.cancel(id))).toMatchObject({ status: 403, code: 'permission_denied' })
  })
})

describe('a tool of the client', () => {
  const asked = '/call ask {"question":"Which size?"}\n/say Thanks'
  const callIn = ({ output }: Response) => {
    const call = output.find((item) => item.type === 'function_call')
    return call as OpenAI.Responses.ResponseFunctionToolCall
  }
  const ask = (changes: object = {}) => respond(asked, { model: world.address, ...changes })
  const outputOf = (call_id: string, output = '{"size":42}') => ({
    type: 'function_call_output' as const,
    call_id,
    output,
  })

  test('is called, and its output is the input of the next response', async () => {
    const waiting = await ask({ tools: [{ type: 'function', name: 'ask', parameters: {}, strict: false }] })
    expect(waiting).toMatchObject({ status: 'completed' })
    const call = callIn(waiting)
    expect(call).toMatchObject({ name: 'ask', arguments: '{"question":"Which size?"}' })
    const done = await respond([outputOf(call.call_id)], { model: world.address, previous_response_id: waiting.id })
    expect(done).toMatchObject({ status: 'completed', output_text: 'Thanks', previous_response_id: waiting.id })
    const runId = `run_${done.id.split('_')[1]}`
    const steps = (await world.steps(runId)).filter(({ kind }) => kind === 'tool')
    expect(steps).toMatchObject([{ name: 'ask', output: { size: 42 } }])
  })

  test('is answered without the id of the response, by clients that keep the conversation', async () => {
    const waiting = await ask()
    const { call_id, name, arguments: input } = callIn(waiting)
    const done = await respond(
      [
        { role: 'user', content: asked },
        { type: 'function_call', call_id, name, arguments: input },
        outputOf(call_id, 'forty-two'),
      ],
      { model: world.address },
    )
    expect(done.output_text).toBe('Thanks')
  })

  test('is streamed', async () => {
    const events = await streamed(asked, { model: world.address })
    const done = events.find(({ type }) => type === 'response.function_call_arguments.done')
    expect(done).toMatchObject({ arguments: '{"question":"Which size?"}' })
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    const stream = openai.responses.stream({ model: world.address, input: asked })
    expect(callIn(await stream.finalResponse())).toMatchObject({ name: 'ask' })
  })

  test('requires its output before the next message', async () => {
    const waiting = await ask()
    const refused = await failure(respond('/say x', { model: world.address, previous_response_id: waiting.id }))
    expect(refused).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(refused.message).toContain(`No tool output found for function call ${callIn(waiting).call_id}`)
  })
})

test('an approval keeps a response in progress', async () => {
  const { id } = await respond('/call refund {}\n/say Refunded', { model: world.address, background: true })
  await eventually('the approval', () =>
    world.decide('approve').then(
      () => true,
      () => false,
    ),
  )
  expect(await settled(id)).toMatchObject({ status: 'completed', output_text: 'Refunded' })
})

describe('refused requests', () => {
  test('to continue a response that is not the latest', async () => {
    const first = await respond('/say one')
    await respond('/say two', { previous_response_id: first.id })
    const refused = await failure(respond('/say three', { previous_response_id: first.id }))
    expect(refused).toMatchObject({ status: 400, code: 'previous_response_not_latest', param: 'previous_response_id' })
  })

  test('to continue the same response several times at once: one continues', async () => {
    const first = await respond('/say one')
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => respond(`/say ${index}`, { previous_response_id: first.id })),
    )
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(refused).toHaveLength(all.length - 1)
    for (const reason of refused) {
      expect([reason.status, reason.code, reason.param]).toEqual([
        400,
        'previous_response_not_latest',
        'previous_response_id',
      ])
    }
  })

  test('to continue a response in progress', async () => {
    const { id } = await respond('/sleep 60000', { background: true })
    expect(await failure(respond('/say two', { previous_response_id: id }))).toMatchObject({ status: 409 })
    await openai.responses.cancel(id)
  })

  test('to continue a response of another Agent or organization, or an unknown one', async () => {
    const { id } = await respond('/say one')
    const other = respond('/say two', { model: world.address, previous_response_id: id })
    expect(await failure(other)).toMatchObject({ status: 400, param: 'model' })
    for (const missing of ['resp_1', 'resp_01h455vb4pex5vsknk084sn02q_1', id.replace(/_1$/, '_2')]) {
      expect(await failure(respond('/say x', { previous_response_id: missing }))).toMatchObject({ status: 404 })
      expect(await failure(openai.responses.retrieve(missing))).toMatchObject({ status: 404, code: 'not_found' })
      expect(await failure(openai.responses.cancel(missing))).toMatchObject({ status: 404 })
    }
    const bound = { projectId: world.home.projectId }
    const scoped = clientOf(await world.newKey(['*'], bound))
    expect(await failure(scoped.responses.retrieve(id))).toMatchObject({ status: 404 })
    expect(await failure(scoped.responses.cancel(id))).toMatchObject({ status: 404 })
  })

  const table: [string, object, string, string][] = [
    ['instructions', { instructions: 'Be brief.' }, 'unsupported_parameter', 'instructions'],
    ['a developer item', { input: [{ role: 'developer', content: 'Be brief.' }] }, 'unsupported_parameter', 'input[0]'],
    ['an unknown item', { input: [{ type: 'computer_call' }] }, 'unsupported_parameter', 'input[0]'],
    ['an answer in JSON', { text: { format: { type: 'json_object' } } }, 'unsupported_parameter', 'text.format'],
    ['a conversation', { conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
    ['a built-in tool of the vendor', { tools: [{ type: 'web_search' }] }, 'unsupported_parameter', 'tools[0]'],
    ['an unknown tool', { tools: [{ type: 'function', name: 'weather' }] }, 'unsupported_parameter', 'tools[0]'],
    ['no input', { input: [] }, 'validation_failed', 'input'],
    [
      'a call without an id',
      { input: [{ type: 'function_call_output', output: 'x' }] },
      'validation_failed',
      'input[0].call_id',
    ],
  ]
  test.each(table)('%s', async (_, changes, code, param) => {
    const before = world.runs()
    expect(await failure(respond('x', changes))).toMatchObject({ status: 400, code, param })
    expect(world.runs()).toBe(before)
  })

  test('a body that is no object, without a parameter', async () => {
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${world.url}/openai/v1/responses`, { method: 'POST', headers, body: '[]' })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'validation_failed', param: null } },
    ])
  })
})
