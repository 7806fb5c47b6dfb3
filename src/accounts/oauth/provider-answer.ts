/**
 * Reads an answer of a provider within bounds: JSON of at most 64 KiB, in ten seconds for everything, never from elsewhere. What it
 * says about a failure stays here: none of its words reach a caller, a log line or a record. Source: contract 4, "Token
 * endpoint"; trust 2.4.
 */

import { isObject } from '../../platform/json.ts'
import type { OutboundAnswer, OutboundClient, OutboundRequest } from '../../platform/outbound/client.ts'
import { OutboundError, type OutboundErrorClass } from '../../platform/outbound/error.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Why a provider gave nothing. `refused`: it said no, or something that is no answer; `unavailable`: it may be there
 * again later.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'

  constructor(
    readonly kind: 'refused' | 'unavailable',
    /** In our words; `error` of RFC 6749, 5.2, where it is one of those. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The provider gave no usable answer: ${reason}.`, options)
  }
}

export const timeoutMs = 10_000
const answerBytesMax = 64 * 1024
/** The words of RFC 6749, 5.2; any other one is the provider's own. */
const errorWords = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]
/** A definite answer: asking again would give the same. */
const definitive: ReadonlySet<OutboundErrorClass> = new Set(['redirect', 'invalid_response', 'blocked_address'])

/** The request to a provider, and its timeout. */
export interface ProviderParts {
  outbound: Pick<OutboundClient, 'request'>
  /** For everything; ten seconds unless a test is in a hurry. */
  timeoutMs?: number
}

/** The object in a 2xx answer. Throws `ProviderFailure`. */
export async function askProvider(
  parts: ProviderParts,
  request: Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>,
): Promise<JsonObject> {
  const answer = await sent(parts, request)
  const { status } = answer
  if (status === 429 || status >= 500) throw new ProviderFailure('unavailable', `status_${status}`)
  if (answer.truncated) throw new ProviderFailure('refused', 'answer_too_large')
  const body = objectIn(answer)
  if (status >= 200 && status < 300) {
    if (!body) throw new ProviderFailure('refused', 'not_json')
    return body
  }
  throw new ProviderFailure('refused', errorWords.find((word) => word === body?.error) ?? `status_${status}`)
}

async function sent(
  { outbound, timeoutMs: withinMs = timeoutMs }: ProviderParts,
  request: Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>,
): Promise<OutboundAnswer> {
  try {
    return await outbound.request({ ...request, timeoutMs: withinMs, bodyBytesMax: answerBytesMax })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const { errorClass } = error
    throw new ProviderFailure(definitive.has(errorClass) ? 'refused' : 'unavailable', errorClass, { cause: error })
  }
}

function objectIn({ body }: OutboundAnswer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
