/** The effect of a definite answer of a provider on the integration, and its result for the caller. Source: requirement 4.8, rule 6. */
import type { IntegrationEvent } from '../../../machines/integration.ts'
import type { Stamp } from '../../../machines/words.ts'
import type { Preset } from '../presets/preset.ts'
import type { ProbeOutcome } from './outcome.ts'
import { sentenceOf } from './refusals.ts'
import type { Verification } from './schema.ts'

type Unstamped<Event> = Event extends unknown ? Omit<Event, keyof Stamp | 'number'> : never

/** An event for the integration, before it says which version it is about. */
export type IntegrationNotification = Unstamped<IntegrationEvent>

export function verificationOf(
  outcome: Extract<ProbeOutcome, { type: 'verified' | 'refused' }>,
  preset: Preset,
): { event: IntegrationNotification; result: Omit<Verification, 'integration'> } {
  if (outcome.type === 'verified') return { event: { type: 'verified' }, result: { outcome: 'verified' } }
  const { code, diagnosis } = outcome
  const message = sentenceOf(code, preset)
  return {
    event: { type: 'verificationFailed', code, message },
    result: { outcome: 'failed', reason: { code, message, ...diagnosis } },
  }
}
