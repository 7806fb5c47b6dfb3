/** Maps the outcome of a probe to the errors of registration and rotation. Source: requirement 4.8, rules 3, 4; contract 4. */
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Preset } from '../presets/preset.ts'
import type { ProbeOutcome, RefusalCode } from './outcome.ts'

/** The codes that asking a provider can end with. */
export const probeErrors = [
  'integration_invalid_client',
  'integration_redirect_uri_mismatch',
  'integration_unexpected_response',
  'provider_rate_limited',
  'provider_unavailable',
] as const

const sentences: Record<RefusalCode, (preset: Preset) => string> = {
  integration_invalid_client: ({ name }) => `${name} does not know this client, or its secret is another one.`,
  integration_redirect_uri_mismatch: ({ redirectUri }) =>
    `The redirect URI ${redirectUri} is not registered for this client.`,
  integration_unexpected_response: ({ name }) =>
    `${name} has answered in a way that does not say that it knows this client.`,
}

export const sentenceOf = (code: RefusalCode, preset: Preset): string => sentences[code](preset)

/** The definite answer of the provider. Throws `provider_rate_limited` (429), `provider_unavailable` (503). */
export function definitive(
  outcome: ProbeOutcome,
  { name }: Preset,
): Extract<ProbeOutcome, { type: 'verified' | 'refused' }> {
  if (outcome.type === 'limited') {
    const message = `${name} takes no more requests for now; nothing was changed.`
    throw new ApiError(429, 'provider_rate_limited', message, { retryAfterSeconds: outcome.retryAfterSeconds })
  }
  if (outcome.type === 'unreachable') {
    const message = `${name} cannot be asked now; nothing was changed.`
    throw new ApiError(503, 'provider_unavailable', message, { retryAfterSeconds: outcome.retryAfterSeconds })
  }
  return outcome
}

/** Throws all that is no success: besides the above, the code of the refusal (400). */
export function assertVerified(outcome: ProbeOutcome, preset: Preset): void {
  const certain = definitive(outcome, preset)
  if (certain.type === 'verified') return
  throw new ApiError(400, certain.code, sentenceOf(certain.code, preset), { details: { ...certain.diagnosis } })
}
