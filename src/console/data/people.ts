/** Members and user groups of the organization in the address, for choices and names. */
import { usePlace } from '../use-place.ts'
import { useApi } from './context.ts'
import { useReading } from './resource.ts'
import { wholeList } from './whole-list.ts'

/** All members, read if they are wanted. Fails with 403 without permission; only ids are shown then. */
export function useMembers(wanted = true) {
  const api = useApi()
  const { organization } = usePlace()
  return useReading(wanted ? ['members', 'all'] : null, (options) =>
    wholeList((query) =>
      api.v1.organizations({ organizationIdOrSlug: organization }).members.get({ ...options, query }),
    ),
  )
}

/** All user groups; fails like `useMembers`. */
export function useGroups() {
  const api = useApi()
  const { organization } = usePlace()
  return useReading(['groups', 'all'], (options) =>
    wholeList((query) =>
      api.v1.organizations({ organizationIdOrSlug: organization })['user-groups'].get({ ...options, query }),
    ),
  )
}
