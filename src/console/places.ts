/**
 * The addresses of the console. Everything that belongs to an organization has it in its address, so that an address can be
 * handed on, and two tabs may look at two organizations:
 *
 *     /o/{organization}                                      and its projects, runs, playground, statecharts, settings
 *     /o/{organization}/p/{projectId}                        and its agents, definitions, releases
 *     /o/{organization}/p/{projectId}/e/{environmentId}      and what is deployed, runs and happens there
 *
 * Links are made here and nowhere else; which page is where stands in `routes.tsx`.
 */

/** What an address says about where one is. */
export interface Place {
  /** The organization's slug. */
  organization: string
  projectId?: string
  environmentId?: string
}

/** The place in an address; undefined outside of all organizations. */
export function placeIn(path: string): Place | undefined {
  const [, organization, projectId, environmentId] =
    /^\/o\/([^/]+)(?:\/p\/([^/]+)(?:\/e\/([^/]+))?)?(?:\/|$)/.exec(path) ?? []
  if (organization === undefined) return undefined
  return { organization, ...(projectId && { projectId }), ...(environmentId && { environmentId }) }
}

/** The address of a place, and of a page there: `at(place, 'webhooks', webhookId)`. */
export function at({ organization, projectId, environmentId }: Place, ...page: string[]): string {
  const parts = ['o', organization]
  if (projectId) parts.push('p', projectId)
  if (projectId && environmentId) parts.push('e', environmentId)
  return `/${[...parts, ...page].map(encodeURIComponent).join('/')}`
}

/** The same organization, without a Project. */
export const organizationOf = ({ organization }: Place): Place => ({ organization })

/** The same Project, without an Environment. */
export const projectOf = ({ organization, projectId }: Place): Place => ({
  organization,
  ...(projectId && { projectId }),
})

/** A run has one address, wherever it was found. */
export const runAt = (place: Place, runId: string): string => at(organizationOf(place), 'runs', runId)

/** The statechart of something that lives. */
export const actorAt = (place: Place, kind: string, id: string): string =>
  at(organizationOf(place), 'statecharts', kind, id)
