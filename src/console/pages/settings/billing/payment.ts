/** Opens pages of the payment provider, created by the server. */
import { useRef } from 'react'
import { useAction } from '../../../data/action.ts'
import { useAccess } from '../../../data/context.ts'
import { useSession } from '../../../session/session.ts'
import { useOrganization } from '../organization/use-organization.ts'

export type Payment = ReturnType<typeof usePayment>

/** 128 random bits in hexadecimal. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Navigates to an http(s) page outside the console. */
function leaveTo(url: string): void {
  if (!/^https?:\/\//.test(url)) throw new Error('The payment address is not an http or https URL.')
  location.assign(url)
}

/** `checkout(planKey)` starts a subscription, `portal()` manages it. */
export function usePayment() {
  const { api, origin } = useAccess()
  const { session } = useSession()
  const { billing } = api.v1.organizations({ organizationIdOrSlug: useOrganization().id })
  // a retry without a response uses the same key, so that it takes effect once
  const asked = useRef(new Map<string, string>())
  const { csrfToken } = session

  const visit = useAction(
    async (planKey: string | null) => {
      const wanted = planKey ?? 'portal'
      const key = asked.current.get(wanted) ?? newKey()
      asked.current.set(wanted, key)
      const options = { headers: { 'idempotency-key': key } }
      const answer = await (planKey === null
        ? billing.portal.post({ returnUrl: `${origin}/billing`, csrfToken }, options)
        : billing.checkout.post(
            { planKey, successUrl: `${origin}/billing/success`, cancelUrl: `${origin}/billing/canceled`, csrfToken },
            options,
          ))
      // a refusal is a response: the next try is a new request
      if (answer.status < 500 && answer.status !== 429) asked.current.delete(wanted)
      return answer
    },
    { quiet: true, changes: [['billing']], done: ({ url }) => leaveTo(url) },
  )
  return {
    ...visit,
    checkout: (planKey: string) => visit.run(planKey),
    portal: () => visit.run(null),
  }
}
