/**
 * The input of a chain beside what the runner applies: messages from before the run, and the context of its operations.
 * Source: contract 12.
 */
import type { ModelMessage } from 'ai'
import { userMessage } from '../runner/conversation/messages.ts'
import type { HistoryMessage, RunInput } from '../runner/protocol/protocol.ts'

export interface StoredInput extends RunInput {
  history?: readonly HistoryMessage[]
  /** What operations may use as `{{run.context.x}}`; stored apart. */
  context?: Record<string, unknown>
}

/** The messages that it adds to the conversation. */
export const messagesOf = (input: StoredInput): ModelMessage[] => [...historyOf(input), userMessage(input)]

export const historyOf = ({ history = [] }: StoredInput): ModelMessage[] =>
  history.map(({ role, content }) => ({ role, content }))

/** What a runner applies as the chain's input. */
export const withoutHistory = ({ query, contents }: StoredInput): RunInput => ({ query, contents })
