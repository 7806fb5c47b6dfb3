/** The signing secret of a webhook, shown this once. */
import type { WebhookWithSecret } from '../../../events/webhooks/schema.ts'
import { SecretOnce } from '../settings/secret-once.tsx'

export const SigningSecret = ({ webhook, onDone }: { webhook: WebhookWithSecret; onDone: () => void }) => (
  <SecretOnce
    title={`The signing secret, version ${webhook.secretVersion}`}
    label="signing secret"
    secret={webhook.signingSecret}
    onDone={onDone}
  >
    <p>
      Every delivery is signed with it, as Standard Webhooks says: check <code>webhook-signature</code> before you
      believe what was posted.
      {webhook.secretVersion > 1 && ' For 24 hours deliveries are signed with the one before, too.'}
    </p>
  </SecretOnce>
)
