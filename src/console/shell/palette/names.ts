/**
 * Names of what there is, for the palette: from the lists of the API, and bounded, so that an open palette costs some twenty
 * requests and no more. Of Projects beyond the one in the address only the Agents are read, of so many Projects.
 */

import { type Answer, type BodyOf, sent } from '../../api/client.ts'
import { useAccess } from '../../data/context.ts'
import type { ItemOf, PageQuery } from '../../data/pages.ts'
import { useReading } from '../../data/resource.ts'
import { wholeList } from '../../data/whole-list.ts'
import { at, type Place } from '../../places.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Link } from './commands.ts'

const itemsMax = 200
const otherProjectsMax = 10

/** What the user may not list has no names here. */
const listed = <Answered extends Answer>(
  read: (page: PageQuery) => Promise<Answered>,
): Promise<ItemOf<BodyOf<Answered>>[]> => wholeList(read, itemsMax).catch(() => [])

/** The same of a list that is answered as a whole. */
const unpaged = <Answered extends Answer>(answering: Promise<Answered>): Promise<ItemOf<BodyOf<Answered>>[]> =>
  sent(answering).then(
    (body) => (body as { data: { items: ItemOf<BodyOf<Answered>>[] } }).data.items,
    () => [],
  )

const named = (icon: IconName, about: string, id: string, title: string, href: string, also?: string): Link => ({
  id: `name ${id}`,
  title,
  icon,
  about,
  href,
  also: also ? `${id} ${also}` : id,
})

/** Everything with a name that can be reached from here; only what is known so far. Reads nothing until it is wanted. */
export function useNames(place: Place, wanted: boolean): { names: Link[]; loading: boolean } {
  const { projectId, environmentId } = place
  const ofOrganization = useOrganizationNames(place, wanted)
  const projects = ofOrganization.value?.projects
  const ofProjects = useProjectNames(place, wanted ? projects : undefined)
  const ofEnvironment = useEnvironmentNames(place, wanted && projectId !== undefined && environmentId !== undefined)
  return {
    names: [...(ofEnvironment.value ?? []), ...(ofProjects.value ?? []), ...(ofOrganization.value?.links ?? [])],
    loading: ofOrganization.loading || ofProjects.loading || ofEnvironment.loading,
  }
}

interface NamedProject {
  id: string
  name: string
}

function useOrganizationNames({ organization }: Place, wanted: boolean) {
  const { api } = useAccess()
  const settings = (...page: string[]) => at({ organization }, 'settings', ...page)
  return useReading(wanted ? ['palette', 'organization'] : null, async ({ fetch }) => {
    const own = api.v1.organizations({ organizationIdOrSlug: organization })
    const [projects, keys, pools, members, groups, credentials, variables, integrations] = await Promise.all([
      listed((query) => api.v1.projects.get({ query, fetch })),
      listed((query) => api.v1['api-keys'].get({ query, fetch })),
      listed((query) => api.v1['runner-pools'].get({ query, fetch })),
      listed((query) => own.members.get({ query, fetch })),
      listed((query) => own['user-groups'].get({ query, fetch })),
      unpaged(own['provider-credentials'].get({ fetch })),
      listed((query) => own.variables.get({ query, fetch })),
      unpaged(own.integrations.get({ fetch })),
    ])
    const links = [
      ...projects.map(({ id, name, slug }) =>
        named('folder', 'Project', id, name, at({ organization, projectId: id }), slug),
      ),
      ...keys.map(({ id, name, prefix }) => named('key', 'API key', id, name, settings('keys', id), prefix)),
      ...pools.map(({ id, name }) => named('plug', 'Runner pool', id, name, settings('runners', id))),
      ...members.map(({ userId, name, email }) => named('user', 'Member', userId, name, settings('members'), email)),
      ...groups.map(({ id, name }) => named('people', 'Group', id, name, settings('groups', id))),
      ...credentials.map(({ id, label }) => named('key', 'Credential', id, label, settings('credentials', id))),
      ...variables.map(({ id, name }) => named('variable', 'Variable', id, name, settings('variables'))),
      ...integrations.map(({ id, presetKey }) => named('plug', 'Integration', id, presetKey, settings('integrations'))),
    ]
    return { projects: projects.map(({ id, name }): NamedProject => ({ id, name })), links }
  })
}

/** The Project in the address first, with all that it has. */
function useProjectNames({ organization, projectId: current }: Place, projects: readonly NamedProject[] | undefined) {
  const { api } = useAccess()
  return useReading(projects ? ['palette', 'projects', current ?? null] : null, async ({ fetch }) => {
    const others = (projects ?? []).filter(({ id }) => id !== current).slice(0, otherProjectsMax)
    const here = (projects ?? []).filter(({ id }) => id === current)
    const agentsOf = async ({ id: projectId, name: project }: NamedProject) =>
      (await listed((query) => api.v1.projects({ projectId }).agents.get({ query, fetch }))).map(({ id, name, slug }) =>
        named('agent', `Agent · ${project}`, id, name, at({ organization, projectId }, 'agents', id), slug),
      )
    const restOf = async ({ id: projectId, name: project }: NamedProject) => {
      const own = api.v1.projects({ projectId })
      const place = { organization, projectId }
      const [definitions, releases, environments] = await Promise.all([
        listed((query) => own.definitions.get({ query, fetch })),
        listed((query) => own.releases.get({ query, fetch })),
        listed((query) => own.environments.get({ query, fetch })),
      ])
      return [
        ...environments.map(({ id, name }) =>
          named('rocket', `Environment · ${project}`, id, name, at({ ...place, environmentId: id })),
        ),
        ...definitions.map(({ id, name }) =>
          named('book', `Definition · ${project}`, id, name, at(place, 'definitions', id)),
        ),
        ...releases.map(({ id, number, description }) =>
          named('inbox', `Release · ${project}`, id, `Release ${number}`, at(place, 'releases', id), description ?? ''),
        ),
      ]
    }
    const found = await Promise.all([...here.map(agentsOf), ...here.map(restOf), ...others.map(agentsOf)])
    return found.flat()
  })
}

function useEnvironmentNames(place: Place, wanted: boolean) {
  const { api } = useAccess()
  const { projectId = '', environmentId = '' } = place
  return useReading(wanted ? ['palette', 'environment', environmentId] : null, async ({ fetch }) => {
    const own = api.v1.projects({ projectId }).environments({ environmentId })
    const [jobs, connections, variables, webhooks] = await Promise.all([
      listed((query) => own['agent-jobs'].get({ query, fetch })),
      listed((query) => own.connections.get({ query, fetch })),
      listed((query) => own.variables.get({ query, fetch })),
      listed((query) => own.webhooks.get({ query, fetch })),
    ])
    return [
      ...jobs.map(({ id, name }) => named('clock', 'Job', id, name, `${at(place, 'jobs')}?job=${id}`)),
      ...connections.map(({ id, name }) =>
        named('plug', 'Connection', id, name, at(place, 'configuration', 'connections', id)),
      ),
      ...variables.map(({ id, name }) =>
        named('variable', 'Variable', id, name, at(place, 'configuration', 'variables')),
      ),
      ...webhooks.map(({ id, endpointUrl }) => named('hook', 'Webhook', id, endpointUrl, at(place, 'webhooks', id))),
    ]
  })
}
