/**
 * The parts of a chain's input besides those that the runner applies: messages from before the run, and the context of
 * its operations. Source: contract 12.
 */
import type { ModelMessage } from 'ai'
import { userMessage } from '../runner/conversation/messages.ts'
import type { HistoryMessage, RunInput, RuntimeCheckpoint } from '../runner/protocol/protocol.ts'

export interface StoredInput extends RunInput {
  history?: readonly HistoryMessage[]
  /** The state that a fork begins with; its chain has no meaning here. */
  resume?: RuntimeCheckpoint
  /** Values for operations as `{{run.context.x}}`; stored separately. */
  context?: Record<string, unknown>
}

export const noInput: RunInput = { query: null, contents: [] }
export const isEmptyInput = ({ query, contents }: RunInput): boolean => query === null && contents.length === 0

/** Merges several inputs into one. */
export const mergedInputs = (inputs: readonly RunInput[]): RunInput => ({
  query: inputs.flatMap(({ query }) => query ?? []).join('\n\n') || null,
  contents: inputs.flatMap(({ contents }) => contents),
})

/** The messages that the input adds to the conversation. */
export const messagesOf = (input: StoredInput): ModelMessage[] => [...historyOf(input), userMessage(input)]

const historyOf = ({ history = [] }: StoredInput): ModelMessage[] =>
  history.map(({ role, content }) => ({ role, content }))

/** The part of the input that a runner applies. */
export const withoutHistory = ({ query, contents }: StoredInput): RunInput => ({ query, contents })

/** The state before the input of a chain: of the fork, or from earlier messages. null: there is none. */
export function stateBefore(input: StoredInput, chain: number): RuntimeCheckpoint | null {
  // without an input, the fork goes on with the turn of its source
  if (input.resume) return { ...input.resume, chain: isEmptyInput(input) ? chain : chain - 1 }
  const messages = historyOf(input)
  return messages.length === 0 ? null : { version: 1, stepCount: 0, pendingToolCalls: [], messages, chain: chain - 1 }
}
