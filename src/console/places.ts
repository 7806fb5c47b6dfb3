/**
 * Addresses of the console. Every address below an organization names it, so that addresses can be shared and tabs can show
 * different organizations:
 *
 *     /o/{organization}                                      projects, runs, playground, statecharts, settings
 *     /o/{organization}/p/{projectId}                        agents, definitions, releases
 *     /o/{organization}/p/{projectId}/e/{environmentId}      delivery, runs, operations, events
 *
 * Links are built here only; `routes.tsx` maps addresses to pages.
 */

/** Organization, Project and Environment of an address. */
export interface Place {
  /** Slug of the organization. */
  organization: string
  projectId?: string
  environmentId?: string
}

/** Parses an address; undefined outside organizations. */
export function placeIn(path: string): Place | undefined {
  const [, organization, projectId, environmentId] =
    /^\/o\/([^/]+)(?:\/p\/([^/]+)(?:\/e\/([^/]+))?)?(?:\/|$)/.exec(path) ?? []
  if (organization === undefined) return undefined
  return { organization, ...(projectId && { projectId }), ...(environmentId && { environmentId }) }
}

/** Address of a place, or of a page in it: `at(place, 'webhooks', webhookId)`. */
export function at({ organization, projectId, environmentId }: Place, ...page: string[]): string {
  const parts = ['o', organization]
  if (projectId) parts.push('p', projectId)
  if (projectId && environmentId) parts.push('e', environmentId)
  return `/${[...parts, ...page].map(encodeURIComponent).join('/')}`
}

/** The organization of a place. */
export const organizationOf = ({ organization }: Place): Place => ({ organization })

/** The Project of a place. */
export const projectOf = ({ organization, projectId }: Place): Place => ({
  organization,
  ...(projectId && { projectId }),
})

/** Address of a run; the same from every list. */
export const runAt = (place: Place, runId: string): string => at(organizationOf(place), 'runs', runId)

/** Address of an approval, open on the page of its Environment. */
export const approvalAt = (place: Place, approvalId: string): string =>
  `${at(place, 'approvals')}?${new URLSearchParams({ approval: approvalId })}`

/** Address of the comparison of two runs; without the second, of the page that asks for it. */
export const compareAt = (place: Place, left: string, right?: string): string =>
  `${at(organizationOf(place), 'runs', 'compare')}?${new URLSearchParams({ left, ...(right && { right }) })}`

/** Address of an actor's statechart. */
export const actorAt = (place: Place, kind: string, id: string): string =>
  at(organizationOf(place), 'statecharts', kind, id)
