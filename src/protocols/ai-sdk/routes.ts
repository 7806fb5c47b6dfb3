/** Chats of the AI SDK (`useChat`) below `/ai-sdk/chat`. Source: contract 12; `docs/protocols.md`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ApprovalParts, Approvals } from '../../automation/approvals/service.ts'
import type { ErrorShape } from '../../platform/http/answers/answering.ts'
import { notFound } from '../../platform/http/answers/errors.ts'
import type { StreamContext } from '../../platform/http/answers/streamed.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { isPrintable, Printable } from '../../platform/http/schema.ts'
import type { Runs } from '../../runs/service.ts'
import { addressIn, ProtocolAgents, type ProtocolAgentsParts } from '../agents.ts'
import { answerStream } from '../event-stream.ts'
import { withFirstIssue } from '../first-issue.ts'
import { answerAll, noConversation } from '../turns/answers.ts'
import type { TurnEvent } from '../turns/events.ts'
import { sayNext } from '../turns/next-message.ts'
import { withoutPastWaits } from '../turns/past-waits.ts'
import type { Seat } from '../turns/seat.ts'
import { type Begun, type Turn, Turns } from '../turns/turns.ts'
import { withoutRepeats } from '../turns/without-repeats.ts'
import { type ChatHead, chatChunks } from './chunks.ts'
import { answersIn, lastMessage, messageAgain, type UiMessage } from './messages.ts'

interface AiSdkParts extends ProtocolAgentsParts, ApprovalParts {
  guarded: Guarded
  runs: Runs
}

const mebibyte = 1024 * 1024
const chatIdMax = 121
const open = { additionalProperties: true }
const AgentPath = Type.Object({ '*': Type.String({ maxLength: 300 }) })
/** Characters of the chat's id may take twelve in the path. */
const ResumePath = Type.Object({ '*': Type.String({ maxLength: 300 + 12 * chatIdMax }) })
const ResumeQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The last answer that the page has whole, by its id, or `none`: a later one is sent even if it has ended.',
    }),
  ),
})
const ChatBody = Type.Object(
  {
    id: Printable(chatIdMax, 'The chat.'),
    messages: Type.Array(
      Type.Object({ role: Type.String(), parts: Type.Array(Type.Object({ type: Type.String() }, open)) }, open),
      { minItems: 1, maxItems: 1_000 },
    ),
    context: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown())),
  },
  open,
)

/** The client shows the text of an answer that is not a stream. */
export const aiSdkErrors: ErrorShape = {
  prefix: '/ai-sdk/',
  show: (error, requestId) => ({
    status: error.status,
    body: `${withFirstIssue(error)} (${error.code}, ${requestId})`,
    headers: { 'content-type': 'text/plain;charset=utf-8' },
  }),
}

const threadOf = (chatId: string) => `ai-sdk:${chatId}`
const resumed = /^(.+)\/([^/]+)\/stream$/

/** The parts are decoded one by one, because the id of a chat may contain slashes. Throws `notFound` for any other path. */
function chatIn(path: string): { address: string; chatId: string } {
  const [, address, chat] = resumed.exec(path) ?? []
  if (address === undefined || chat === undefined) throw notFound()
  const chatId = addressIn(chat)
  if (!isPrintable(chatId, chatIdMax)) throw notFound()
  return { address: addressIn(address), chatId }
}

/** Whether the turn continues without the client. */
const isLive = (turn: Turn) => turn.run.endedAt === null

