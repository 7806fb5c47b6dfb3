/**
 * The input of a fork: the state at a checkpoint of its source, and the message that the request adds. Source: contract
 * 14, "Fork".
 */
import type { CheckpointRow } from '../../../storage/tables.ts'
import { invalid } from '../../platform/http/answers/errors.ts'
import { startInput } from '../admission/input.ts'
import { type ToolResult, toolResults } from '../control/tool-results.ts'
import type { LoadedCheckpoint } from '../records/checkpoints.ts'
import { mergedInputs, noInput, type StoredInput, withoutHistory } from '../records/stored-input.ts'
import { toolMessage } from '../runner/conversation/messages.ts'
import type { OpenCall, RuntimeCheckpoint, StoredConversation } from '../runner/protocol/protocol.ts'
import { stateOf } from './messages.ts'
import type { ForkRequest } from './schema.ts'

interface ForkSource {
  /** The first input of the source. */
  input: StoredInput
  /** undefined: the input, checkpoint 0. */
  checkpoint: LoadedCheckpoint | undefined
  /** The open calls whose answers the source was waiting for at a `suspended` checkpoint. */
  asked(checkpoint: CheckpointRow, open: readonly OpenCall[]): Promise<readonly OpenCall[]>
}

/**
 * What the fork begins with. Throws `empty_input` and the attachment errors (400), and 422 if the fork would have nothing
 * to do, or if the query does not answer the calls that the source waited for.
 */
export async function forkedInput(source: ForkSource, request: ForkRequest): Promise<StoredInput> {
  const { input: first, checkpoint } = source
  const { query, contents, messages } = request
  const given = query === undefined && contents === undefined ? undefined : startInput(query, contents)
  const context = first.context && { context: first.context }
  if (messages) return { ...(given ?? noInput), resume: stateOf(messages, given !== undefined), ...context }
  if (!checkpoint) return given ? { ...first, ...given } : first
  const { row, runtimeCheckpoint: state } = checkpoint
  if (row.kind === 'final' && !given) throw nothingToDo(row.checkpoint_id)
  // the message of a fork that follows calls of its own source may not be in its first checkpoints
  const owed = state.chain === 0 ? withoutHistory(first) : noInput
  const asked = row.kind === 'suspended' && given ? await source.asked(row, openCalls(state)) : []
  if (!given || asked.length === 0) return { ...mergedInputs([owed, given ?? noInput]), resume: state, ...context }
  if (given.contents.length > 0) {
    throw invalid([
      { path: '/body/contents', message: 'The query is the result of a tool call, which has no attachments.' },
    ])
  }
  const results = toolResults(given.query ?? '', asked)
  return { ...owed, resume: answered(state, results), ...context }
}

const nothingToDo = (checkpointId: number) =>
  invalid([
    {
      path: '/body/query',
      message: `The run had its answer at the checkpoint ${checkpointId}: give a query or messages, or an earlier checkpoint.`,
    },
  ])

/** The open calls of all agents, except for those that a delegate is answering. */
function openCalls({ pendingToolCalls, delegates = {} }: RuntimeCheckpoint): OpenCall[] {
  const all = [pendingToolCalls, ...Object.values(delegates).map((each) => each.pendingToolCalls)].flat()
  return all.filter(({ toolCallId }) => !Object.hasOwn(delegates, toolCallId))
}

/** The state with results of open calls. */
function answered(state: RuntimeCheckpoint, results: readonly ToolResult[]): RuntimeCheckpoint {
  const { delegates } = state
  const given = new Map(results.map(({ toolCallId, result }) => [toolCallId, result]))
  const withResults = ({ messages, pendingToolCalls, stepCount }: StoredConversation): StoredConversation => ({
    messages: [
      ...messages,
      ...pendingToolCalls.flatMap((call) =>
        given.has(call.toolCallId) ? [toolMessage(call, { result: given.get(call.toolCallId) })] : [],
      ),
    ],
    pendingToolCalls: pendingToolCalls.filter(({ toolCallId }) => !given.has(toolCallId)),
    stepCount,
  })
  const entries = delegates && Object.entries(delegates).map(([id, each]) => [id, withResults(each)] as const)
  return { ...state, ...withResults(state), ...(entries && { delegates: Object.fromEntries(entries) }) }
}
