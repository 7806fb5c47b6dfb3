/** The organization in the address, by id, which stays valid when the slug changes. */
import type { Session } from '../../../session/session.ts'
import { useSession } from '../../../session/session.ts'
import { usePlace } from '../../../use-place.ts'

type OwnOrganization = Session['organizations'][number]

export function useOrganization(): OwnOrganization {
  const { organization } = usePlace()
  const { session } = useSession()
  const found = session.organizations.find(({ id, slug }) => slug === organization || id === organization)
  if (!found) throw new Error(`the session has no organization ${organization}`)
  return found
}

export const useOrganizationPath = (): { organizationIdOrSlug: string } => ({
  organizationIdOrSlug: useOrganization().id,
})
