/**
 * The parts of a chain's input besides those that the runner applies: messages from before the run, and the context of
 * its operations. Source: contract 12.
 */
import type { ModelMessage } from 'ai'
import { userMessage } from '../runner/conversation/messages.ts'
import type { HistoryMessage, RunInput } from '../runner/protocol/protocol.ts'

export interface StoredInput extends RunInput {
  history?: readonly HistoryMessage[]
  /** Values for operations as `{{run.context.x}}`; stored separately. */
  context?: Record<string, unknown>
}

/** The messages that the input adds to the conversation. */
export const messagesOf = (input: StoredInput): ModelMessage[] => [...historyOf(input), userMessage(input)]

export const historyOf = ({ history = [] }: StoredInput): ModelMessage[] =>
  history.map(({ role, content }) => ({ role, content }))

/** The part of the input that a runner applies. */
export const withoutHistory = ({ query, contents }: StoredInput): RunInput => ({ query, contents })
