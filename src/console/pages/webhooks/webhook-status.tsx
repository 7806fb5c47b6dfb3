/** Status of a webhook, with the reason if disabled. */
import type { Webhook } from '../../../events/webhooks/schema.ts'
import { StateBadge } from '../../ui/badge.tsx'

export const reasons = {
  endpoint_gone: 'The endpoint responded 410 Gone.',
  failing: 'All attempts failed for 120 hours.',
}

export function WebhookStatus({ webhook: { enabled, disabledReason } }: { webhook: Webhook }) {
  if (enabled) return <StateBadge state="enabled" tone="good" />
  if (disabledReason === null) return <StateBadge state="disabled" />
  return (
    <span title={reasons[disabledReason]}>
      <StateBadge state={disabledReason === 'failing' ? 'disabled, failing' : 'disabled, gone'} tone="bad" />
    </span>
  )
}
