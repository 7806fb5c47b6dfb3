/** OpenAI's endpoints below `/openai/v1`: models, chat completions, responses. Source: contract 12; `docs/protocols.md`. */
import { Elysia } from 'elysia'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Runs } from '../../runs/service.ts'
import { assertTools, ProtocolAgents, type ProtocolAgentsParts } from '../agents.ts'
import { answerStream } from '../event-stream.ts'
import type { TurnEvent } from '../turns/events.ts'
import { onlyOutput } from '../turns/only-output.ts'
import type { Seat } from '../turns/seat.ts'
import { TurnSummary } from '../turns/summary.ts'
import { Turns } from '../turns/turns.ts'
import { withoutRepeats } from '../turns/without-repeats.ts'
import { chunks, completion, readMessages } from './chat.ts'
import { asksForJson } from './output-format.ts'
import { optionsOf, refuseOthers } from './parameters.ts'
import { responseEvents } from './response-stream.ts'
import { type ResponseHead, readInput, responseOf } from './responses.ts'
import { ChatBody, ModelPath, ResponseBody, ResponsePath, ResponseQuery } from './schema.ts'
import { OpenAi } from './service.ts'

interface OpenAiParts extends ProtocolAgentsParts {
  guarded: Guarded
  runs: Runs
}

const mebibyte = 1024 * 1024
const hide = { hide: true }
const starts = { permission: 'agent-runs:create', streaming: true, resource: 'agentRun' } as const
const jsonOf = <Schema>(schema: Schema) => ({ 'application/json': { schema, bytesMax: 15 * mebibyte } })

