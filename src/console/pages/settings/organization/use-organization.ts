/** The organization in the address, as the session knows it. Its id goes on standing for it when its slug changes. */
import type { Session } from '../../../session/session.ts'
import { useSession } from '../../../session/session.ts'
import { usePlace } from '../../../use-place.ts'

export type OwnOrganization = Session['organizations'][number]

export function useOrganization(): OwnOrganization {
  const { organization } = usePlace()
  const { session } = useSession()
  const found = session.organizations.find(({ id, slug }) => slug === organization || id === organization)
  if (!found) throw new Error(`the session knows no ${organization}`)
  return found
}

/** The organization as paths of the API name it. */
export const useOrganizationPath = (): { organizationIdOrSlug: string } => ({
  organizationIdOrSlug: useOrganization().id,
})
