/** Errors in OpenAI's shape: `{error: {message, type, param, code}}`. */
import type { ErrorShape } from '../../platform/http/answers/answering.ts'
import { ApiError, type Issue } from '../../platform/http/answers/errors.ts'
import { withFirstIssue } from '../first-issue.ts'

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** `input[0].content` for `/body/input/0/content`; null for the body as a whole. */
const paramOf = ({ details }: ApiError): string | null => {
  const [issue] = (details?.issues ?? []) as Issue[]
  const path = issue?.path.replace(/^\/(?:body|query|headers)(?:\/|$)/, '')
  return path ? path.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.') : null
}

export const errorOf = (error: ApiError) => ({
  message: withFirstIssue(error),
  type: types[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'server_error'),
  param: paramOf(error),
  code: error.code === 'not_found' && paramOf(error) === 'model' ? 'model_not_found' : error.code,
})

/** The run has already retried these. */
const isOver: ReadonlySet<string> = new Set(['run_failed', 'run_canceled'])

export const openaiErrors: ErrorShape = {
  prefix: '/openai/',
  show: (error, requestId) => ({
    // OpenAI answers invalid input with 400
    status: error.status === 422 ? 400 : error.status,
    body: { error: errorOf(error), request_id: requestId },
    ...(isOver.has(error.code) && { headers: { 'x-should-retry': 'false' } }),
  }),
}

/** A parameter of OpenAI's that does not apply here. */
export const unsupported = (param: string, why: string) =>
  new ApiError(400, 'unsupported_parameter', why, { at: `/body/${param}` })
