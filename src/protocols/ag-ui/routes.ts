/** Agents for clients of AG-UI below `/ag-ui`. Source: contract 12; `docs/protocols.md`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ApprovalParts, Approvals } from '../../automation/approvals/service.ts'
import type { ErrorShape } from '../../platform/http/answers/answering.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { Printable } from '../../platform/http/schema.ts'
import { checkedContext } from '../../runs/admission/input.ts'
import type { Runs } from '../../runs/service.ts'
import { addressIn, assertTools, ProtocolAgents, type ProtocolAgentsParts } from '../agents.ts'
import { answerStream } from '../event-stream.ts'
import { withFirstIssue } from '../first-issue.ts'
import { answerAll, noConversation } from '../turns/answers.ts'
import { sayNext } from '../turns/next-message.ts'
import { type Begun, Turns } from '../turns/turns.ts'
import { withoutRepeats } from '../turns/without-repeats.ts'
import { agUiEvents } from './events.ts'
import { type AgUiMessage, answersIn, isAnswer, lastMessage, messageAgain } from './messages.ts'

interface AgUiParts extends ProtocolAgentsParts, ApprovalParts {
  guarded: Guarded
  runs: Runs
}

const mebibyte = 1024 * 1024
const open = { additionalProperties: true }
const AgentPath = Type.Object({ '*': Type.String({ maxLength: 300 }) })
const Input = Type.Object(
  {
    threadId: Printable(122, 'The conversation.'),
    runId: Type.String({ minLength: 1, maxLength: 200 }),
    messages: Type.Array(Type.Object({ role: Type.String() }, open), { maxItems: 1_000 }),
    tools: Type.Optional(Type.Array(Type.Object({ name: Type.String({ maxLength: 64 }) }, open), { maxItems: 128 })),
    resume: Type.Optional(
      Type.Array(Type.Object({ interruptId: Type.String({ maxLength: 100 }), status: Type.String() }, open), {
        maxItems: 100,
      }),
    ),
    forwardedProps: Type.Optional(
      Type.Object({ context: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown())) }, open),
    ),
  },
  open,
)

/** The error as an event that ends a run. */
export const agUiErrors: ErrorShape = {
  prefix: '/ag-ui/',
  show: (error, requestId) => {
    const { status, code, details } = error
    return {
      status,
      body: { type: 'RUN_ERROR', message: withFirstIssue(error), code, metadata: { requestId, ...details } },
    }
  },
}

const threadOf = (threadId: string) => `ag-ui:${threadId}`

export function agUiRoutes({ guarded, runs, ...parts }: AgUiParts) {
  const turns = new Turns(runs)
  const agents = new ProtocolAgents(parts)
  const approvals = new Approvals(parts)
  return new Elysia({ name: 'ag-ui', prefix: '/ag-ui' }).use(guarded).post(
    '/*',
    async ({ caller, admission, params, body, request, server, set, requestId, record }) => {
      const agent = await agents.find(caller, addressIn(params['*']))
      const { threadId, runId, tools = [], resume = [], forwardedProps } = body
      assertTools(
        tools.map(({ name }) => ({ type: 'function', name })),
        agent,
      )
      const messages = body.messages as AgUiMessage[]
      const context = { request, set, requestId, record }
      const threadKey = threadOf(threadId)
      const asked = { operation: 'POST /ag-ui', caller, agent, body }
      return turns.seated(caller, admission, async (seat) => {
        const { turn, waiting, denied: _, ...following } = await turns.once(context, asked, begin)
        const { id: agentRunId } = turn.run
        set.headers['x-troupe-run'] = agentRunId
        const head = { threadId, runId, agentRunId, ...(waiting && { waiting }) }
        return answerStream(
          { request, set, server },
          (signal) => agUiEvents(withoutRepeats(turns.follow(caller, turn, seat, { ...following, signal })), head),
          seat.release,
        )

        async function begin(keyed: KeyedContext): Promise<Begun> {
          if (!isAnswer(messages, resume)) {
            const operations = forwardedProps?.context
            const context = operations && checkedContext(operations, '/body/forwardedProps/context')
            const turn = await sayNext({ turns, context: keyed, caller, agent, threadKey }, (before) => ({
              ...(before?.isOver ? messageAgain(messages) : lastMessage(messages, before === undefined)),
              ...(context && { context }),
            }))
            return { turn }
          }
          const before = await turns.conversation(caller, agent, threadKey)
          if (!before) throw noConversation()
          const answers = answersIn(messages, resume as never, before.run.awaiting?.pending ?? [])
          const { signal } = request
          return answerAll({ turns, approvals, context: keyed, record, caller, seat, turn: before, signal }, answers)
        }
      })
    },
    {
      permission: 'agent-runs:create',
      streaming: true,
      resource: 'agentRun',
      params: AgentPath,
      find: ({ caller, params }: Naming<typeof AgentPath>) => agents.find(caller, addressIn(params['*'])),
      body: Input,
      consumes: { 'application/json': { schema: Input, bytesMax: 15 * mebibyte } },
      detail: doc('runAgUi', 'Run an Agent for a client of AG-UI', undefined, { hide: true }),
    },
  )
}
