import { describe, expect, test } from 'bun:test'
import { vendorIds } from '../../../src/platform/models/vendors.ts'
import { type Asked, apiKey, collect, startVendor, stepRequest, streaming, thrownBy } from './vendor-server.ts'
import { errorBody, frames, type Reply, type Wire } from './wire.ts'

const wires: Wire[] = [...vendorIds, 'openaiChat']

const outputSchema = {
  type: 'object',
  properties: { zone: { type: 'string' }, hour: { type: 'integer' }, am: { type: 'boolean' } },
  required: ['zone', 'hour', 'am'],
  additionalProperties: false,
}
const clock = { name: 'clock', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } }
const json = '{"zone":"UTC","hour":7,"am":true}'
const usage = { input: 12, output: 7 }
const said: Reply = { text: [json.slice(0, 9), json.slice(9)], finish: 'stop', usage }
const given = (name: string): Reply => ({
  text: ['Here ', 'it is.'],
  calls: [{ id: 'call-a', name, input: [json.slice(0, 9), json.slice(9)] }],
  finish: 'calls',
  usage,
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of requests, each in its vendor's form
type Body = any
/** The place of the answer's schema in each vendor's request without tools. */
const ownPlace: Record<Wire, (body: Body) => unknown> = {
  anthropic: ({ output_config }) => output_config.format.schema,
  openai: ({ text }) => text.format.schema,
  openaiChat: ({ response_format }) => response_format.json_schema.schema,
  google: ({ generationConfig }) => generationConfig.responseSchema,
  mistral: ({ response_format }) => response_format.json_schema.schema,
  xai: ({ response_format }) => response_format.json_schema.schema,
  groq: ({ response_format }) => response_format.json_schema.schema,
  deepseek: ({ tools }) => tools.at(-1).function.parameters,
  cohere: ({ response_format }) => response_format.json_schema,
}
const toolPlace = (wire: Wire, { tools }: Body) =>
  wire === 'google' ? tools[0].functionDeclarations.at(-1).parameters : tools.at(-1).function.parameters
const toolNames = (wire: Wire, { tools }: Body): string[] =>
  wire === 'google'
    ? tools[0].functionDeclarations.map(({ name }: Body) => name)
    : tools.map(({ name, function: named }: Body) => name ?? named.name)

const properties = (schema: unknown) => Object.keys((schema as typeof outputSchema).properties)
const bodyOf = ({ body }: Asked): Body => body

describe.each(wires)('%s', (wire) => {
  test("gets the schema of the answer, in the author's order", async () => {
    const vendor = startVendor(streaming(frames[wire](said)))
    const { text, finish } = await collect(stepRequest(wire, vendor.url, { outputSchema }))
    expect(properties(ownPlace[wire](bodyOf(vendor.asked[0]!)))).toEqual(['zone', 'hour', 'am'])
    expect(text).toBe(json)
    expect(finish).toMatchObject({
      finishReason: 'stop',
      assistantMessage: { role: 'assistant', content: [{ type: 'text', text: json }] },
    })
  })

  test('gets it beside tools too, by its own feature or as a tool for the answer', async () => {
    const own = ['anthropic', 'openai', 'openaiChat', 'xai'].includes(wire)
    const vendor = startVendor(streaming(frames[wire](own ? said : given('final_answer'))))
    const { parts, text, finish } = await collect(stepRequest(wire, vendor.url, { outputSchema, tools: [clock] }))
    const body = bodyOf(vendor.asked[0]!)
    expect(toolNames(wire, body)).toEqual(own ? ['clock'] : ['clock', 'final_answer'])
    expect(properties(own ? ownPlace[wire](body) : toolPlace(wire, body))).toEqual(['zone', 'hour', 'am'])
    expect(JSON.parse(text)).toEqual(JSON.parse(json))
    expect(parts.some(({ type }) => type === 'toolCall' || type === 'toolInput')).toBe(false)
    expect(finish.finishReason).toBe('stop')
    expect(finish.assistantMessage.content).toMatchObject([{ type: 'text', text }])
  })

  test('calls its other tools as usual, and its text until then is text', async () => {
    const reply: Reply = { ...given('clock'), calls: [{ id: 'call-a', name: 'clock', input: ['{}'] }] }
    const vendor = startVendor(streaming(frames[wire](reply)))
    const { text, parts, finish } = await collect(stepRequest(wire, vendor.url, { outputSchema, tools: [clock] }))
    expect(text).toBe('Here it is.')
    expect(parts.filter(({ type }) => type === 'toolCall')).toMatchObject([{ toolName: 'clock', input: {} }])
    expect(finish.finishReason).toBe('tool-calls')
  })

  test('that only outputs its answer is understood, in JSON or not', async () => {
    for (const text of [
      ['```json\n', json, '\n```'],
      ['No ', 'idea.'],
    ]) {
      const vendor = startVendor(streaming(frames[wire]({ text, finish: 'stop', usage })))
      const collected = await collect(stepRequest(wire, vendor.url, { outputSchema, tools: [clock] }))
      expect(collected.text).toBe(text.join(''))
      expect(collected.reasoning).toBe('')
    }
  })

  test('that refuses the schema is asked once more without it, and only then', async () => {
    const refusal = (message: string) => () => Response.json(errorBody[wire](message), { status: 400 })
    const knowsNone = startVendor(
      refusal('This model does not support response format `json_schema`.'),
      streaming(frames[wire](said)),
    )
    const { text } = await collect(stepRequest(wire, knowsNone.url, { outputSchema }))
    expect(text).toBe(json)
    expect(knowsNone.asked).toHaveLength(2)
    expect(JSON.stringify(knowsNone.asked[1]!.body)).not.toContain('"zone"')

    const refuses = startVendor(refusal('The credit balance is too low.'))
    expect(await thrownBy(stepRequest(wire, refuses.url, { outputSchema }))).toMatchObject({ code: 'provider_error' })
    expect(refuses.asked).toHaveLength(1)
    expect(JSON.stringify(await thrownBy(stepRequest(wire, refuses.url, { outputSchema })))).not.toContain(apiKey)
  })
})

const optional = { ...outputSchema, required: ['zone'] }
test.each([
  ['with only required properties', outputSchema, true],
  ['with an optional property', optional, false],
  ['that allows other properties', { ...outputSchema, additionalProperties: true }, false],
  [
    'with an optional nested property',
    { ...outputSchema, properties: { ...outputSchema.properties, am: optional } },
    false,
  ],
])('a schema %s is strict if the vendor accepts it as such', async (_, schema, strict) => {
  for (const wire of ['openai', 'openaiChat', 'groq', 'mistral'] as const) {
    const vendor = startVendor(streaming(frames[wire](said)))
    await collect(stepRequest(wire, vendor.url, { outputSchema: schema }))
    const { text, response_format } = bodyOf(vendor.asked[0]!)
    expect((text?.format ?? response_format.json_schema).strict).toBe(strict)
  }
})

test.each<Wire>(['openaiChat', 'mistral', 'deepseek'])(
  'an answer that is not an object is wrapped, and unwrapped again (%s)',
  async (wire) => {
    const list = { type: 'array', items: { type: 'integer' } }
    const calls = [{ id: 'call-a', name: 'final_answer', input: ['{"answer":', '[1,2]}'] }]
    const vendor = startVendor(streaming(frames[wire]({ calls, finish: 'calls', usage })))
    const { text } = await collect(stepRequest(wire, vendor.url, { outputSchema: list }))
    expect(text).toBe('[1,2]')
    const { parameters } = bodyOf(vendor.asked[0]!).tools[0].function
    expect(parameters).toMatchObject({ properties: { answer: list }, required: ['answer'] })
  },
)

test("the tool for the answer avoids the names of the Agent's tools", async () => {
  const vendor = startVendor(streaming(frames.mistral(given('final_answer_'))))
  const tools = [{ ...clock, name: 'final_answer' }]
  const { text } = await collect(stepRequest('mistral', vendor.url, { outputSchema, tools }))
  expect(text).toBe(json)
  expect(toolNames('mistral', bodyOf(vendor.asked[0]!))).toEqual(['final_answer', 'final_answer_'])
})

test("an Agent's tool named json is not mistaken for the answer", async () => {
  const reply: Reply = { calls: [{ id: 'call-a', name: 'json', input: ['{}'] }], finish: 'calls', usage }
  const vendor = startVendor(streaming(frames.anthropic(reply)))
  const tools = [{ ...clock, name: 'json' }]
  const open = { ...outputSchema, additionalProperties: true }
  const { finish } = await collect(stepRequest('anthropic', vendor.url, { outputSchema: open, tools }))
  expect(finish.finishReason).toBe('tool-calls')
})

test('a schema that a package cannot send to its vendor is only in the instructions', async () => {
  const vendor = startVendor(streaming(frames.google(said)))
  const tree = { type: 'object', properties: { more: { $ref: '#' } } }
  const { text } = await collect(stepRequest('google', vendor.url, { outputSchema: tree }))
  expect(text).toBe(json)
  expect(vendor.asked).toHaveLength(1)
})
