/** Of a cancel and an answer that come at once, the cancel holds for its own turn only. Source: contract 12. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from '../world.ts'

let world: World
let openai: OpenAI
beforeAll(async () => {
  world = await openWorld()
  openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
})
afterAll(() => world?.stop())

test('an answered response is not canceled with the one that asked', async () => {
  const answer = (input: OpenAI.Responses.ResponseInput | string, changes: object = {}) =>
    openai.responses.create({ model: world.address, input, ...changes, stream: false })
  for (let round = 0; round < 16; round += 1) {
    const { id } = await answer('/call ask {"question":"Which size?"}\n/say Thanks', { background: true })
    let calls: string[] = []
    await eventually('the call', async () => {
      const { output } = await openai.responses.retrieve(id)
      calls = output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))
      return calls.length > 0
    })
    const output = { type: 'function_call_output' as const, call_id: calls[0]!, output: 'medium' }
    const cancel = () => openai.responses.cancel(id)
    const reply = () => answer([output], { previous_response_id: id }).catch((error: unknown) => error)
    const both = round % 2 ? [cancel(), reply()] : [reply(), cancel()].reverse()
    const [canceled, answered] = await Promise.all(both)
    if (answered instanceof OpenAI.APIError) expect(canceled).toMatchObject({ id, status: 'cancelled' })
    else expect([round, answered]).toMatchObject([round, { status: 'completed', output_text: 'Thanks' }])
  }
})
