/** Navigation entries by place. */
import { at, organizationOf, type Place, projectOf } from '../places.ts'
import type { IconName } from '../ui/icon.tsx'

export interface Entry {
  title: string
  icon: IconName
  href: string
  /** Whether it shows the number of pending approvals. */
  isInbox: boolean
}

export interface Group {
  title: string
  entries: Entry[]
}

type Line = [title: string, icon: IconName, ...page: string[]]

const entriesOf = (place: Place, lines: Line[]): Entry[] =>
  lines.map(([title, icon, ...page]) => ({ title, icon, href: at(place, ...page), isInbox: page[0] === 'approvals' }))

const ofOrganization: Line[] = [
  ['Overview', 'home'],
  ['Projects', 'folder', 'projects'],
  ['Runs', 'run', 'runs'],
  ['Playground', 'chat', 'playground'],
  ['Statecharts', 'chart', 'statecharts'],
  ['Settings', 'settings', 'settings'],
]

const ofProject: Line[] = [
  ['Project', 'box'],
  ['Agents', 'agent', 'agents'],
  ['Definitions', 'book', 'definitions'],
  ['Releases', 'inbox', 'releases'],
  ['Access', 'people', 'access'],
  ['Settings', 'settings', 'settings'],
]

const ofEnvironment: Line[] = [
  ['Delivery', 'rocket'],
  ['Configuration', 'variable', 'configuration'],
  ['Runs', 'run', 'runs'],
  ['Playground', 'chat', 'playground'],
  ['Approvals', 'approve', 'approvals'],
  ['Invocations', 'bolt', 'invocations'],
  ['Workers', 'plug', 'workers'],
  ['Workflows', 'flow', 'workflows'],
  ['Jobs', 'clock', 'jobs'],
  ['Entities', 'entity', 'entities'],
  ['Events', 'log', 'events'],
  ['Webhooks', 'hook', 'webhooks'],
]

/** Groups from the organization inwards. */
export function navigationOf(place: Place): Group[] {
  const groups = [{ title: 'Organization', entries: entriesOf(organizationOf(place), ofOrganization) }]
  if (place.projectId) groups.push({ title: 'Project', entries: entriesOf(projectOf(place), ofProject) })
  if (place.environmentId) groups.push({ title: 'Environment', entries: entriesOf(place, ofEnvironment) })
  return groups
}

/** Pages of an organization's settings. */
export const settingsTabs = (place: Place): { title: string; href: string }[] =>
  (
    [
      ['Organization'],
      ['Members', 'members'],
      ['Groups', 'groups'],
      ['API keys', 'keys'],
      ['Runner pools', 'runners'],
      ['Credentials', 'credentials'],
      ['Variables', 'variables'],
      ['Integrations', 'integrations'],
      ['Billing', 'billing'],
      ['Audit log', 'audit'],
      ['Account', 'account'],
    ] as [string, ...string[]][]
  ).map(([title, ...page]) => ({ title, href: at(organizationOf(place), 'settings', ...page) }))

/** The current entry: the one with the longest matching address. */
export function currentEntry(groups: Group[], path: string): string | undefined {
  const hrefs = groups.flatMap(({ entries }) => entries.map(({ href }) => href))
  const around = hrefs.filter((href) => path === href || path.startsWith(`${href}/`))
  return around.sort((a, b) => b.length - a.length)[0]
}
