/** Structured output for OpenAI's own client: that of an Agent whose revision has a schema. Source: `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from '../world.ts'
import { failure } from './openai-failure.ts'

type Messages = OpenAI.Chat.ChatCompletionMessageParam[]
let world: World
let openai: OpenAI
beforeAll(async () => {
  world = await openWorld()
  openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
})
afterAll(() => world?.stop())

describe('the structured output of a chat completion', () => {
  const City = z.object({
    city: z.string().describe('Its name.'),
    degrees: z.number().nullable(),
    days: z.array(z.enum(['Mo', 'Tu'])),
  })
  const said = { city: 'Rome', degrees: null, days: ['Tu'] }
  const query = `/say Let me see.\n/call calculator {"expression":"2+3"}\n/say ${JSON.stringify(said)}`
  let model: string
  beforeAll(async () => {
    // as a person writes it: with notes of its own, in another order
    model = await world.structured({
      title: 'City',
      additionalProperties: false,
      required: ['days', 'city', 'degrees'],
      properties: {
        city: { type: 'string' },
        degrees: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        days: { type: 'array', items: { enum: ['Tu', 'Mo'], type: 'string' } },
      },
      type: 'object',
    })
  })
  const messages: Messages = [{ role: 'user', content: query }]

  test('is parsed by a client that asks for the schema of the revision', async () => {
    const response_format = zodResponseFormat(City, 'city')
    const { choices } = await openai.chat.completions.parse({ model, messages, response_format })
    expect(choices[0]?.message.parsed).toEqual(said as z.infer<typeof City>)
    const streamed = await openai.chat.completions.stream({ model, messages, response_format }).finalChatCompletion()
    expect(streamed.choices[0]?.message.parsed).toEqual(said as z.infer<typeof City>)
  })

  test('is the only text for a client that asks for JSON', async () => {
    const asked = { model, messages, response_format: { type: 'json_object' as const } }
    const { choices } = await openai.chat.completions.create(asked)
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual(said)
  })

  const others: [string, object, string][] = [
    ['another type', { days: z.array(z.string()) }, 'properties.days.items.enum'],
    ['a further property', { more: z.string() }, 'required'],
    ['fewer values', { days: z.array(z.enum(['Mo'])) }, 'properties.days.items.enum'],
    ['another branch', { degrees: z.string().nullable() }, 'properties.degrees.type'],
  ]
  test.each(others)('of %s than the revision has is refused, with the place', async (_, changes, place) => {
    const before = world.runs()
    const response_format = zodResponseFormat(City.extend(changes), 'city')
    const refused = await failure(openai.chat.completions.create({ model, messages, response_format }))
    expect(refused).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: `response_format.json_schema.schema.${place}`,
    })
    expect(world.runs()).toBe(before)
  })
})

test('a response has only the structured output, for a client that asks for its schema, also when it is read later', async () => {
  const City = z.object({ city: z.string() })
  const model = await world.structured({ ...z.toJSONSchema(City) })
  const text = { format: zodTextFormat(City, 'city') }
  const input = '/say Let me see.\n/call calculator {"expression":"2+3"}\n/say {"city": "Rome"}'
  const response = await openai.responses.parse({ model, input, text })
  expect(response.output_parsed).toEqual({ city: 'Rome' })
  expect(response.text?.format).toMatchObject({ type: 'json_schema', name: 'city' })
  expect(response.output).toMatchObject((await openai.responses.retrieve(response.id)).output)
  const streamed = await openai.responses.stream({ model, input, text }).finalResponse()
  expect(streamed.output_parsed).toEqual({ city: 'Rome' })
  const begun = await openai.responses.create({ model, input, text, background: true })
  const ended = await eventually('the end of a response', async () => {
    const read = await openai.responses.retrieve(begun.id)
    return !['queued', 'in_progress'].includes(read.status ?? '') && read
  })
  expect(ended).toMatchObject({ status: 'completed', output_text: '{"city":"Rome"}' })
  const asked = openai.responses.create({ model, input, text: { format: zodTextFormat(z.object({}), 'other') } })
  expect(await failure(asked)).toMatchObject({ status: 400, param: 'text.format.schema.properties.city' })
})