export function aiSdkRoutes({ guarded, runs, ...parts }: AiSdkParts) {
  const turns = new Turns(runs)
  const agents = new ProtocolAgents(parts)
  const approvals = new Approvals(parts)
  const headOf = async (turn: Turn) => ({
    agentRunId: turn.run.id,
    messageId: `msg_${turn.run.id.slice('run_'.length)}_${await turns.messageOf(turn)}`,
  })
  const stream = (
    context: StreamContext,
    head: ChatHead,
    { release }: Seat,
    follow: (signal: AbortSignal) => AsyncIterable<TurnEvent>,
  ) => {
    context.set.headers['x-troupe-run'] = head.agentRunId
    context.set.headers['x-vercel-ai-ui-message-stream'] = 'v1'
    return answerStream(context, (signal) => chatChunks(withoutRepeats(follow(signal)), head), release)
  }
  const find = ({ caller, params }: Naming<typeof AgentPath>) => agents.find(caller, addressIn(params['*']))

  return new Elysia({ name: 'ai-sdk', prefix: '/ai-sdk/chat' })
    .use(guarded)
    .post(
      '/*',
      async ({ caller, admission, params, body, request, server, set, requestId, record }) => {
        const agent = await agents.find(caller, addressIn(params['*']))
        const context = { request, set, requestId, record }
        const threadKey = threadOf(body.id)
        const messages = body.messages as UiMessage[]
        const last = messages.at(-1) as UiMessage
        const asked = { operation: 'POST /ai-sdk/chat', caller, agent, body }
        return turns.seated(caller, admission, async (seat) => {
          const { turn, waiting, denied, ...following } = await turns.once(context, asked, (keyed) =>
            last.role === 'assistant' ? answer(keyed, seat) : say(keyed),
          )
          const head = { ...(await headOf(turn)), agent, ...(waiting && { waiting }), ...(denied && { denied }) }
          return stream({ request, set, server }, head, seat, (signal) =>
            turns.follow(caller, turn, seat, { ...following, signal }),
          )
        })

        async function say(keyed: KeyedContext): Promise<Begun> {
          const turn = await sayNext({ turns, context: keyed, caller, agent, threadKey }, (before) => ({
            ...(before?.isOver ? messageAgain(messages) : lastMessage(messages, before === undefined)),
            ...(body.context && { context: body.context }),
          }))
          return { turn }
        }

        /** The client has answered calls of its last message. */
        async function answer(keyed: KeyedContext, seat: Seat): Promise<Begun> {
          const before = await turns.conversation(caller, agent, threadKey)
          const answers = answersIn(last, before?.run.awaiting?.pending ?? [])
          if (!before) throw noConversation()
          const { signal } = request
          return answerAll({ turns, approvals, context: keyed, record, caller, seat, turn: before, signal }, answers)
        }
      },
      {
        permission: 'agent-runs:create',
        streaming: true,
        resource: 'agentRun',
        params: AgentPath,
        find,
        body: ChatBody,
        consumes: { 'application/json': { schema: ChatBody, bytesMax: 15 * mebibyte } },
        detail: doc('sendChatMessage', 'Send a message of a chat', undefined, { hide: true }),
      },
    )
    .get(
      '/*',
      async ({ caller, admission, params, query, request, server, set }) => {
        const { address, chatId } = chatIn(params['*'])
        const agent = await agents.find(caller, address)
        const turn = await turns.conversation(caller, agent, threadOf(chatId))
        if (!turn || turn.run.contentRetention.removedAt) return new Response(null, { status: 204 })
        const head = { ...(await headOf(turn)), agent, isWhole: true }
        const { after = head.messageId } = query
        if (after === head.messageId && !isLive(turn)) return new Response(null, { status: 204 })
        return turns.seated(caller, admission, async (seat) =>
          stream({ request, set, server }, head, seat, (signal) =>
            withoutPastWaits(turns.follow(caller, turn, seat, { sinceMessage: true, signal })),
          ),
        )
      },
      {
        permission: 'agent-runs:stream',
        streaming: true,
        params: ResumePath,
        query: ResumeQuery,
        find: ({ caller, params }: Naming<typeof ResumePath>) => agents.find(caller, chatIn(params['*']).address),
        detail: doc('resumeChat', 'Resume the stream of a chat', undefined, { hide: true }),
      },
    )
}
