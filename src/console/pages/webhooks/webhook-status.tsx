/** Health of a webhook: whether it is enabled, and whether its endpoint accepts deliveries. */
import { deadLettersMax } from '../../../events/webhooks/bounds.ts'
import type { Webhook } from '../../../events/webhooks/schema.ts'
import { at, type Place } from '../../places.ts'
import { StateBadge, type Tone } from '../../ui/badge.tsx'

export const reasons = {
  endpoint_gone: 'The endpoint responded 410 Gone.',
  failing: 'All attempts failed for 120 hours.',
}

export const healths = ['healthy', 'dead-letters', 'failing', 'disabled'] as const
type Health = (typeof healths)[number]

export const healthWords: Record<Health, string> = {
  healthy: 'Healthy',
  'dead-letters': 'Has dead letters',
  failing: 'Failing',
  disabled: 'Disabled',
}

/** `failing`: the last attempt failed. `dead-letters`: it succeeded, but there are dead letters. */
export function healthOf({ enabled, failingSince, deadLetters }: Webhook): Health {
  if (!enabled) return 'disabled'
  if (failingSince !== null) return 'failing'
  return deadLetters > 0 ? 'dead-letters' : 'healthy'
}

/** `6`, or `1,000+` at the limit of the count. */
export const deadLetterCount = (deadLetters: number): string =>
  `${deadLetters.toLocaleString('en')}${deadLetters >= deadLettersMax ? '+' : ''}`

/** Address of a webhook's dead letters. */
export const deadLettersAt = (place: Place, webhookId: string): string =>
  `${at(place, 'webhooks', webhookId)}?state=dead-letter`

const badges: Record<Exclude<Health, 'disabled'>, [state: string, tone: Tone, about: string]> = {
  healthy: ['healthy', 'good', 'Enabled, and the last attempt was accepted.'],
  'dead-letters': ['dead letters', 'waiting', 'Enabled, but some deliveries are dead letters.'],
  failing: ['failing', 'bad', 'Enabled, and the last attempt was refused.'],
}

export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  const { disabledReason } = webhook
  const health = healthOf(webhook)
  if (health !== 'disabled') {
    const [state, tone, about] = badges[health]
    return (
      <span title={about}>
        <StateBadge state={state} tone={tone} />
      </span>
    )
  }
  if (disabledReason === null) return <StateBadge state="disabled" />
  return (
    <span title={reasons[disabledReason]}>
      <StateBadge state={disabledReason === 'failing' ? 'disabled, failing' : 'disabled, gone'} tone="bad" />
    </span>
  )
}
