/** Failures of operations. Source: contract 4, "Precise points"; contract 6. */
import type { Operation } from '../../authoring/definitions/source.ts'
import type { CallFailureCode } from '../../runs/runner/protocol/protocol.ts'

const messageCharactersMax = 2_000

interface OperationFailureOptions {
  isUncertain?: boolean
  isAnswered?: boolean
  conflict?: { currentState: string } | null
  cause?: unknown
}

/** The message is for the caller, including models, and contains no secret. */
export class OperationFailure extends Error {
  override readonly name = 'OperationFailure'
  /** Whether it may have taken effect although its outcome is unknown. */
  readonly isUncertain: boolean
  /** Whether it was executed successfully, and only its answer cannot be used. */
  readonly isAnswered: boolean
  /** The target refuses the operation in its current state. */
  readonly conflict: { currentState: string } | null

  constructor(
    readonly code: CallFailureCode | 'not_found' | 'call_canceled',
    message: string,
    { isUncertain = false, isAnswered = false, conflict = null, cause }: OperationFailureOptions = {},
  ) {
    super(message.slice(0, messageCharactersMax).toWellFormed(), { cause })
    this.isUncertain = isUncertain
    this.isAnswered = isAnswered
    this.conflict = conflict
  }
}

/** Whether a repeated call has no further effect: it only reads, or is declared idempotent. */
export const isIdempotent = ({ effect, idempotent }: Pick<Operation, 'effect' | 'idempotent'>): boolean =>
  effect === 'read' || idempotent

export const toolError = (message: string, options?: OperationFailureOptions) =>
  new OperationFailure('tool_error', message, options)

/** The target of the operation does not exist. */
export const missingTarget = (message: string) => new OperationFailure('not_found', message)

/** A resource bound by the Deployment is disabled or gone: the operation fails closed. */
export const bindingUnavailable = (message: string, cause?: unknown) =>
  new OperationFailure('binding_unavailable', message, { cause })
