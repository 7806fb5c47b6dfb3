/**
 * The time from a client's request to the first token, through the API's own stream and through each protocol that
 * streams tokens, one client at a time, alternately. The native client starts a run and reads its stream; the others
 * need one request.
 */
import type { Plan } from '../compare.ts'
import { percentiles, within } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { assistant, runsPath } from '../troupe.ts'

const said = 'Forty-two.'
const query = `/say ${said}`
const messages = [{ role: 'user', content: query }]
/** The aim for the ratio of the medians. */
const aim = 0.9

/** Every client reads up to the same word, whatever the format. */
const word = said.slice(0, 5)
/** The client's own text, when it is repeated to it, does not count. */
const asked = query

type Ask = (server: Server) => Promise<Response>

const post = ({ port, key }: Server, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const native: Ask = async (server) => {
  const started = await post(server, runsPath, { agentId: assistant, query })
  const { data } = (await started.json()) as { data: { id: string } }
  return fetch(`http://127.0.0.1:${server.port}${runsPath}/${data.id}/stream?after=0&types=step.delta,end`, {
    headers: { authorization: `Bearer ${server.key}` },
  })
}

const part = (text: string) => ({ type: 'text', text })
let count = 0
const newId = () => {
  count += 1
  return `bench-${count}`
}

const protocols: Record<string, Ask> = {
  'OpenAI, chat completions': (server) =>
    post(server, '/openai/v1/chat/completions', { model: assistant, stream: true, messages }),
  'OpenAI, responses': (server) =>
    post(server, '/openai/v1/responses', { model: assistant, stream: true, input: query }),
  'AI SDK': (server) =>
    post(server, `/ai-sdk/chat/${assistant}`, {
      id: newId(),
      messages: [{ id: newId(), role: 'user', parts: [part(query)] }],
    }),
  'AG-UI': (server) =>
    post(
      server,
      `/ag-ui/${assistant}`,
      {
        threadId: newId(),
        runId: newId(),
        state: {},
        messages: [{ id: newId(), ...messages[0] }],
        tools: [],
        context: [],
        forwardedProps: {},
      },
      { accept: 'text/event-stream' },
    ),
  A2A: (server) =>
    post(
      server,
      `/a2a/${assistant}`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendStreamingMessage',
        params: { message: { messageId: newId(), role: 'ROLE_USER', parts: [{ text: query }] } },
      },
      { 'a2a-version': '1.0', accept: 'text/event-stream' },
    ),
}

/** Milliseconds until the word was read. Reads to the end, so that nothing is left to do. */
async function firstToken(server: Server, ask: Ask): Promise<number> {
  const begunAt = performance.now()
  const answer = await ask(server)
  let at: number | undefined
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
    if (at !== undefined) continue
    text += decoder.decode(bytes, { stream: true })
    if (text.replaceAll(asked, '').includes(word)) at = performance.now() - begunAt
  }
  if (at === undefined) throw new Error(`No token came: ${answer.status} ${text.slice(0, 300)}`)
  return at
}

export async function firstTokens(plan: Plan): Promise<Row[]> {
  const folder = freshFolder()
  const server = await startTroupe({ folder })
  const times = new Map([
    ['native stream', [] as number[]],
    ...Object.keys(protocols).map((name) => [name, []] as never),
  ])
  const asks = { 'native stream': native, ...protocols }
  const rounds = plan.quick ? 5 : 200
  try {
    // the first requests load libraries
    for (let round = -3; round < rounds; round += 1) {
      for (const [name, ask] of Object.entries(asks)) {
        const ms = await within(30_000, name, firstToken(server, ask))
        if (round >= 0) times.get(name)?.push(ms)
      }
    }
  } finally {
    await server.stop()
    removeFolder(folder)
  }
  const [baseline] = percentiles(times.get('native stream') as number[], [0.5]) as [number]
  return [...times].map(([name, ms]) => {
    const [p50Ms, p99Ms] = percentiles(ms, [0.5, 0.99]) as [number, number]
    const row = { what: `first token, ${name}`, p50Ms, p99Ms }
    if (name === 'native stream') return row
    const ratio = baseline / p50Ms
    return { ...row, ratio, baseline: 'native stream', aim: `≥ ${aim * 100} %`, met: ratio >= aim }
  })
}
