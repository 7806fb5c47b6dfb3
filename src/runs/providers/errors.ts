/** The error class of model calls. Source: contract 5, "Failure codes"; contract 4, "Precise points". */

import { type Answer, field, readAnswer } from './answers/vendor-answer.ts'
import { retryAfterMs } from './retry-after.ts'

/** `binding_unavailable` comes from the gateway: a pinned dependency is unavailable. */
export type ProviderFailureCode =
  | 'provider_error'
  | 'provider_rate_limited'
  | 'invalid_model_output'
  | 'binding_unavailable'

/**
 * A failed model step. The message is safe to show: one short line without keys, headers or bodies. It has no `cause`,
 * because the packages' errors contain the whole request.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  /** Whether a retry may succeed. */
  readonly retryable: boolean
  /** The vendor's requested delay, at most an hour. */
  readonly retryAfterMs: number | undefined

  constructor(
    readonly code: ProviderFailureCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message)
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The context of a failure, including the key that its message must not contain. */
interface CallSite {
  /** The vendor's display name. */
  vendorName: string
  apiKey?: string | null
}

/**
 * The failure behind anything that a call of a vendor threw, or that its stream reported.
 *
 * | what happened | code | retryable |
 * |---|---|---|
 * | 429, or a stream that reports a rate limit | provider_rate_limited | yes |
 * | 408, 409, 5xx, an error in a stream without a reason that says otherwise | provider_error | yes |
 * | any other status, a stream that reports a bad request | provider_error | no |
 * | no connection, a broken one, an answer that breaks the vendor's format | provider_error | yes |
 * | a request that the vendor's package refuses to build | provider_error | no |
 */
export function failureOf(thrown: unknown, site: CallSite): ProviderFailure {
  const own = ownFailure(thrown)
  if (own) return own
  const { vendorName } = site
  const notItsFormat = () => notInFormat(vendorName, true)
  const fail = (message: string, retryable: boolean) =>
    new ProviderFailure('provider_error', clean(message, site.apiKey), { retryable })

  switch (field(thrown, 'name')) {
    case 'AI_APICallError':
      return ofAnswer(readAnswer(thrown), site)
    case 'AI_TypeValidationError': {
      // Some packages treat an error inside a stream as a malformed chunk.
      const chunk = field(thrown, 'value')
      if (field(chunk, 'error') != null) return ofAnswer({ ...readAnswer(chunk), inStream: true }, site)
      return notItsFormat()
    }
    case 'AI_JSONParseError':
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
      return notItsFormat()
    case 'AI_UnsupportedFunctionalityError':
    case 'AI_InvalidPromptError':
    case 'AI_InvalidArgumentError':
      return fail(`The request cannot be sent to ${vendorName}: ${field(thrown, 'message')}`, false)
  }
  // `fetch` throws for an invalid header value (the key) or an invalid URL.
  if (thrown instanceof TypeError) return fail(`The credential or the address cannot be used for ${vendorName}.`, false)
  if (thrown instanceof Error) return fail(`The connection to ${vendorName} failed.`, true)
  return ofAnswer({ ...readAnswer(thrown), inStream: true }, site)
}

/** Our own failure, thrown while a package read the response and perhaps wrapped by it. */
function ownFailure(thrown: unknown): ProviderFailure | undefined {
  for (let error = thrown, depth = 0; depth < 4 && error != null; error = field(error, 'cause'), depth += 1) {
    if (error instanceof ProviderFailure) return error
  }
  return undefined
}

/** A response in another format, such as an HTML page with status 200. Source: contract 4, "Precise points". */
export const notInFormat = (vendorName: string, retryable: boolean) =>
  new ProviderFailure('provider_error', `${vendorName} sent something that is not in its format.`, { retryable })

function ofAnswer(answer: Answer, site: CallSite): ProviderFailure {
  const { status, reason, body, inStream } = answer
  const { vendorName, apiKey } = site
  // Anthropic's package wraps an error in the first chunk in a response error of its own.
  if (String(field(body, 'name')).startsWith('AI_')) return failureOf(body, site)
  const isRefusal = status !== undefined && status >= 300
  if (answer.broken && !isRefusal && !inStream) {
    return new ProviderFailure('provider_error', `The connection to ${vendorName} failed.`, { retryable: true })
  }
  const failure = classify(status, reason)
  const what = `${vendorName} answered ${isRefusal && !inStream ? status : 'with an error'}`
  return new ProviderFailure(
    failure === 'limited' ? 'provider_rate_limited' : 'provider_error',
    clean(answer.text ? `${what}: ${answer.text}` : `${what}.`, apiKey),
    {
      retryable: failure !== 'refused',
      retryAfterMs: failure === 'refused' ? undefined : retryAfterMs(answer.headers, body, Date.now()),
    },
  )
}

const limits = /rate.?limit|too.?many.?requests|resource.?exhausted|quota|throttl/i
const refusals =
  /invalid.?(?:request|argument|api|prompt|schema)|authentication|unauthori[sz]ed|permission|forbidden|not.?found|too.?large|context.?length|failed.?precondition|unprocessable|policy/i

/** Classifies by status if it is 4xx; otherwise, as in streams that began with 200, by the vendor's reason. */
function classify(status: number | undefined, reason: string): 'limited' | 'refused' | 'failed' {
  if (status === 429) return 'limited'
  if (status === 408 || status === 409) return 'failed'
  if (status !== undefined && status >= 300 && status < 500) return 'refused'
  if (limits.test(reason)) return 'limited'
  return refusals.test(reason) ? 'refused' : 'failed'
}

const charactersMax = 300
const keyLike = /\b(?:sk-|pk-|gsk_|xai-|AIza|Bearer )[A-Za-z0-9_.*…-]{6,}/g

/** Reduces text to one line of at most 300 characters without control characters and keys. */
export function clean(text: string, apiKey?: string | null): string {
  let line = text
  if (apiKey && apiKey.length > 3) {
    for (const form of [apiKey, encodeURIComponent(apiKey)]) line = line.replaceAll(form, '[redacted]')
  }
  line = line.replace(keyLike, '[redacted]')
  line = line.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > charactersMax ? `${line.slice(0, charactersMax - 1).toWellFormed()}…` : line
}
