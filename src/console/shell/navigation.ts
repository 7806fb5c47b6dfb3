/** Navigation entries by place. */
import { at, organizationOf, type Place, projectOf } from '../places.ts'
import type { IconName } from '../ui/icon.tsx'

interface Entry {
  title: string
  icon: IconName
  href: string
  /** The number beside it: of pending approvals, or of items that need attention. */
  counts?: 'approvals' | 'inbox' | undefined
  /** Its shortcut. */
  keys?: readonly string[] | undefined
}

interface Group {
  title: string
  entries: Entry[]
}

type Line = [title: string, icon: IconName, ...page: string[]]

/** The second key of each entry, after `g`. If two entries have the same key, the more specific place wins. */
const letters: Record<string, string> = {
  Overview: 'o',
  Inbox: 'i',
  Alerts: 'q',
  Projects: 'p',
  'All runs': 'r',
  'System Agents': 'c',
  Statecharts: 'm',
  Settings: 's',
  Project: 'b',
  Agents: 'a',
  Definitions: 'f',
  Releases: 'l',
  Access: 'x',
  'Project settings': 's',
  Delivery: 'd',
  Configuration: 'g',
  Runs: 'r',
  Playground: 'c',
  Approvals: 'v',
  Invocations: 'n',
  Workers: 'w',
  Workflows: 'k',
  Jobs: 'j',
  Entities: 't',
  Events: 'e',
  Webhooks: 'h',
}

const countedBy: Record<string, Entry['counts']> = { approvals: 'approvals', inbox: 'inbox' }

const entriesOf = (place: Place, lines: Line[]): Entry[] =>
  lines.map(([title, icon, ...page]) => ({ title, icon, href: at(place, ...page), counts: countedBy[page[0] ?? ''] }))

const ofOrganization: Line[] = [
  ['Overview', 'home'],
  ['Inbox', 'inbox', 'inbox'],
  ['Alerts', 'bell', 'alerts'],
  ['Projects', 'folder', 'projects'],
  ['All runs', 'run', 'runs'],
  ['System Agents', 'chat', 'playground'],
  ['Statecharts', 'chart', 'statecharts'],
  ['Settings', 'settings', 'settings'],
]

const ofProject: Line[] = [
  ['Project', 'box'],
  ['Agents', 'agent', 'agents'],
  ['Definitions', 'book', 'definitions'],
  ['Releases', 'tag', 'releases'],
  ['Access', 'people', 'access'],
  ['Project settings', 'settings', 'settings'],
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
  return withKeys(groups)
}

function withKeys(groups: Group[]): Group[] {
  const owners = new Map(groups.flatMap(({ entries }) => entries.map(({ title, href }) => [letters[title], href])))
  const keysOf = ({ title, href }: Entry) => {
    const letter = letters[title]
    return letter !== undefined && owners.get(letter) === href ? { keys: ['g', letter] } : {}
  }
  return groups.map(({ title, entries }) => ({
    title,
    entries: entries.map((entry) => ({ ...entry, ...keysOf(entry) })),
  }))
}

/** Addresses by the second key of their shortcuts. */
export const shortcutsOf = (groups: Group[]): ReadonlyMap<string, string> =>
  new Map(
    groups.flatMap(({ entries }) =>
      entries.flatMap(({ keys, href }): [string, string][] => (keys?.[1] ? [[keys[1], href]] : [])),
    ),
  )

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
      ['Servers', 'servers'],
      ['Account', 'account'],
    ] as [string, ...string[]][]
  ).map(([title, ...page]) => ({ title, href: at(organizationOf(place), 'settings', ...page) }))

/** The current entry: the one with the longest matching address. */
export function currentEntry(groups: Group[], path: string): string | undefined {
  const hrefs = groups.flatMap(({ entries }) => entries.map(({ href }) => href))
  const around = hrefs.filter((href) => path === href || path.startsWith(`${href}/`))
  return around.sort((a, b) => b.length - a.length)[0]
}
