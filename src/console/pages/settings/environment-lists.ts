/** Options for an Environment's fields. A failed list (403) makes its field an id input. */
import { useAgentChoices } from '../../data/choices.ts'
import { useApi } from '../../data/context.ts'
import { useReading, useResource } from '../../data/resource.ts'
import { wholeList } from '../../data/whole-list.ts'
import { useIds } from '../../use-place.ts'
import { useOrganizationPath } from './organization/use-organization.ts'

export const useAgents = () => useAgentChoices(useIds('projectId').projectId)

export function useOrganizationVariables() {
  const api = useApi()
  const organization = useOrganizationPath()
  return useReading(['organization-variables', 'all'], (options) =>
    wholeList((query) => api.v1.organizations(organization).variables.get({ ...options, query })),
  )
}

export function useCredentials() {
  const api = useApi()
  const organization = useOrganizationPath()
  return useResource(['credentials', 'list'], (options) =>
    api.v1.organizations(organization)['provider-credentials'].get(options),
  )
}
