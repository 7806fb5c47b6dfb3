/** Agents for clients of A2A below `/a2a`: JSON-RPC, and a card. Source: contract 12; `docs/protocols.md`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ApprovalParts, Approvals } from '../../automation/approvals/service.ts'
import { notFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Runs } from '../../runs/service.ts'
import { addressIn, ProtocolAgents, type ProtocolAgentsParts } from '../agents.ts'
import { answerStream, keepAlive, message } from '../event-stream.ts'
import { Turns } from '../turns/turns.ts'
import { cardOf } from './card.ts'
import { A2aError, errorOf, isOfHttp, noPushNotifications } from './errors.ts'
import { A2a, type A2aCall } from './service.ts'

interface A2aParts extends ProtocolAgentsParts, ApprovalParts {
  guarded: Guarded
  runs: Runs
  /** `{base_url}`, without a trailing slash. */
  publicUrl: () => string
}

const mebibyte = 1024 * 1024
const AgentPath = Type.Object({ '*': Type.String({ maxLength: 400 }) })
const Call = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Null()])),
    method: Type.String({ maxLength: 100 }),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true },
)
const cardPath = /^(.+)\/\.well-known\/agent-card\.json$/

/** Methods whose answer is a stream. */
const streamed = new Set(['SendStreamingMessage', 'SubscribeToTask'])
/** Methods of the protocol that are not offered. */
const notOffered: ReadonlySet<string> = new Set(['ListTasks', 'GetExtendedAgentCard'])
const ofPushNotifications = /^(?:Create|Get|List|Delete)TaskPushNotificationConfigs?$/

function addressOfCard(path: string): string {
  const [, address] = cardPath.exec(addressIn(path)) ?? []
  if (address === undefined) throw notFound()
  return address
}

/** A message for each update of a task; an error on the way is the last one. */
async function* messagesOf(updates: AsyncIterable<object | undefined>, about: object): AsyncGenerator<string> {
  try {
    for await (const result of updates) yield result ? message({ ...about, result }) : keepAlive
  } catch (error) {
    yield message({ ...about, error: errorOf(error) })
  }
}

/** Throws for another version of the protocol than 1.x. */
function assertVersion(request: Request) {
  const version = request.headers.get('a2a-version')
  if (version !== null && !/^1(?:\.|$)/.test(version)) {
    throw new A2aError('versionNotSupported', `A2A ${version} is not spoken here: 1.0 is.`)
  }
}

/** Clients of A2A 0.3 send no version. */
const isOfVersion03 = (method: string) => /^(?:message|tasks|agent)\//.test(method)

export function a2aRoutes({ guarded, runs, publicUrl, ...parts }: A2aParts) {
  const turns = new Turns(runs)
  const agents = new ProtocolAgents(parts)
  const a2a = new A2a(turns, new Approvals(parts))

  const answer = (method: string, call: A2aCall): Promise<object> => {
    if (method === 'SendMessage') return a2a.send(call)
    if (method === 'GetTask') return a2a.get(call)
    if (method === 'CancelTask') return a2a.cancel(call)
    if (ofPushNotifications.test(method)) throw noPushNotifications()
    if (notOffered.has(method)) throw new A2aError('unsupportedOperation', `${method} is not offered.`)
    const hint = isOfVersion03(method) ? ' It is of A2A 0.3: use a client of A2A 1.0.' : ''
    throw new A2aError('methodNotFound', `There is no method ${method}.${hint}`)
  }

  return new Elysia({ name: 'a2a', prefix: '/a2a' })
    .use(guarded)
    .get(
      '/*',
      async ({ caller, params }) => {
        const agent = await agents.find(caller, addressOfCard(params['*']))
        return cardOf(agent, `${publicUrl()}/a2a/${agent.address}`)
      },
      {
        permission: 'agent-runs:create',
        params: AgentPath,
        find: ({ caller, params }: Naming<typeof AgentPath>) => agents.find(caller, addressOfCard(params['*'])),
        detail: doc('getAgentCard', 'Get the card of an Agent', undefined, { hide: true }),
      },
    )
    .post(
      '/*',
      async ({ caller, admission, params: path, body, request, server, set, requestId, record }) => {
        const agent = await agents.find(caller, addressIn(path['*']))
        const { id = null, method, params = {} } = body
        // the audit line of a message is written with its turn, and of the other methods only a cancel changes anything
        if (method !== 'CancelTask') record({})
        const about = { jsonrpc: '2.0', id }
        try {
          assertVersion(request)
          return await turns.seated(caller, admission, async (seat) => {
            const context = { request, set, requestId, record }
            const call = { caller, context, seat, agent, params }
            if (!streamed.has(method)) {
              server?.timeout(request, 0)
              const result = await answer(method, { ...call, signal: request.signal })
              seat.release()
              return { ...about, result }
            }
            const leaving = new AbortController()
            const signal = AbortSignal.any([request.signal, leaving.signal])
            const asked = { ...call, signal }
            const updates = await (method === 'SubscribeToTask' ? a2a.subscribe(asked) : a2a.stream(asked))
            const release = () => {
              leaving.abort()
              seat.release()
            }
            return answerStream({ request, set, server }, () => messagesOf(updates, about), release)
          })
        } catch (error) {
          if (isOfHttp(error)) throw error
          return { ...about, error: errorOf(error) }
        }
      },
      {
        permission: 'agent-runs:create',
        streaming: true,
        resource: 'agentRun',
        params: AgentPath,
        find: ({ caller, params }: Naming<typeof AgentPath>) => agents.find(caller, addressIn(params['*'])),
        body: Call,
        consumes: { 'application/json': { schema: Call, bytesMax: 15 * mebibyte } },
        detail: doc('callA2a', 'Call a method of A2A', undefined, { hide: true }),
      },
    )
}
