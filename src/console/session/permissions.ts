/** What the user may do here, so that the console does not offer the rest. Source: requirement 5. */
import { createContext, useContext } from 'react'
import { useLocation } from 'wouter'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../../tenancy/authority/roles.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import { placeIn } from '../places.ts'
import { SessionContext } from './session.ts'

/** The Project of a page whose address has none, such as that of a run; null for none, undefined while not known. */
export const ProjectOfPage = createContext<string | null | undefined>(undefined)

/** Tells the user what is lacking, and whom to ask. */
export const lackingText = (permission: Permission): string =>
  `You need the permission ${permission}. Ask an owner or an admin for it.`

const minuteMs = 60_000

/**
 * Whether the user lacks the permission; false while it is not known. Owners and admins have every permission that is
 * asked for here, so only members are looked up.
 */
export function useLacks(permission: Permission): boolean {
  const api = useApi()
  const [path] = useLocation()
  const place = placeIn(path)
  const ofPage = useContext(ProjectOfPage)
  const organizations = useContext(SessionContext)?.session.organizations ?? []
  const own = organizations.find(({ id, slug }) => slug === place?.organization || id === place?.organization)
  const projectId = place?.projectId ?? ofPage
  // what grants give is not known before it is clear in which Project
  const isKnowable = projectId !== undefined || !projectPermissions.includes(permission)
  const { value } = useResource(
    own?.role === 'member' && isKnowable ? ['own-permissions', own.id, projectId ?? ''] : null,
    (options) =>
      api.v1
        .organizations({ organizationIdOrSlug: own!.id })
        .permissions.get({ query: projectId ? { projectId } : {}, ...options }),
    { freshMs: minuteMs },
  )
  return value !== undefined && !value.permissions.includes(permission)
}
