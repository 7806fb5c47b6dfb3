/** The ways to the payment provider: the server makes a page there, and the browser goes to it. */
import { useRef } from 'react'
import { useAction } from '../../../data/action.ts'
import { useAccess } from '../../../data/context.ts'
import { useSession } from '../../../session/session.ts'
import { useOrganization } from '../organization/use-organization.ts'

export type Payment = ReturnType<typeof usePayment>

/** 128 bits, in hexadecimal. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Leaves the console, for a page of the web only. */
function leaveTo(url: string): void {
  if (!/^https?:\/\//.test(url)) throw new Error('This is no address of a page.')
  location.assign(url)
}

/** `checkout(planKey)` pays for a plan, `portal()` looks after the contract. */
export function usePayment() {
  const { api, origin } = useAccess()
  const { session } = useSession()
  const { billing } = api.v1.organizations({ organizationIdOrSlug: useOrganization().id })
  // what was asked for and not answered is asked for again with the same key, so that it happens once
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
      // a refusal is an answer too: another try is a new request
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
