/** Verifies webhook deliveries. Signatures follow Standard Webhooks (https://www.standardwebhooks.com). */
import { TroupeError } from '../client/errors.ts'
import type { WebhookEvent } from '../generated/schemas.ts'

/** A delivery that failed verification. */
export class WebhookVerificationError extends TroupeError {
  override readonly name = 'WebhookVerificationError'
  declare readonly code: 'missing_header' | 'timestamp_out_of_range' | 'invalid_signature' | 'invalid_body'
}

/** The headers of a request, as `fetch` or Node.js have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** Options of verification. */
export interface VerifyOptions {
  /** The largest difference of the delivery's time from now. Default: 300. */
  toleranceSeconds?: number
  /** The current time, in epoch milliseconds. Default: `Date.now()`. */
  now?: number
}

const encoder = new TextEncoder()
/** Bytes with their own buffer, as Web Crypto requires. */
type Bytes = Uint8Array<ArrayBuffer>

function header(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  const text = Array.isArray(value) ? value[0] : value
  if (!text) throw new WebhookVerificationError('missing_header', `The delivery has no header ${name}.`)
  return text
}

function bytesOf(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The key of a signing secret. Throws `TypeError` for a missing or invalid secret. */
async function keyOf(secret: string | undefined): Promise<CryptoKey> {
  if (!secret) throw new TypeError('There is no signing secret: pass the one that the webhook showed, whsec_….')
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new TypeError('A signing secret is whsec_ and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/**
 * The event of a delivery. Pass the raw body, not the parsed one, and during a rotation both secrets. Throws a
 * `WebhookVerificationError` if no secret matches the signature, or if the delivery is too old.
 *
 *     const event = await Troupe.webhooks.verify(await request.text(), request.headers, secret)
 *     if (event.type === 'run.completed') …
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[] | undefined,
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = await Promise.all([secret].flat().map(keyOf))
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'timestamp_out_of_range',
      `The delivery is more than ${toleranceSeconds} seconds from now, or says no time.`,
    )
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = encoder.encode(`${id}.${timestamp}.${text}`)
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined
    if (!bytes) continue
    for (const key of keys) {
      // compares in constant time
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return parsed(text)
    }
  }
  throw new WebhookVerificationError('invalid_signature', 'The delivery was not signed with this secret.')
}

function parsed(text: string): WebhookEvent {
  try {
    return JSON.parse(text) as WebhookEvent
  } catch (cause) {
    throw new WebhookVerificationError('invalid_body', 'The body of the delivery is not JSON.', { cause })
  }
}
