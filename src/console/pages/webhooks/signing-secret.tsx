/** The signing secret of a webhook, shown once. */
import type { WebhookWithSecret } from '../../../events/webhooks/schema.ts'
import { SecretOnce } from '../settings/secret-once.tsx'

export const SigningSecret = ({ webhook, onDone }: { webhook: WebhookWithSecret; onDone: () => void }) => (
  <SecretOnce
    title={`Signing secret, version ${webhook.secretVersion}`}
    label="signing secret"
    secret={webhook.signingSecret}
    onDone={onDone}
  >
    <p>
      Deliveries are signed as specified by Standard Webhooks: verify <code>webhook-signature</code> before you process
      a delivery.
      {webhook.secretVersion > 1 && ' For 24 hours deliveries are also signed with the previous secret.'}
    </p>
  </SecretOnce>
)
