/** Why an operation gave nothing. Source: contract 4, "Precise points"; contract 6. */
import type { CallFailureCode } from '../runner/protocol.ts'

const messageCharactersMax = 2_000

/** In words for whoever called, a model among them: no secret is in the message. */
export class OperationFailure extends Error {
  override readonly name = 'OperationFailure'
  /** Whether it may have taken effect all the same: nobody knows how the call ended. */
  readonly isUncertain: boolean

  constructor(
    readonly code: CallFailureCode,
    message: string,
    { isUncertain = false, cause }: { isUncertain?: boolean; cause?: unknown } = {},
  ) {
    super(message.slice(0, messageCharactersMax).toWellFormed(), { cause })
    this.isUncertain = isUncertain
  }
}

export const toolError = (message: string, options?: { isUncertain?: boolean; cause?: unknown }) =>
  new OperationFailure('tool_error', message, options)

/** Something that the Deployment binds is disabled or gone: it fails closed. */
export const bindingUnavailable = (message: string, cause?: unknown) =>
  new OperationFailure('binding_unavailable', message, { cause })