export function openaiRoutes({ guarded, runs, ...parts }: OpenAiParts) {
  const turns = new Turns(runs)
  const openai = new OpenAi(new ProtocolAgents(parts), turns)
  const find = ({ caller, params }: Naming<typeof ResponsePath>) => openai.find(caller, params.responseId)
  const response = { params: ResponsePath, find } as const
  /** The current result of a turn. */
  const soFar = async (caller: Caller, { turn, json }: ResponseHead, seat: Seat, { signal }: Request) => {
    const summary = new TurnSummary()
    const until = await turns.position(caller, turn, seat)
    for await (const event of shown(turns.follow(caller, turn, seat, { signal, until }), json)) summary.add(event)
    seat.release()
    return summary
  }

  return new Elysia({ name: 'openai', prefix: '/openai/v1' })
    .use(guarded)
    .get('/models', async ({ caller }) => ({ object: 'list', data: await openai.models(caller) }), {
      permission: 'agent-runs:create',
      detail: doc('listModels', 'List the Agents that a key reaches', undefined, hide),
    })
    .get('/models/:model', ({ caller, params }) => openai.model(caller, params.model), {
      permission: 'agent-runs:create',
      params: ModelPath,
      find: ({ caller, params }: Naming<typeof ModelPath>) => openai.agent(caller, params.model),
      detail: doc('getModel', 'Get an Agent', undefined, hide),
    })
    .post(
      '/chat/completions',
      async ({ caller, admission, body, request, server, set, requestId, record }) => {
        const agent = await openai.agent(caller, body.model)
        refuseOthers(body, takenByChat)
        assertTools(
          (body.tools ?? []).map((tool) => ({ type: tool.type, name: tool.function.name })),
          agent,
        )
        const json = asksForJson(body.response_format, agent, 'response_format', 'json_schema')
        const input = readMessages(body.messages)
        Object.assign(input.message ?? {}, optionsOf(body.reasoning_effort, body.metadata, 'reasoning_effort'))
        return turns.seated(caller, admission, async (seat) => {
          const context = { request, set, requestId, record }
          const asked = { operation: 'POST /openai/v1/chat/completions', caller, agent, body }
          const { turn } = await turns.once(context, asked, async (keyed) => ({
            turn: await openai.begin(keyed, caller, agent, input),
          }))
          set.headers['x-troupe-run'] = turn.run.id
          const head = { turn, beganAt: await turns.beganAt(turn), agent }
          const follow = (signal: AbortSignal) => shown(turns.follow(caller, turn, seat, { signal }), json)
          if (body.stream) {
            const withUsage = body.stream_options?.include_usage === true
            const make = (signal: AbortSignal) => chunks(follow(signal), head, { withUsage })
            return answerStream({ request, set, server }, make, seat.release)
          }
          server?.timeout(request, 0)
          const answer = await completion(follow(request.signal), head)
          seat.release()
          return answer
        })
      },
      {
        ...starts,
        body: ChatBody,
        consumes: jsonOf(ChatBody),
        detail: doc('createChatCompletion', 'Run an Agent as a chat completion', undefined, hide),
      },
    )
    .post(
      '/responses',
      async ({ caller, admission, body, request, server, set, requestId, record }) => {
        const agent = await openai.agent(caller, body.model)
        const { background, metadata, previous_response_id: previousId } = body
        refuseOthers(body, takenByResponses)
        assertTools(body.tools ?? [], agent)
        const { format } = Object(body.text) as { format?: unknown }
        const json = asksForJson(format, agent, 'text/format')
        const input = readInput(body.input, Boolean(previousId))
        Object.assign(input.message ?? {}, optionsOf(body.reasoning?.effort, metadata, 'reasoning/effort'))
        return turns.seated(caller, admission, async (seat) => {
          const context = { request, set, requestId, record }
          const asked = { operation: 'POST /openai/v1/responses', caller, agent, body }
          const { turn } = await turns.once(context, asked, async (keyed) => ({
            turn: previousId
              ? await openai.goOn(keyed, caller, agent, input, previousId)
              : await openai.begin(keyed, caller, agent, input),
          }))
          set.headers['x-troupe-run'] = turn.run.id
          const asIs = { agent, background: background === true, json, format, metadata }
          const head: ResponseHead = { turn, beganAt: await turns.beganAt(turn), ...asIs }
          const follow = (signal: AbortSignal) => shown(turns.follow(caller, turn, seat, { signal }), json)
          if (body.stream) {
            return answerStream(
              { request, set, server },
              (signal) => responseEvents(follow(signal), head),
              seat.release,
            )
          }
          const summary = new TurnSummary()
          if (!background) {
            server?.timeout(request, 0)
            for await (const event of follow(request.signal)) {
              summary.add(event)
              if (summary.ended || summary.callsOfClient.length > 0) break
            }
          }
          seat.release()
          return responseOf(summary, head)
        })
      },
      {
        ...starts,
        body: ResponseBody,
        consumes: jsonOf(ResponseBody),
        detail: doc('createResponse', 'Run an Agent as a response', undefined, hide),
      },
    )
    .get(
      '/responses/:responseId',
      async ({ caller, admission, params, query, request, server, set }) => {
        const { turn, named } = await openai.find(caller, params.responseId)
        const agent = { address: await openai.addressOf(caller, turn) }
        const { background, json } = named
        const head: ResponseHead = { turn, beganAt: await turns.beganAt(turn), agent, background, json }
        return turns.seated(caller, admission, async (seat) => {
          set.headers['x-troupe-run'] = turn.run.id
          if (!query.stream) return responseOf(await soFar(caller, head, seat, request), head)
          const make = (signal: AbortSignal) =>
            responseEvents(shown(turns.follow(caller, turn, seat, { signal }), json), head, query.starting_after)
          return answerStream({ request, set, server }, make, seat.release)
        })
      },
      {
        permission: 'agent-runs:stream',
        streaming: true,
        ...response,
        query: ResponseQuery,
        detail: doc('getResponse', 'Get a response', undefined, hide),
      },
    )
    .post(
      '/responses/:responseId/cancel',
      async ({ caller, admission, params, request, set, requestId, record }) => {
        const { turn, named } = await openai.find(caller, params.responseId)
        set.headers['x-troupe-run'] = turn.run.id
        if (!named.background) {
          throw new ApiError(
            400,
            'unsupported_parameter',
            'Only a response that was made with `background` is canceled.',
          )
        }
        const hasEnded = turn.run.endedAt !== null
        const canceled = hasEnded ? turn : await turns.cancel({ request, set, requestId, record }, caller, turn)
        // it has ended meanwhile, or a later turn is another response's, and continues
        const { run } = canceled ?? (await turns.latest(caller, named.runId))
        return turns.seated(caller, admission, async (seat) => {
          const agent = { address: await openai.addressOf(caller, turn) }
          const beganAt = await turns.beganAt(turn)
          const head: ResponseHead = { turn: { ...turn, run }, beganAt, agent, background: true, json: named.json }
          return responseOf(await soFar(caller, head, seat, request), head)
        })
      },
      {
        permission: 'agent-runs:cancel',
        keysOnly: true,
        streaming: true,
        resource: 'agentRun',
        ...response,
        detail: doc('cancelResponse', 'Cancel a response', undefined, hide),
      },
    )
}

/** The events of a turn for a client, which may read JSON only. */
function shown(events: AsyncIterable<TurnEvent>, json: boolean): AsyncIterable<TurnEvent> {
  const told = withoutRepeats(events)
  return json ? onlyOutput(told) : told
}

const taken = ['model', 'stream', 'stream_options', 'tools', 'metadata']
const takenByChat = [...taken, 'messages', 'reasoning_effort', 'response_format']
const takenByResponses = [...taken, 'input', 'background', 'previous_response_id', 'reasoning', 'text']
