/** Members and user groups of the organization, for choices and names. */
import { useApi } from '../../../data/context.ts'
import { useReading } from '../../../data/resource.ts'
import { wholeList } from '../../../data/whole-list.ts'
import { useOrganizationPath } from '../organization/use-organization.ts'

/** All members. Fails with 403 without permission; only ids are shown then. */
export function useMembers() {
  const api = useApi()
  const organization = useOrganizationPath()
  return useReading(['members', 'all'], (options) =>
    wholeList((query) => api.v1.organizations(organization).members.get({ ...options, query })),
  )
}

/** All user groups; fails like `useMembers`. */
export function useGroups() {
  const api = useApi()
  const organization = useOrganizationPath()
  return useReading(['groups', 'all'], (options) =>
    wholeList((query) => api.v1.organizations(organization)['user-groups'].get({ ...options, query })),
  )
}
