/**
 * OpenAI's own client with an Agent as its model: two turns of one conversation, the second one streamed.
 *
 *     TROUPE_KEY=trp_… npx bun examples/openai.ts "What is 6 times 7?" "And 8?"
 *
 * By curl: `curl $TROUPE_URL/openai/v1/responses -H "Authorization: Bearer $TROUPE_KEY" -H 'Content-Type: application/json'
 * -d '{"model": "agt_system_assistant", "input": "What is 6 times 7?"}'`
 */
import OpenAI from 'openai'
import { key, url, words } from './settings.ts'

const [first = '/say Six times seven is forty-two.', second = '/say And eight times seven is fifty-six.'] = words(2)
const openai = new OpenAI({ apiKey: key, baseURL: `${url}/openai/v1` })
const model = 'agt_system_assistant'

const answer = await openai.responses.create({ model, input: first })
console.log(answer.output_text)
const stream = await openai.responses.create({ model, input: second, previous_response_id: answer.id, stream: true })
for await (const event of stream) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
console.log()
