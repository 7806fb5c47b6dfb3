/** Banner for an unverified email address, where the server can send mail. */
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
    success: ({ email }) => `A verification link was sent to ${email}`,
    changes: [key],
  })
  if (!value || value.verifiedAt !== null || !value.mail) return null
  return (
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>Your email {value.email} is not verified. Until it is, you cannot reset your password by mail.</span>
      <Button small pending={ask.pending} onClick={() => ask.run()}>
        Send a link
      </Button>
    </div>
  )
}
