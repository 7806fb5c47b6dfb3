/** Errors of A2A: JSON-RPC, with the protocol's codes if it has one. */
import type { ErrorShape } from '../../platform/http/answers/answering.ts'
import { ApiError, type Issue } from '../../platform/http/answers/errors.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import { withFirstIssue } from '../first-issue.ts'

const codes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  taskNotFound: -32_001,
  taskNotCancelable: -32_002,
  pushNotSupported: -32_003,
  unsupportedOperation: -32_004,
  versionNotSupported: -32_009,
} as const

/** An error with a code of the protocol. */
export class A2aError extends Error {
  readonly code: number
  constructor(name: keyof typeof codes, message: string) {
    super(message)
    this.code = codes[name]
  }
}

export const noPushNotifications = () =>
  new A2aError('pushNotSupported', 'Push notifications are not offered: use a webhook.')

const byStatus: Readonly<Record<number, number>> = {
  400: codes.invalidParams,
  404: codes.taskNotFound,
  409: codes.unsupportedOperation,
  413: codes.invalidParams,
  422: codes.invalidParams,
}

/** The `error` of an answer. */
export function errorOf(thrown: unknown): { code: number; message: string; data?: object } {
  if (thrown instanceof A2aError) return { code: thrown.code, message: thrown.message }
  const error = toApiError(thrown)
  const { status, code, details } = error
  return { code: byStatus[status] ?? codes.internal, message: withFirstIssue(error), data: { code, ...details } }
}

/** Whether the error is answered with an HTTP status: the caller is not authenticated or not authorized. */
export const isOfHttp = (thrown: unknown): boolean =>
  thrown instanceof ApiError
    ? [401, 403, 429].includes(thrown.status)
    : !(thrown instanceof A2aError) && toApiError(thrown).status >= 500

/** The code of a body that is no JSON, or no call of JSON-RPC, and of a path that is no Agent's. */
function beforeMethod({ status, code, details }: ApiError): number | undefined {
  if (code === 'malformed_request') return codes.parse
  if (status === 404) return codes.invalidRequest
  const [issue] = (details?.issues ?? []) as Issue[]
  const isCall = !issue?.path.startsWith('/body') || issue.path.startsWith('/body/params')
  return code === 'validation_failed' && !isCall ? codes.invalidRequest : undefined
}

export const a2aErrors: ErrorShape = {
  prefix: '/a2a/',
  show: (error, requestId) => {
    const { data, ...rest } = errorOf(error)
    const code = beforeMethod(error) ?? rest.code
    return {
      status: error.status,
      body: { jsonrpc: '2.0', id: null, error: { ...rest, code, data: { ...data, requestId } } },
    }
  },
}
