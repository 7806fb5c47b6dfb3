/** Requests of clients to a run. Source: requirement 4.14; contract 5, 12. */
import { Type } from '@sinclair/typebox'
import type { ModelRequest } from '../admission/bindings.ts'
import type { RunCommand } from '../record.ts'
import type { StoredInput } from '../records/stored-input.ts'
import type { ContentItem, Failure } from '../runner/protocol/protocol.ts'

export const CancelQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description:
        'Whether the run is canceled at once, without the final report of its runner. The attempt may still be working on ' +
        'its current step; all further reports of it are refused.',
    }),
  ),
})

/** `force`: at once. `turn`: the expected turn of the run; another turn is a `Conflict`. */
export interface CancelAs {
  force?: boolean
  turn?: number
}

export interface ContinueRequest extends ModelRequest {
  query: string
  maxRetries?: number
}

/** A continue with more than the API takes, for protocols. */
export interface ContinueAs {
  contents?: ContentItem[]
  /** Values for operations, instead of the earlier ones; only with `contents`. */
  context?: Record<string, unknown>
  /** The expected turn of the run; another turn is `concurrent_change`. */
  turn?: number
}

/** A message that begins a new turn. */
export interface MessageRequest extends ModelRequest {
  input: StoredInput
  maxRetries?: number
}

export interface DelegateResultRequest {
  toolCallId: string
  result?: unknown
  error?: Failure
}

/** An event of a run without the runtime's timestamp. */
export type Sent = RunCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'at' | 'chance'>
    : never
  : never
