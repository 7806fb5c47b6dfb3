/** Says that the account's address is not verified, where a mail could change that. */
import { useAction } from '../data/action.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import { Button } from '../ui/forms/button.tsx'
import { Icon } from '../ui/icon.tsx'

const key = ['account', 'address']

export function UnverifiedAddress() {
  const api = useApi()
  const { value } = useResource(key, (options) => api.auth.verifications.get(options))
  const ask = useAction(() => api.auth.verifications.post(), {
    success: ({ email }) => `A mail is on its way to ${email}`,
    changes: [key],
  })
  if (!value || value.verifiedAt !== null || !value.mail) return null
  return (
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>
        Your address {value.email} is not verified: others may give it for theirs, and you cannot get a new password by
        mail.
      </span>
      <Button small pending={ask.pending} onClick={() => ask.run()}>
        Send a mail
      </Button>
    </div>
  )
}
