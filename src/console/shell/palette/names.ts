/**
 * Names of resources for the palette: resources in Projects from the server's search, the others from lists of the API. They
 * are bounded, so that an open palette costs at most some fifteen requests.
 */
import { useRef } from 'react'
import { type Answer, type BodyOf, sent } from '../../api/client.ts'
import { useAccess } from '../../data/context.ts'
import type { ItemOf, PageQuery } from '../../data/pages.ts'
import { useReading } from '../../data/resource.ts'
import { useSettled } from '../../data/use-settled.ts'
import { wholeList } from '../../data/whole-list.ts'
import { at, type Place } from '../../places.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Link } from './commands.ts'

const itemsMax = 200
/** The shortest text that is searched for. */
export const namesFrom = 2
/** The longest text that the server accepts. */
const searchMax = 200
const foundMax = 50
/** Delay after the last key. */
const pauseMs = 150

/** Lists that the user may not read contribute no names. */
const listed = <Answered extends Answer>(
  read: (page: PageQuery) => Promise<Answered>,
): Promise<ItemOf<BodyOf<Answered>>[]> => wholeList(read, itemsMax).catch(() => [])

/** The same for a list without pages. */
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

/** The names loaded so far that can be reached from the place. Loads nothing until `wanted`. */
export function useNames(place: Place, text: string): { names: Link[]; loading: boolean } {
  const { projectId, environmentId } = place
  const asked = text.trim().slice(0, searchMax)
  const wanted = asked.length >= namesFrom
  const found = useFoundNames(place, asked)
  const ofOrganization = useOrganizationNames(place, wanted)
  const releases = useReleaseNames(place, wanted && projectId !== undefined)
  const ofEnvironment = useEnvironmentNames(place, wanted && projectId !== undefined && environmentId !== undefined)
  const names = [ofEnvironment, found, releases, ofOrganization].flatMap(({ value }) => value ?? [])
  return { names, loading: [ofEnvironment, found, releases, ofOrganization].some(({ loading }) => loading) }
}

const kinds = {
  Project: { icon: 'folder', page: ({ projectId }) => ({ projectId }) },
  Environment: { icon: 'rocket', page: ({ projectId, id }) => ({ projectId, environmentId: id }) },
  Agent: { icon: 'agent', page: ({ projectId }) => ({ projectId }), below: 'agents' },
  Definition: { icon: 'book', page: ({ projectId }) => ({ projectId }), below: 'definitions' },
} as const satisfies Record<
  string,
  { icon: IconName; page: (found: Found) => Omit<Place, 'organization'>; below?: string }
>

interface Found {
  id: string
  projectId: string
}

/** Projects, Environments, Agents and Definitions of the whole organization, found by the server. */
function useFoundNames({ organization, projectId: current }: Place, text: string) {
  const { api } = useAccess()
  const settled = useSettled(text, pauseMs)
  const reading = useReading(settled.length >= namesFrom ? ['palette', 'search', settled] : null, ({ fetch }) =>
    sent(api.v1.resources.get({ query: { search: settled, limit: foundMax }, fetch })).then(
      ({ data: { items } }) =>
        // the Project in the address first
        [...items]
          .sort((one, other) => Number(other.projectId === current) - Number(one.projectId === current))
          .map((found) => {
            const { icon, page, ...rest } = kinds[found.kind]
            const place = { organization, ...page(found) }
            const about = found.kind === 'Project' ? 'Project' : `${found.kind} · ${found.projectName}`
            const href = 'below' in rest ? at(place, rest.below, found.id) : at(place)
            return named(icon, about, found.id, found.name, href, found.slug ?? undefined)
          }),
      () => [],
    ),
  )
  // keep the previous results until the next response
  const last = useRef<Link[]>(undefined)
  if (reading.value) last.current = reading.value
  return { value: last.current, loading: reading.loading || settled !== text }
}

function useOrganizationNames({ organization }: Place, wanted: boolean) {
  const { api } = useAccess()
  const settings = (...page: string[]) => at({ organization }, 'settings', ...page)
  return useReading(wanted ? ['palette', 'organization'] : null, async ({ fetch }) => {
    const own = api.v1.organizations({ organizationIdOrSlug: organization })
    const [keys, pools, members, groups, credentials, variables, integrations] = await Promise.all([
      listed((query) => api.v1['api-keys'].get({ query, fetch })),
      listed((query) => api.v1['runner-pools'].get({ query, fetch })),
      listed((query) => own.members.get({ query, fetch })),
      listed((query) => own['user-groups'].get({ query, fetch })),
      unpaged(own['provider-credentials'].get({ fetch })),
      listed((query) => own.variables.get({ query, fetch })),
      unpaged(own.integrations.get({ fetch })),
    ])
    return [
      ...keys.map(({ id, name, prefix }) => named('key', 'API key', id, name, settings('keys', id), prefix)),
      ...pools.map(({ id, name }) => named('plug', 'Runner pool', id, name, settings('runners', id))),
      ...members.map(({ userId, name, email }) => named('user', 'Member', userId, name, settings('members'), email)),
      ...groups.map(({ id, name }) => named('people', 'Group', id, name, settings('groups', id))),
      ...credentials.map(({ id, label }) => named('key', 'Credential', id, label, settings('credentials', id))),
      ...variables.map(({ id, name }) => named('variable', 'Variable', id, name, settings('variables'))),
      ...integrations.map(({ id, presetKey }) => named('plug', 'Integration', id, presetKey, settings('integrations'))),
    ]
  })
}

/** Names in the Project of the address. */
function useReleaseNames({ organization, projectId = '' }: Place, wanted: boolean) {
  const { api } = useAccess()
  return useReading(wanted ? ['palette', 'releases', projectId] : null, async ({ fetch }) =>
    (await listed((query) => api.v1.projects({ projectId }).releases.get({ query, fetch }))).map(
      ({ id, number, description }) =>
        named(
          'tag',
          'Release',
          id,
          `Release ${number}`,
          at({ organization, projectId }, 'releases', id),
          description ?? '',
        ),
    ),
  )
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
