/** Why an operation gave nothing. Source: contract 4, "Precise points"; contract 6. */
import type { CallFailureCode } from '../../runs/runner/protocol/protocol.ts'

const messageCharactersMax = 2_000

interface OperationFailureOptions {
  isUncertain?: boolean
  conflict?: { currentState: string } | null
  cause?: unknown
}

/** In words for whoever called, a model among them: no secret is in the message. */
export class OperationFailure extends Error {
  override readonly name = 'OperationFailure'
  /** Whether it may have taken effect all the same: nobody knows how the call ended. */
  readonly isUncertain: boolean
  /** What the operation acts on does not take this in the state that it is in. */
  readonly conflict: { currentState: string } | null

  constructor(
    readonly code: CallFailureCode | 'not_found',
    message: string,
    { isUncertain = false, conflict = null, cause }: OperationFailureOptions = {},
  ) {
    super(message.slice(0, messageCharactersMax).toWellFormed(), { cause })
    this.isUncertain = isUncertain
    this.conflict = conflict
  }
}

export const toolError = (message: string, options?: OperationFailureOptions) =>
  new OperationFailure('tool_error', message, options)

/** What the operation acts on is not there. */
export const missingTarget = (message: string) => new OperationFailure('not_found', message)

/** Something that the Deployment binds is disabled or gone: it fails closed. */
export const bindingUnavailable = (message: string, cause?: unknown) =>
  new OperationFailure('binding_unavailable', message, { cause })
