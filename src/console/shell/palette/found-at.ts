/** Addresses of resources by their ids. Pure. */
import { actorAt, approvalAt, at, type Place, runAt } from '../../places.ts'

/** The server's answer to the look-up of an id. */
interface Found {
  id: string
  kind: string
  projectId: string | null
  environmentId: string | null
  parent: string | null
}

/** The id in a text, whatever surrounds it; undefined if there is none. */
export function idIn(text: string): string | undefined {
  const [id] = /\b[a-z]{3}_(?:system_[a-z_]+|[0-7][0-9a-hjkmnp-tv-z]{25})\b/.exec(text.toLowerCase()) ?? []
  return id
}

/** Addresses of ids that need no look-up by the server: the page is the same for all ids of that type in an organization. */
export function knownAt(place: Place, id: string): { title: string; href: string } | undefined {
  const organization = { organization: place.organization }
  const settings = (...page: string[]) => at(organization, 'settings', ...page)
  if (id.startsWith('agt_system_'))
    return { title: 'System Agent', href: `${at(organization, 'playground')}?agent=${id}` }
  switch (id.slice(0, 3)) {
    case 'org':
      return { title: 'Organization', href: settings() }
    case 'usr':
      return { title: 'Member', href: settings('members') }
    case 'ivt':
      return { title: 'Invitation', href: settings('members') }
    case 'rpl':
      return { title: 'Runner pool', href: settings('runners', id) }
    case 'rtk':
      return { title: 'Runner token', href: settings('runners') }
    case 'aud':
      return { title: 'Audit event', href: settings('audit') }
    case 'ses':
      return { title: 'Session', href: settings('account') }
    case 'tpl':
      return { title: 'Template', href: at(organization, 'projects') }
    case 'inv':
      return { title: 'Version of an integration', href: settings('integrations') }
    default:
      return undefined
  }
}

/** Ids of resources without a page, and where to find them. */
const placeless: Record<string, string> = {
  att: 'An attempt is shown on the page of its run: paste the ID of the run.',
  ntc: 'A notice is sent by mail. It has no page.',
  atk: 'The token of a mailed link is never shown.',
  dva: 'Approve the sign-in of a program at /device, with its code.',
  req: 'Look for a request in the logs of the server and, if it changed something, in the audit log.',
}

/** Explains why an id has no page; undefined for all other ids. */
export const placelessWords = (id: string): string | undefined => placeless[id.slice(0, 3)]

/** The page of a resource that the server has found. */
export function foundAt({ organization }: Place, found: Found): string {
  const { id, kind, projectId, environmentId } = found
  const parent = found.parent ?? ''
  const settings = (...page: string[]) => at({ organization }, 'settings', ...page)
  const inProject = (...page: string[]) => at({ organization, projectId: projectId ?? '' }, ...page)
  const here = { organization, projectId: projectId ?? '', environmentId: environmentId ?? '' }
  const inEnvironment = (...page: string[]) => at(here, ...page)
  const pages: Record<string, () => string> = {
    Project: () => inProject(),
    Environment: () => inEnvironment(),
    Agent: () => inProject('agents', id),
    AgentRevision: () => `${inProject('agents', parent)}?view=revisions&revision=${id}`,
    Definition: () => inProject('definitions', id),
    DefinitionRevision: () => `${inProject('definitions', parent)}?view=revisions&revision=${id}`,
    Release: () => inProject('releases', id),
    AccessGrant: () => inProject('access'),
    ConfigurationRevision: () => inEnvironment('configuration'),
    Deployment: () => inEnvironment('deployments', id),
    Activation: () => inEnvironment('deployments', parent),
    Apply: () => inEnvironment('applies', id),
    Variable: () => (projectId === null ? settings('variables') : inEnvironment('configuration', 'variables')),
    Connection: () => inEnvironment('configuration', 'connections', id),
    ConnectionVersion: () => inEnvironment('configuration', 'connections', parent),
    OAuthGrant: () => inEnvironment('configuration', 'connections', parent),
    Event: () => `${inEnvironment('events')}?event=${id}`,
    AlertRule: () => at({ organization }, 'alerts', id),
    AlertIncident: () => at({ organization }, 'alerts', parent),
    ProviderCredential: () => settings('credentials', id),
    Integration: () => settings('integrations'),
    ApiKey: () => settings('keys', id),
    UserGroup: () => settings('groups', id),
    Webhook: () => inEnvironment('webhooks', id),
    WebhookRecovery: () => inEnvironment('webhooks', parent),
    WebhookDelivery: () => `${inEnvironment('webhooks', parent)}?delivery=${id}`,
    AgentRun: () => runAt({ organization }, id),
    WorkflowRun: () => inEnvironment('workflows', id),
    OperationInvocation: () => `${inEnvironment('invocations')}?invocation=${id}`,
    OperationApproval: () => approvalAt(here, id),
    AgentJob: () => `${inEnvironment('jobs')}?job=${id}`,
    Entity: () => inEnvironment('entities', parent, id),
  }
  return pages[kind]?.() ?? actorAt({ organization }, kind, id)
}

/** `AgentRevision` → `Agent revision` */
export const wordsOfKind = (kind: string): string => {
  const words = kind.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
