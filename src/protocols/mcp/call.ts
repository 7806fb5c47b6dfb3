/** A call of an Agent as a tool: one turn. */
import type { ServerContext } from '@modelcontextprotocol/server'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import { maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import { isPrintable } from '../../platform/http/schema.ts'
import type { ReachedAgent } from '../agents.ts'
import { withFirstIssue } from '../first-issue.ts'
import type { TurnEvent } from '../turns/events.ts'
import { endsByItself, TurnSummary } from '../turns/summary.ts'
import type { Turn, Turns } from '../turns/turns.ts'
import { withoutRepeats } from '../turns/without-repeats.ts'

interface CallParts {
  turns: Turns
  context: KeyedContext
  caller: Caller
  admission: Admission
  agent: ReachedAgent
  /** Fires when the client cancels the call. */
  signal: AbortSignal
  /** Called once the headers of the answer name the run. */
  begun(): void
}

const threadKeyLengthMax = 128

/** Many clients show their model only `structuredContent` if there is one, so it says everything that the text says. */
const failed = ({ code, message }: { code: string; message: string }, about: object = {}) => ({
  content: [{ type: 'text' as const, text: `${message} (${code})` }],
  structuredContent: { ...about, error: { code, message } },
  isError: true,
})

const refused = (message: string) => failed({ code: 'validation_failed', message })

/** Never throws: an error becomes the result, which the client's model reads. */
export async function callAgent(parts: CallParts, input: Record<string, unknown>, mcp: ServerContext['mcpReq']) {
  const { turns, caller, admission } = parts
  const { query, threadKey: key, ...others } = input
  // models send null for an argument that they leave out
  const threadKey = key ?? undefined
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return refused(`There is no argument ${unknown}: query and threadKey are taken.`)
  if (typeof query !== 'string') return refused('The argument query is required: a text.')
  if (threadKey !== undefined && !(typeof threadKey === 'string' && isPrintable(threadKey, threadKeyLengthMax))) {
    return refused('The argument threadKey has 1 to 128 printable characters.')
  }
  try {
    return await turns.seated(caller, admission, async (seat) => {
      const turn = await begin(parts, query, threadKey)
      parts.context.set.headers['x-troupe-run'] = turn.run.id
      parts.begun()
      const cancel = () => void cancelRun(parts, turn)
      parts.signal.addEventListener('abort', cancel, { once: true })
      if (parts.signal.aborted) cancel()
      try {
        const events = withoutRepeats(turns.follow(caller, turn, seat, { signal: parts.signal }))
        return resultOf(turn, await follow(events, mcp))
      } finally {
        parts.signal.removeEventListener('abort', cancel)
        seat.release()
      }
    })
  } catch (error) {
    const refusal = toApiError(error)
    return failed({ code: refusal.code, message: withFirstIssue(refusal) })
  }
}

const begin = ({ turns, context, caller, agent }: CallParts, query: string, threadKey: string | undefined) =>
  threadKey === undefined
    ? turns.start(context, caller, agent, { query })
    : turns.say(context, caller, agent, { query }, threadKey)

/** Cancels the run in this turn if the credential may; otherwise the run continues. */
async function cancelRun({ turns, context, caller }: CallParts, turn: Turn): Promise<void> {
  if (caller.principal.type !== 'apiKey' || !maySomewhere(caller, 'agent-runs:cancel')) return
  // the Idempotency-Key of the request, if any, belongs to the start
  const request = new Request(context.request.url)
  await turns.cancel({ ...context, request }, caller, turn).catch((error: unknown) => {
    // it has ended meanwhile
    if (!(error instanceof ApiError)) throw error
  })
}

/**
 * Follows the turn to its end, or to a wait, and reports each step to the client. A long step is reported every few
 * seconds: clients abandon a call without progress after a minute.
 */
async function follow(
  events: AsyncIterable<TurnEvent>,
  { _meta, notify }: ServerContext['mcpReq'],
): Promise<TurnSummary> {
  const summary = new TurnSummary()
  const progressToken = _meta?.progressToken
  let progress = 0
  let message = 'Waiting for a runner'
  for await (const event of events) {
    summary.add(event)
    if (summary.ended || (summary.pending.length > 0 && !summary.pending.every(({ kind }) => endsByItself.has(kind))))
      break
    const step = stepOf(event)
    if (progressToken === undefined || (step === undefined && event.type !== 'idle')) continue
    message = step ?? message
    progress += 1
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
  return summary
}

const stepOf = (event: TurnEvent): string | undefined => {
  if (event.type === 'modelStarted') return 'Thinking'
  return event.type === 'toolStarted' ? `Calling ${event.call.toolName}` : undefined
}

function resultOf({ run }: Turn, { ended, pending, text, callsOfClient }: TurnSummary) {
  const about = { agentRunId: run.id }
  if (!ended) {
    const [first] = pending
    if (!first) return failed({ code: 'run_canceled', message: 'The call was canceled.' }, about)
    const what = `${first.toolName} ${JSON.stringify(first.input)}`
    const question = callsOfClient.length > 0 ? `The Agent asks: ${what}` : `The Agent waits (${first.kind}): ${what}`
    const structured = { ...about, state: 'awaitingToolResult', awaiting: { ...first, pending } }
    return { content: [{ type: 'text' as const, text: question }], structuredContent: structured }
  }
  const { state, stateReason } = ended.run
  if (state !== 'completed') {
    return failed(stateReason ?? { code: 'run_canceled', message: `The run was ${state}.` }, { ...about, state })
  }
  const { output } = ended
  const isText = typeof output === 'string' || output === null
  return {
    content: [{ type: 'text' as const, text: isText ? text : JSON.stringify(output) }],
    structuredContent: { ...about, state, output: isText ? text : output },
  }
}
