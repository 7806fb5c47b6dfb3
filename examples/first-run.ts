/**
 * Starts a run, follows its stream to the end, and prints what happens. Needs no package, only `fetch`.
 *
 *     TROUPE_KEY=trp_… bun examples/first-run.ts "What is 6 times 7?"
 *
 * `TROUPE_URL` is where the server is; default http://localhost:3000.
 */

import { baseUrl, key, words } from './settings.ts'

interface Run {
  id: string
  state: string
  stateReason: { code: string; message: string } | null
}

interface Step {
  agentStepId: number
  kind: 'agent' | 'model' | 'tool' | 'delegate'
  name: string
  output: unknown
}

/** What the stream tells, by the name of the event; those that this example does not care for are left out. */
interface Events {
  'run.transition': { from: string | null; to: string; event: string }
  'step.started': Step
  'step.completed': Step
  'step.delta': { kind: 'text' | 'reasoning' | 'toolInput'; text: string }
  end: Run
}

type StreamEvent = { [Name in keyof Events]: { id: string; event: Name; data: Events[Name] } }[keyof Events]

const [query = '/call calculator {"expression": "6*7"}\n/say Six times seven is forty-two.'] = words(1)
const authorization = `Bearer ${key}`

/** The server's own words for why it does not do what it was asked. */
class Refusal extends Error {}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(baseUrl + path, { ...init, headers: { authorization, ...init.headers } })
  if (response.ok) return response
  const { error } = (await response.json()) as { error: { code: string; message: string; requestId: string } }
  throw new Refusal(`${response.status} ${error.code}: ${error.message} (${error.requestId})`)
}

/** A start that is sent again with the same key, after a lost answer for example, finds the same run. */
async function start(query: string): Promise<Run> {
  const response = await call('/api/v1/agent-runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ agentId: 'agt_system_assistant', query }),
  })
  return ((await response.json()) as { data: Run }).data
}

/** The events of a run from the first to `end`, each once. A stream that breaks off is taken up again where it was. */
async function* follow(runId: string): AsyncGenerator<StreamEvent> {
  let after = '0'
  for (;;) {
    try {
      const response = await call(`/api/v1/agent-runs/${runId}/stream?after=${after}`)
      for await (const event of parse(response)) {
        after = event.id
        yield event
        if (event.event === 'end') return
      }
    } catch (error) {
      if (error instanceof Refusal) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

/** Server-sent events: blocks of `field: value` lines; those without data are comments and settings. */
async function* parse(response: Response): AsyncGenerator<StreamEvent> {
  if (!response.body) return
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
      const data = fields.get('data')
      // the last word to a key that was revoked has no id: asked again, the server says why
      if (data === undefined || !fields.has('id')) continue
      yield { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(data).data } as StreamEvent
    }
  }
}

const run = await start(query)
console.log(run.id)
for await (const { event, data } of follow(run.id)) {
  if (event === 'run.transition') console.log(`  ${data.from ?? '·'} → ${data.to}`)
  else if (event === 'step.started') console.log(`    ${data.kind} ${data.name}`)
  else if (event === 'step.delta' && data.kind === 'text') console.log(`      ${data.text}`)
  else if (event === 'step.completed' && data.kind === 'tool') console.log(`      ${JSON.stringify(data.output)}`)
  else if (event === 'end' && data.stateReason) console.log(`  ${data.stateReason.code}: ${data.stateReason.message}`)
}

export type { Run, StreamEvent }
